// Reading a judge's answers without a mouse: from one to the next, opening what is folded, tagging.
"use strict";

const answers = () => [...document.querySelectorAll("article[data-answer]")];
const current = () => document.activeElement?.closest("article[data-answer]") ?? null;

function move(by) {
  const all = answers();
  const at = all.indexOf(current());
  const wanted = at < 0 ? 0 : at + by;
  if (all[wanted]) {
    all[wanted].focus({ preventScroll: true });
    all[wanted].scrollIntoView({ block: "start" });
  } else {
    document.querySelector(`.pages a[rel=${by > 0 ? "next" : "prev"}]`)?.click();
  }
}

const acts = {
  j: () => move(1),
  k: () => move(-1),
  s: (answer) => answer?.querySelector("details.solution > summary")?.click(),
  r: (answer) => answer?.querySelector("details.raw > summary")?.click(),
  t: (answer) => answer?.querySelector("input[name=tag]")?.focus(),
  d: (answer) => answer?.querySelector("form.doubt button")?.click(),
};

document.addEventListener("keydown", (event) => {
  const { key, target } = event;
  if (event.isComposing || event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
  if (target.closest("input, textarea, select")) {
    if (key === "Escape") target.closest("article[data-answer]")?.focus();
    return;
  }
  if (acts[key]) {
    event.preventDefault();
    acts[key](current());
  }
});

// back from tagging: go on where one was
if (location.hash) document.querySelector(`article${CSS.escape(location.hash).replace("\\#", "#")}`)?.focus();
