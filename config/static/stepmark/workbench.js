// Keys and focus of the workbench. State lives in the form; the server decides.
"use strict";

(() => {
  const IDLE_AFTER = 60_000;
  let lastSeen = performance.now(), active = 0;

  const work = () => document.querySelector("form.work");
  const everyStep = () => work()?.classList.contains("every-step") ?? false;
  const steps = () => Array.from(document.querySelectorAll("#steps .step"));
  const chosen = () => everyStep()
    ? steps().find((step) => step.querySelector(":checked")?.value === "-1")
    : steps().find((step) => step.querySelector(".n :checked"));
  const current = () => document.activeElement?.closest("#steps .step");
  const goTo = (step) => {
    step.focus({ preventScroll: true });
    step.scrollIntoView({ block: "nearest" });
  };
  const move = (by) => {
    const all = steps();
    const at = all.indexOf(current() ?? chosen());
    const next = all[Math.max(0, Math.min(all.length - 1, at < 0 ? 0 : at + by))];
    if (next) goTo(next);
  };
  const check = (input) => {
    if (!input || input.checked) return;
    input.checked = true;
    input.dispatchEvent(new Event("change", { bubbles: true }));
  };
  const byId = (id) => document.getElementById(id);
  const errorHere = (placement) => {
    const step = current() ?? chosen();
    if (step) {
      check(everyStep() ? step.querySelector("[value='-1']") : step.querySelector(".n input"));
      check(byId("correct-false"));
    }
    if (placement && chosen()) check(byId("placement-before"));
  };
  const mark = (value) => {
    const step = current() ?? steps().find((each) => !each.querySelector(":checked"));
    const input = step?.querySelector(`[value="${value}"]`);
    if (!input) return;
    check(input);
    const all = steps();
    goTo(all[Math.min(all.length - 1, all.indexOf(step) + 1)]);
  };
  const allCorrect = () => {
    if (!everyStep()) { check(byId("correct-true")); return; }
    for (const step of steps()) if (!step.querySelector(":checked")) check(step.querySelector("[value='1']"));
  };
  const refresh = () => {
    if (!work()) return;
    const step = chosen();
    const place = byId("chosen");
    if (place) place.textContent = step ? step.dataset.name : place.dataset.none;
    if (!everyStep()) return;
    work().classList.toggle("is-incorrect", step !== undefined);
    const lost = step && work().dataset.afterError === "unlabelled" ? steps().indexOf(step) : Infinity;
    steps().forEach((each, at) => each.classList.toggle("not-wanted", at > lost));
  };
  const fold = (every) => {
    const which = every ? steps() : [current()].filter(Boolean);
    const folded = every ? !which.every((step) => step.classList.contains("folded")) : !which[0]?.classList.contains("folded");
    for (const step of which) step.classList.toggle("folded", folded);
  };
  const copySource = () => {
    const step = current();
    if (!step) return;
    const selected = String(getSelection());
    const sources = Array.from(step.querySelectorAll("[data-tex]"), (each) => each.dataset.tex);
    navigator.clipboard?.writeText(selected || (sources.length ? sources.join("\n") : step.querySelector(".t").innerText));
    step.classList.add("copied");
    setTimeout(() => step.classList.remove("copied"), 600);
  };
  const firstWanted = () => {
    const bad = document.querySelector("#workbench .errorlist")?.closest("fieldset, .field, .notice")?.querySelector("textarea, input:not([type=hidden])");
    return bad ?? chosen() ?? steps()[0];
  };

  const keys = {
    j: () => move(1), ArrowDown: () => move(1), k: () => move(-1), ArrowUp: () => move(-1),
    c: () => check(byId("correct-true")), x: () => check(byId("correct-false")), a: allCorrect,
    e: () => errorHere(false), m: () => errorHere(true), h: () => fold(false), H: () => fold(true),
    r: () => byId("id_reason")?.focus(), t: () => byId("id_rectified")?.focus(),
    w: () => (document.querySelector("#why :checked") ?? document.querySelector("#why input"))?.focus(),
    y: () => (byId("id_confirm_conflict") ? byId("id_confirm_conflict").click() : copySource()),
  };
  const digit = (key) => {
    if (everyStep() && !document.activeElement?.closest("#why")) {
      mark({ 1: "1", 2: "0", 3: "-1", 4: "2" }[key]);
      return;
    }
    const chip = document.querySelectorAll("#workbench .chips input")[Number(key) - 1];
    if (chip && (everyStep() || byId("correct-false").checked)) check(chip);
  };
  const open = (link) => {
    link?.click();
  };
  document.addEventListener("keydown", (event) => {
    if (event.isComposing || event.keyCode === 229 || event.altKey || document.querySelector("dialog[open]")) return;
    const writing = event.target.closest("textarea, input[type=text], input[type=search], select");
    if (event.ctrlKey || event.metaKey) {
      const act = { s: () => Drafts.saveNow(), " ": () => open(document.querySelector("[data-skip]")), z: () => !writing && open(document.querySelector("[data-undo]")) }[event.key];
      if (act && (work() || event.key === "z") && !(event.key === "z" && writing)) {
        event.preventDefault();
        act();
      }
      return;
    }
    if (!work() || writing) return;
    if (event.key.startsWith("Arrow") && event.target.matches("input[type=radio]")) return;
    const act = /^[1-9]$/.test(event.key) ? () => digit(event.key) : keys[event.key];
    if (act) {
      event.preventDefault();
      act();
    }
  });

  document.addEventListener("change", (event) => {
    if (event.target.name === "first_error") check(byId("correct-false"));
    refresh();
  });
  document.addEventListener("stepmark:filled", refresh);
  document.addEventListener("stepmark:left-text", () => {
    const step = chosen() ?? steps()[0];
    if (step) goTo(step);
  });

  // The same term is marked wherever it stands in problem and solution.
  const highlight = () => {
    if (!window.Highlight) return;
    CSS.highlights.delete("same-term");
    const term = String(getSelection()).trim();
    if (!work() || term.length < 2 || term.length > 60) return;
    const ranges = [];
    const walk = document.createTreeWalker(work(), NodeFilter.SHOW_TEXT);
    for (let node = walk.nextNode(); node && ranges.length < 500; node = walk.nextNode()) {
      if (!node.parentElement.closest(".prose")) continue;
      for (let at = node.data.indexOf(term); at >= 0; at = node.data.indexOf(term, at + term.length)) {
        const range = new Range();
        range.setStart(node, at);
        range.setEnd(node, at + term.length);
        ranges.push(range);
      }
    }
    if (ranges.length > 1) CSS.highlights.set("same-term", new Highlight(...ranges));
  };
  document.addEventListener("selectionchange", highlight);

  const seen = () => {
    const now = performance.now();
    if (document.visibilityState === "visible" && now - lastSeen < IDLE_AFTER) active += now - lastSeen;
    lastSeen = now;
  };
  for (const kind of ["keydown", "pointermove", "wheel", "visibilitychange"]) document.addEventListener(kind, seen, { passive: true });
  document.addEventListener("htmx:configRequest", (event) => {
    if (event.detail.elt !== work()) return;
    seen();
    event.detail.parameters.active_seconds = String(Math.round(active / 1000));
  });

  const arrived = (kept) => {
    if (!kept) active = 0;
    lastSeen = performance.now();
    if (!work()) return;
    refresh();
    Drafts.begin();
    const wanted = firstWanted();
    if (!wanted) return;
    wanted.matches(".step") ? goTo(wanted) : wanted.focus();
    if (!document.querySelector("#workbench .errorlist")) window.scrollTo({ top: 0 });
  };
  document.addEventListener("htmx:afterSwap", (event) => {
    if (event.detail.target.id === "workbench") arrived(event.detail.xhr.status === 422);
  });
  arrived(false); // the script is deferred, so the page is there
})();
