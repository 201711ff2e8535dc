// What every page needs: opening dialogs, and keys bound to the controls that show them.
"use strict";

const typing = (target) => target.closest("input:not([type=radio]):not([type=checkbox]), textarea, select, [contenteditable]") !== null;

document.addEventListener("click", (event) => {
  const opener = event.target.closest("[data-opens]");
  const dialog = opener && document.getElementById(opener.dataset.opens);
  if (dialog && !event.ctrlKey && !event.metaKey) {
    event.preventDefault(); // a link leads to the same thing as a page of its own
    dialog.showModal();
  }
});

document.addEventListener("input", (event) => {
  const body = event.target.dataset.searches && document.getElementById(event.target.dataset.searches);
  if (!body) return;
  const words = event.target.value.trim().toLocaleLowerCase();
  for (const part of body.querySelectorAll("p, li, tr, pre, h1, h2, h3, h4")) {
    part.hidden = words !== "" && !part.textContent.toLocaleLowerCase().includes(words);
  }
});

document.addEventListener("keydown", (event) => {
  if (event.isComposing || event.keyCode === 229 || event.altKey) return;
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
    const form = event.target.closest("form") ?? document.querySelector("form[data-main], form.work") ?? document.querySelector("main form:has(button.primary)");
    const button = form?.querySelector("button.primary");
    const dialog = document.querySelector("dialog[open]");
    if (button && !button.disabled && !event.repeat && (!dialog || dialog.contains(button))) {
      event.preventDefault();
      button.click();
    }
    return;
  }
  if (event.ctrlKey || event.metaKey) return;
  if (event.key === "Escape" && typing(event.target)) {
    event.target.blur();
    document.dispatchEvent(new CustomEvent("stepmark:left-text"));
    return;
  }
  if (typing(event.target) || document.querySelector("dialog[open]")) return;
  if (event.key === "?") {
    document.getElementById("keys")?.showModal();
    event.preventDefault();
    return;
  }
  const control = document.querySelector(`[data-key="${CSS.escape(event.key)}"]`);
  if (control) {
    event.preventDefault();
    control.matches("textarea, input[type=text]") ? control.focus() : control.click();
  }
});
