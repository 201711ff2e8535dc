// Keys and focus of the workbench. State lives in the form; the server decides.
"use strict";

(() => {
  const work = () => document.querySelector("form.work");
  const everyStep = () => work()?.classList.contains("every-step") ?? false;
  const steps = () => Array.from(document.querySelectorAll("#steps .step"));
  const chosen = () => everyStep()
    ? steps().find((step) => step.querySelector(".which :checked")?.value === "-1")
    : steps().find((step) => step.querySelector(".which :checked"));
  const focused = () => document.activeElement?.closest("#steps .step");
  const current = () => focused() ?? document.querySelector("#steps .step[tabindex='0']");
  const goTo = (step) => { // one step is in the order of Tab, so that Tab leads on from it to the questions
    for (const each of document.querySelectorAll("#steps .step[tabindex='0']")) each.tabIndex = -1;
    step.tabIndex = 0;
    step.focus({ preventScroll: true });
    step.scrollIntoView({ block: "nearest" });
  };
  const move = (by) => {
    const all = steps();
    const at = all.indexOf(current()) + (focused() ? by : 0); // from elsewhere the hand first comes back
    goTo(all[Math.max(0, Math.min(all.length - 1, at))]);
  };
  const tell = (input) => {
    for (const kind of ["input", "change"]) input.dispatchEvent(new Event(kind, { bubbles: true }));
  };
  const check = (input) => {
    if (!input || input.checked) return;
    input.checked = true;
    tell(input);
  };
  const byId = (id) => document.getElementById(id);
  const errorHere = (placement) => {
    const step = current();
    if (everyStep() && step.classList.contains("not-wanted")) return;
    check(step.querySelector(everyStep() ? ".which [value='-1']" : ".which input"));
    check(byId("correct-false"));
    check(byId(placement));
  };
  const write = (id) => {
    check(byId("correct-false")); // or the field is not there, and the letters that follow are taken for keys
    byId(id)?.focus();
  };
  const mark = (value) => {
    const step = current();
    const input = step.querySelector(`.which [value="${value}"]`);
    if (!input || step.classList.contains("not-wanted")) return;
    check(input);
    const next = steps()[steps().indexOf(step) + 1];
    goTo(next && !next.classList.contains("not-wanted") ? next : step);
  };
  const unmark = () => {
    const input = everyStep() && current().querySelector(".which :checked");
    if (!input) return;
    input.checked = false;
    tell(input);
  };
  const allCorrect = () => {
    if (!everyStep()) { check(byId("correct-true")); return; }
    const open = steps().filter((step) => !step.classList.contains("not-wanted") && !step.querySelector(".which :checked"));
    const inputs = open.map((step) => step.querySelector(".which [value='1']"));
    for (const input of inputs) input.checked = true;
    if (inputs.length) tell(inputs.at(-1)); // once: telling of each would count all steps for each of them
  };
  const refresh = () => {
    if (!work()) return;
    const step = chosen();
    const place = byId("chosen");
    if (place) place.textContent = step ? step.dataset.name : place.dataset.none;
    if (!everyStep()) return;
    const lost = step && work().dataset.afterError === "unlabelled" ? steps().indexOf(step) : Infinity;
    steps().forEach((each, at) => each.classList.toggle("not-wanted", at > lost));
  };
  const firstWanted = () => {
    const error = document.querySelector("#workbench .errorlist");
    const bad = error?.closest("fieldset, .field, .notice")?.querySelector("textarea, input:not([type=hidden])");
    const unmarked = error && everyStep() && steps().find((step) => !step.classList.contains("not-wanted") && !step.querySelector(".which :checked"));
    return bad ?? (unmarked || chosen()) ?? steps()[0];
  };

  const keys = {
    j: () => move(1), ArrowDown: () => move(1), k: () => move(-1), ArrowUp: () => move(-1),
    c: () => check(byId("correct-true")), x: () => check(byId("correct-false")), a: allCorrect,
    e: () => errorHere("placement-at"), m: () => errorHere("placement-before"), h: () => Reading.fold(current()), H: () => Reading.fold(null),
    s: () => open(document.querySelector("[data-skip]")), u: unmark,
    r: () => write("id_reason"), t: () => write("id_rectified"),
    w: () => (document.querySelector("#why :checked") ?? document.querySelector("#why input"))?.focus(),
    y: () => Reading.copy(current()),
  };
  const digit = (key) => {
    if (everyStep() && !document.activeElement?.closest("#why")) {
      mark({ 1: "1", 2: "0", 3: "-1", 4: "2", "+": "1", 0: "0", "-": "-1" }[key]);
      return;
    }
    const chip = document.querySelectorAll("#workbench .chips input")[Number(key) - 1];
    if (chip && (everyStep() || byId("correct-false").checked)) check(chip);
  };
  const open = (link) => {
    link?.click();
  };
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.isComposing || event.keyCode === 229 || event.altKey) return;
    if (document.querySelector("dialog[open]") || Drafts.busy()) return;
    const writing = event.target.closest("textarea, input[type=text], input[type=search], select");
    if (event.ctrlKey || event.metaKey) {
      const act = { s: () => Drafts.saveNow(), " ": () => open(document.querySelector("[data-skip]")), z: () => open(document.querySelector("[data-undo]")), Z: () => open(document.querySelector("[data-redo]")) }[event.key];
      const undoing = event.key.toLowerCase() === "z";
      if (act && (undoing ? !writing : work())) {
        event.preventDefault();
        act();
      }
      return;
    }
    if (!work() || writing) return;
    if (event.key.startsWith("Arrow") && event.target.matches("input[type=radio]")) return;
    const act = /^[0-9+-]$/.test(event.key) ? () => digit(event.key) : keys[event.key];
    if (act) {
      event.preventDefault();
      act();
    }
  });

  document.addEventListener("click", (event) => {
    const act = event.target.closest("[data-act]")?.dataset.act;
    if (act) keys[act]();
  });
  document.addEventListener("change", (event) => {
    if (event.target.name === "first_error") check(byId("correct-false"));
    refresh();
    const reason = byId("id_reason");
    if (reason?.value && event.target.closest("#steps")) reason.dispatchEvent(new CustomEvent("stepmark:moved"));
  });
  document.addEventListener("stepmark:filled", refresh);
  document.addEventListener("stepmark:left-text", () => {
    if (work()) goTo(chosen() ?? current());
  });

  const arrived = (same) => {
    Presence.begin(same);
    Drafts.begin();
    if (!work()) {
      document.querySelector("#workbench a.primary")?.focus();
      return;
    }
    refresh();
    Reading.measure();
    const wanted = firstWanted();
    goTo(wanted.closest(".step") ?? chosen() ?? steps()[0]);
    if (!wanted.matches(".step")) wanted.focus();
    if (!document.querySelector("#workbench .errorlist")) window.scrollTo({ top: 0 });
  };
  document.addEventListener("htmx:afterSwap", (event) => {
    if (event.detail.target.id === "workbench") arrived(event.detail.xhr.status === 422);
  });
  arrived(false); // the script is deferred, so the page is there
})();
