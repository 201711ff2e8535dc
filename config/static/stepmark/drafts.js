// Nothing typed is lost: every change is kept in this browser at once and on the server within two seconds;
// a submission that could not be sent is sent again with the same key until the server has answered.
"use strict";

const Drafts = (() => {
  const PAUSE = 700, RETRY = 4000, KEEP = 30 * 24 * 3600_000;
  const NOT_TYPED = ["csrfmiddlewaretoken", "key", "assignment", "annotator", "active_seconds"];
  // `sent` is what the server was given since it last answered: the answer may be lost while the text has arrived.
  let version = 0, sent = [], unsent = 0, sending = false, timer = null, pendingSubmit = false, theirs = null, shown = "";

  const form = () => document.querySelector("form.work");
  const random = () => crypto.getRandomValues(new Uint32Array(2)).join("-");
  const newKey = () => "10000000-1000-4000-8000-100000000000".replace(/[018]/g, (digit) => (digit ^ (crypto.getRandomValues(new Uint8Array(1))[0] & (15 >> (digit / 4)))).toString(16));
  const cookie = (name) => document.cookie.split("; ").find((part) => part.startsWith(`${name}=`))?.slice(name.length + 1) ?? "";
  const typed = () => {
    const content = {};
    for (const [name, value] of new FormData(form())) if (!NOT_TYPED.includes(name) && value !== "") content[name] = value.replaceAll("\r\n", "\n");
    return content;
  };
  const same = (a, b) => Boolean(a && b) && JSON.stringify(Object.entries(a).sort()) === JSON.stringify(Object.entries(b).sort());
  const fill = (content) => {
    for (const field of form().elements) {
      if (!field.name || NOT_TYPED.includes(field.name)) continue;
      if (field.type === "radio" || field.type === "checkbox") field.checked = String(content[field.name] ?? "") === field.value;
      else if (field.tagName === "TEXTAREA") field.value = content[field.name] ?? "";
    }
    form().dispatchEvent(new CustomEvent("stepmark:filled", { bubbles: true }));
  };

  // Each tab keeps its own copy, so that two of them do not write over one another.
  let tab = "";
  try {
    tab = sessionStorage.getItem("stepmark:tab") ?? random();
    sessionStorage.setItem("stepmark:tab", tab);
  } catch { /* private mode: the server still keeps the text */ }
  const item = () => `stepmark:draft:${form().dataset.user}:${form().dataset.solution}:`;
  const read = (name) => { try { return JSON.parse(localStorage.getItem(name)); } catch { return null; } };
  const keep = (dirty) => {
    try { localStorage.setItem(item() + tab, JSON.stringify({ content: typed(), version, sent, dirty, at: Date.now() })); } catch { /* full or private */ }
  };
  const names = (start) => { try { return Object.keys(localStorage).filter((name) => name.startsWith(start)); } catch { return []; } };
  const forget = (name) => { try { localStorage.removeItem(name); } catch { /* nothing was kept */ } };
  const kept = () => {
    for (const name of names("stepmark:draft:")) if (!(Date.now() - read(name)?.at < KEEP)) forget(name);
    const others = names(item()).filter((name) => name !== item() + tab && read(name).dirty);
    const own = read(item() + tab);
    if (own?.dirty || !others.length) return own;
    const newest = others.sort((a, b) => read(b).at - read(a).at)[0], found = read(newest);
    forget(newest);
    return found;
  };

  const say = (state) => {
    const place = document.getElementById("save-state");
    if (!place) return;
    shown = state;
    const clock = new Intl.DateTimeFormat(document.documentElement.lang, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" }).format(new Date());
    const words = place.dataset[state] + (state === "saved" ? ` ${clock}` : state === "offline" ? ` ${unsent}` : "");
    place.className = `save-${state}`;
    if (place.textContent !== words) place.textContent = words;
    document.getElementById("session-ended").hidden = state !== "expired";
  };
  const later = (wait) => {
    clearTimeout(timer);
    timer = setTimeout(send, wait);
  };
  const changed = () => {
    unsent += 1;
    if (pendingSubmit) { // what was submitted may have arrived: the changed text must not pass for a repeat of it
      pendingSubmit = false;
      form().elements.key.value = newKey();
      say("offline");
    } else if (shown === "offline") say("offline"); // with the new number
    else if (shown === "idle" || shown === "saved") say("saving");
    keep(true);
    if (!theirs) later(PAUSE);
  };

  const post = (url, body, more) => fetch(url, {
    method: "POST", body, credentials: "same-origin", headers: { "X-CSRFToken": cookie("csrftoken"), "Content-Type": "application/json" }, ...more,
  });
  const body = (content) => JSON.stringify({ base: version, content, key: form().elements.key.value, annotator: form().dataset.user });
  const sessionEnded = (response) => response.status === 403 || response.status === 401 || response.redirected;
  const again = (state) => { say(state); later(RETRY); };

  async function send() {
    if (!form() || sending || theirs) return;
    if (pendingSubmit) { resubmit(); return; }
    if (!unsent) return;
    sending = true;
    const counted = unsent, own = form(), content = typed();
    say("saving");
    try {
      sent.push(content);
      keep(true);
      const response = await post(own.dataset.draft, body(content));
      if (form() !== own) return;
      if (sessionEnded(response)) { again("expired"); return; }
      if (response.status === 409) { conflict(await response.json()); return; }
      if (response.status === 400 || response.status === 404 || response.status === 413) { say("refused"); return; }
      if (!response.ok) { again("offline"); return; }
      saved(await response.json(), counted, content);
    } catch {
      if (form() === own) again("offline");
    } finally {
      sending = false;
    }
  }

  const saved = (answer, counted, content) => {
    version = answer.version;
    sent = [content];
    unsent -= counted;
    keep(unsent > 0);
    Presence.leased(answer.lease);
    say(unsent ? "saving" : "saved");
    if (unsent) later(PAUSE);
  };

  const ours = (content) => sent.some((each) => same(each, content));
  const conflict = (other) => {
    version = other.version;
    if (ours(other.content)) { later(0); return; } // only the answer was lost
    if (same(other.content, typed())) { unsent = 0; keep(false); say("saved"); return; }
    theirs = other;
    keep(true);
    say("conflict");
    document.getElementById("conflict-mine").textContent = words(typed());
    document.getElementById("conflict-theirs").textContent = words(other.content);
    document.getElementById("conflict").showModal();
  };
  const words = (content) => Object.entries(content).map(([name, value]) => {
    const fields = [form().elements[name]].flat().filter(Boolean);
    const inputs = fields[0] instanceof RadioNodeList ? Array.from(fields[0]) : fields;
    const input = inputs.find((each) => each.value === value) ?? inputs[0];
    const said = (element) => { const copy = element?.cloneNode(true); copy?.querySelectorAll("kbd, output").forEach((part) => part.remove()); return copy?.textContent.trim() ?? ""; };
    if (input?.tagName === "TEXTAREA") return `${said(input.labels[0])}: ${value}`;
    return input ? `${said(input.closest("fieldset")?.querySelector("legend")) || input.closest(".step")?.dataset.name || ""}: ${said(input.labels[0])}` : "";
  }).filter(Boolean).join("\n");
  const settle = (mine) => {
    if (!theirs) return;
    if (!mine) fill(theirs.content);
    theirs = null;
    document.getElementById("conflict").close();
    unsent = 1;
    keep(true);
    later(0);
  };

  const resubmit = () => {
    pendingSubmit = false;
    form()?.requestSubmit();
  };
  const submitFailed = (state) => {
    pendingSubmit = true;
    again(state);
  };

  document.addEventListener("input", (event) => { if (event.target.closest("form.work")) changed(); });
  document.addEventListener("htmx:configRequest", (event) => {
    const token = cookie("csrftoken"); // a login in another tab has changed it
    if (token) event.detail.headers["x-csrftoken"] = token;
    if (token && event.detail.verb === "post") event.detail.parameters.csrfmiddlewaretoken = token;
    if (event.detail.elt !== form()) return;
    event.detail.parameters.draft_base = String(version);
    event.detail.parameters.active_seconds = String(Presence.seconds());
  });
  // While a submission is under way nothing is typed into a form that its answer will replace.
  let hand = null;
  document.addEventListener("htmx:beforeRequest", (event) => {
    if (event.detail.elt !== form()) return;
    hand = document.activeElement;
    form().inert = true;
  });
  document.addEventListener("htmx:afterRequest", (event) => {
    if (event.detail.elt !== form()) return;
    form().inert = false;
    if (document.activeElement === document.body && form().contains(hand)) hand.focus({ preventScroll: true });
  });
  document.addEventListener("htmx:beforeSwap", (event) => {
    const away = new URL(event.detail.xhr.responseURL).pathname.startsWith("/login/");
    if (away) event.detail.shouldSwap = false;
    if (event.detail.requestConfig.elt !== form()) return; // `elt` is what is swapped
    if (away) submitFailed("expired");
    else if (event.detail.xhr.status === 200 && event.detail.shouldSwap) {
      clearTimeout(timer);
      forget(item() + tab);
      Presence.end();
    }
  });
  for (const name of ["htmx:sendError", "htmx:timeout", "htmx:sendAbort"]) {
    document.addEventListener(name, (event) => { if (event.detail.elt === form()) submitFailed("sending"); });
  }
  document.addEventListener("htmx:responseError", (event) => {
    const { elt, xhr } = event.detail;
    if (elt !== form()) return;
    if (xhr.status === 409) {
      const other = JSON.parse(xhr.responseText);
      pendingSubmit = ours(other.content);
      conflict(other);
    } else if (xhr.status === 403) submitFailed("expired");
    else if (xhr.status >= 500 || xhr.status === 429) submitFailed("sending");
    else say("refused");
  });
  window.addEventListener("online", () => later(0));
  window.addEventListener("pagehide", () => {
    if (!form() || !unsent || theirs) return;
    const content = typed();
    sent.push(content);
    keep(true);
    post(form().dataset.draft, body(content), { keepalive: true }).catch(() => { /* this browser has it */ });
  });
  window.addEventListener("beforeunload", (event) => { if (form() && pendingSubmit) event.preventDefault(); });
  document.addEventListener("click", (event) => {
    if (event.target.closest("#keep-mine")) settle(true);
    if (event.target.closest("#take-theirs")) settle(false);
  });
  document.getElementById("conflict")?.addEventListener("cancel", (event) => event.preventDefault());

  const begin = () => {
    if (!form()) return;
    version = Number(form().dataset.version);
    unsent = 0;
    pendingSubmit = sending = false;
    sent = [];
    theirs = null;
    say(version ? "saved" : "idle");
    if (document.querySelector("#workbench .errorlist")) { unsent = 1; later(PAUSE); return; }
    const local = kept();
    if (!local?.dirty || same(local.content, typed())) return;
    const server = { version, content: typed() };
    fill(local.content);
    unsent = 1;
    sent = local.sent ?? [];
    if (local.version === version) later(0);
    else conflict(server);
  };
  return { begin, post, saveNow: () => { unsent ||= 1; later(0); }, busy: () => Boolean(form()?.inert) };
})();
