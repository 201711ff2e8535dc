// Keys and focus of the workbench. State lives in the form; the server decides.
"use strict";

(() => {
  const work = () => document.querySelector("form.work");
  const steps = () => Array.from(document.querySelectorAll("#steps .step"));
  let lastSeen = performance.now();
  let active = 0;
  const IDLE_AFTER = 60_000;

  const current = () => document.activeElement?.closest("#steps .step");
  const goTo = (step) => {
    step.focus({ preventScroll: true });
    step.scrollIntoView({ block: "nearest" });
  };
  const move = (by) => {
    const all = steps();
    const at = all.indexOf(current() ?? all.find((step) => step.querySelector(":checked")));
    const next = all[Math.max(0, Math.min(all.length - 1, at < 0 ? 0 : at + by))];
    if (next) goTo(next);
  };
  const check = (id) => {
    const input = document.getElementById(id);
    if (!input) return;
    input.checked = true;
    input.dispatchEvent(new Event("change", { bubbles: true }));
  };
  const errorHere = (placement) => {
    const step = current() ?? steps().find((each) => each.querySelector(":checked"));
    if (!step) return;
    step.querySelector("input").checked = true;
    check("correct-false");
    if (placement) check("placement-before");
    showChosen();
  };
  const showChosen = () => {
    const chosen = document.getElementById("chosen");
    if (!chosen) return;
    const step = steps().find((each) => each.querySelector(":checked"));
    chosen.textContent = step ? step.dataset.name : chosen.dataset.none;
  };
  const firstWanted = () => {
    const bad = document.querySelector("#workbench .errorlist")?.closest("fieldset, .field")?.querySelector("textarea, input:not([type=hidden])");
    return bad ?? steps()[0];
  };

  const keys = {
    j: () => move(1), ArrowDown: () => move(1), k: () => move(-1), ArrowUp: () => move(-1),
    c: () => check("correct-true"), a: () => check("correct-true"), x: () => check("correct-false"),
    e: () => errorHere(false), m: () => errorHere(true),
    r: () => document.getElementById("id_reason")?.focus(), t: () => document.getElementById("id_rectified")?.focus(),
  };
  document.addEventListener("keydown", (event) => {
    if (!work() || event.isComposing || event.keyCode === 229 || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.closest("textarea, input[type=text], select, dialog") || document.querySelector("dialog[open]")) return;
    if (event.key.startsWith("Arrow") && event.target.matches("input[type=radio]")) return;
    if (/^[1-9]$/.test(event.key)) {
      const chips = document.querySelectorAll("#workbench .chips input");
      const chip = chips[Number(event.key) - 1];
      if (chip && document.getElementById("correct-false").checked) {
        chip.checked = true;
        event.preventDefault();
      }
      return;
    }
    const act = keys[event.key];
    if (act) {
      event.preventDefault();
      act();
    }
  });

  document.addEventListener("change", (event) => {
    if (event.target.name === "first_error") {
      check("correct-false");
      showChosen();
    }
  });
  document.addEventListener("stepmark:left-text", () => {
    const step = steps().find((each) => each.querySelector(":checked")) ?? steps()[0];
    if (step) goTo(step);
  });

  const seen = () => {
    const now = performance.now();
    if (document.visibilityState === "visible" && now - lastSeen < IDLE_AFTER) active += now - lastSeen;
    lastSeen = now;
  };
  for (const kind of ["keydown", "pointermove", "wheel", "visibilitychange"]) document.addEventListener(kind, seen, { passive: true });
  document.addEventListener("htmx:configRequest", (event) => {
    if (!event.target.matches("form.work")) return;
    seen();
    event.detail.parameters["active_seconds"] = String(Math.round(active / 1000));
  });
  const arrived = () => {
    lastSeen = performance.now();
    active = 0;
    showChosen();
    const wanted = firstWanted();
    if (wanted) wanted.matches(".step") ? goTo(wanted) : wanted.focus();
    if (!document.querySelector("#workbench .errorlist")) window.scrollTo({ top: 0 });
  };
  document.addEventListener("htmx:afterSettle", (event) => {
    if (event.target.id === "workbench" || event.detail.target?.id === "workbench") arrived();
  });
  arrived(); // the script is deferred, so the page is there
})();
