// Nothing typed is lost: every change is kept in this browser at once and on the server within two seconds;
// a submission that could not be sent is sent again with the same key until the server has answered.
"use strict";

const Drafts = (() => {
  const PAUSE = 700, RETRY = 4000, HEARTBEAT = 60_000, SOON = 5 * 60;
  const NOT_TYPED = ["csrfmiddlewaretoken", "key", "assignment", "active_seconds"];
  let version = 0, unsent = 0, sending = false, timer = null, pendingSubmit = false, ends = null, touched = 0, theirs = null;

  const form = () => document.querySelector("form.work");
  const slot = () => `stepmark:${form().dataset.user}:${form().dataset.solution}`;
  const cookie = (name) => document.cookie.split("; ").find((part) => part.startsWith(`${name}=`))?.slice(name.length + 1) ?? "";
  const typed = () => {
    const content = {};
    for (const [name, value] of new FormData(form())) if (!NOT_TYPED.includes(name) && value !== "") content[name] = value;
    return content;
  };
  const same = (a, b) => JSON.stringify(Object.entries(a).sort()) === JSON.stringify(Object.entries(b).sort());
  const fill = (content) => {
    for (const field of form().elements) {
      if (!field.name || NOT_TYPED.includes(field.name)) continue;
      if (field.type === "radio" || field.type === "checkbox") field.checked = String(content[field.name] ?? "") === field.value;
      else if (field.tagName === "TEXTAREA") field.value = content[field.name] ?? "";
    }
    form().dispatchEvent(new CustomEvent("stepmark:filled", { bubbles: true }));
  };
  const readLocal = () => {
    try { return JSON.parse(localStorage.getItem(slot())); } catch { return null; }
  };
  const writeLocal = (dirty) => {
    try { localStorage.setItem(slot(), JSON.stringify({ content: typed(), version, dirty })); } catch { /* private mode or full: the server still keeps it */ }
  };

  const say = (state) => {
    const place = document.getElementById("save-state");
    if (!place) return;
    const words = place.dataset[state] ?? "";
    const clock = new Intl.DateTimeFormat(document.documentElement.lang, { hour: "2-digit", minute: "2-digit" }).format(new Date());
    place.className = `save-${state}`;
    place.textContent = state === "saved" ? `${words} ${clock}` : state === "offline" ? `${words} ${unsent}` : words;
    document.getElementById("session-ended").hidden = state !== "expired";
  };
  const later = (wait) => {
    clearTimeout(timer);
    timer = setTimeout(send, wait);
  };
  const changed = () => {
    unsent += 1;
    touched = Date.now();
    writeLocal(true);
    if (!theirs) later(PAUSE);
  };

  const post = (url, body) => fetch(url, {
    method: "POST", body, credentials: "same-origin", headers: { "X-CSRFToken": cookie("csrftoken"), "Content-Type": "application/json" },
  });
  const sessionEnded = (response) => response.status === 403 || response.status === 401 || (response.redirected && !response.url.includes("/draft/") && !response.url.includes("/lease/"));

  async function send() {
    if (!form() || sending || theirs) return;
    if (pendingSubmit) { resubmit(); return; }
    if (!unsent) return;
    sending = true;
    const counted = unsent, own = form(), content = typed();
    say("saving");
    try {
      const response = await post(own.dataset.draft, JSON.stringify({ base: version, content }));
      if (form() !== own) return;
      if (sessionEnded(response)) { say("expired"); later(RETRY); return; }
      if (response.status === 409) { conflict(await response.json()); return; }
      if (!response.ok) { say("offline"); later(RETRY); return; }
      const answer = await response.json();
      version = answer.version;
      unsent -= counted;
      writeLocal(unsent > 0);
      leased(answer.lease);
      say(unsent ? "saving" : "saved");
      if (unsent) later(PAUSE);
    } catch {
      if (form() === own) { say("offline"); later(RETRY); }
    } finally {
      sending = false;
    }
  }

  const conflict = (other) => {
    if (same(other.content, typed())) { version = other.version; unsent = 0; writeLocal(false); say("saved"); return; }
    theirs = other;
    say("conflict");
    const words = (content) => Object.entries(content).map(([name, value]) => `${name}: ${value}`).join("\n");
    document.getElementById("conflict-mine").textContent = words(typed());
    document.getElementById("conflict-theirs").textContent = words(other.content);
    document.getElementById("conflict").showModal();
  };
  const settle = (mine) => {
    if (!theirs) return;
    version = theirs.version;
    if (!mine) fill(theirs.content);
    theirs = null;
    document.getElementById("conflict").close();
    unsent = 1;
    writeLocal(true);
    later(0);
  };

  const leased = (lease) => {
    if (lease === undefined) return;
    const place = document.getElementById("lease-state");
    ends = lease ? Date.now() + lease.seconds * 1000 : 0;
    if (place && lease) place.dataset.until = lease.until;
    showLease();
  };
  const showLease = () => {
    const place = document.getElementById("lease-state");
    if (!place || ends === null) return;
    const left = (ends - Date.now()) / 1000;
    const until = place.dataset.until ?? place.textContent.trim().split(" ").pop();
    place.dataset.until = until;
    place.className = left <= 0 ? "tag pen" : left < SOON ? "tag warn" : "muted";
    place.textContent = left <= 0 ? place.dataset.gone : `${left < SOON ? place.dataset.soon : place.dataset.reserved} ${until}`;
  };
  const heartbeat = async () => {
    showLease();
    if (!form() || form().querySelector(".tag.warn:not(#lease-state)") || Date.now() - touched > HEARTBEAT || document.visibilityState !== "visible") return;
    try {
      const response = await post(form().dataset.lease, "");
      if (response.ok && !response.redirected) leased((await response.json()).lease);
    } catch { /* the next beat tries again */ }
  };

  const resubmit = () => {
    if (!pendingSubmit || !form()) return;
    pendingSubmit = false;
    form().requestSubmit();
  };
  const submitFailed = (state) => {
    pendingSubmit = true;
    say(state);
    later(RETRY);
  };

  document.addEventListener("input", (event) => { if (event.target.closest("form.work")) changed(); });
  document.addEventListener("change", (event) => { if (event.target.closest("form.work") && event.target.tagName !== "TEXTAREA") changed(); });
  document.addEventListener("htmx:configRequest", (event) => {
    const token = cookie("csrftoken");
    if (!token) return;
    event.detail.headers["x-csrftoken"] = token; // a login in another tab has changed it
    if ("csrfmiddlewaretoken" in event.detail.parameters) event.detail.parameters.csrfmiddlewaretoken = token;
  });
  document.addEventListener("htmx:beforeSwap", (event) => {
    if (event.detail.elt !== form()) {
      if (event.detail.xhr.responseURL.includes("/login/")) event.detail.shouldSwap = false;
      return;
    }
    if (event.detail.xhr.responseURL.includes("/login/")) {
      event.detail.shouldSwap = false;
      submitFailed("expired");
    } else if (event.detail.xhr.status === 200 && event.detail.shouldSwap) {
      clearTimeout(timer);
      try { localStorage.removeItem(slot()); } catch { /* nothing was kept */ }
    }
  });
  for (const name of ["htmx:sendError", "htmx:timeout", "htmx:sendAbort"]) {
    document.addEventListener(name, (event) => { if (event.detail.elt === form()) submitFailed("sending"); });
  }
  document.addEventListener("htmx:responseError", (event) => {
    if (event.detail.elt === form() && event.detail.xhr.status !== 422) submitFailed(event.detail.xhr.status === 403 ? "expired" : "sending");
  });
  window.addEventListener("online", () => later(0));
  window.addEventListener("beforeunload", (event) => { if (form() && (pendingSubmit || unsent)) { writeLocal(unsent > 0); if (pendingSubmit) event.preventDefault(); } });
  document.addEventListener("click", (event) => {
    if (event.target.id === "keep-mine") settle(true);
    if (event.target.id === "take-theirs") settle(false);
  });
  document.getElementById("conflict")?.addEventListener("cancel", (event) => event.preventDefault());
  setInterval(heartbeat, HEARTBEAT / 2);

  const begin = () => {
    if (!form()) return;
    version = Number(form().dataset.version);
    unsent = 0;
    pendingSubmit = sending = false;
    theirs = null;
    touched = Date.now();
    ends = form().dataset.ends ? Date.parse(form().dataset.ends) : null;
    say(version ? "saved" : "idle");
    showLease();
    const local = readLocal();
    if (!local?.dirty || same(local.content, typed())) return;
    if (document.querySelector("#workbench .errorlist")) { unsent = 1; later(PAUSE); return; }
    if (local.version === version) {
      fill(local.content);
      unsent = 1;
      later(0);
    } else {
      const server = { version, content: typed() };
      fill(local.content);
      conflict(server);
    }
  };
  return { begin, saveNow: () => { unsent ||= 1; later(0); } };
})();
