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

document.addEventListener("htmx:afterSwap", (event) => {
  const { target } = event.detail;
  // htmx puts the focus back into the field of the same name: with another item there, keys would be taken for words.
  if (target.id === "desk" && !document.querySelector("#desk .errorlist, #desk [role=alert]")) document.activeElement.blur();
  if (!target.closest("dialog[open]")) return;
  const first = target.hasAttribute("tabindex") ? target : target.querySelector("input:not([type=hidden]), select, textarea");
  first?.focus();
});

// A form that is just being filled in by the server is sent once it has arrived, not empty.
const press = (form, button) => {
  if (!form.id || !document.querySelector(`.htmx-request[hx-target="#${form.id}"]`)) return button.click();
  document.addEventListener("htmx:afterSettle", () => document.querySelector(`#${form.id} button.primary`)?.click(), { once: true });
};

document.addEventListener("keydown", (event) => {
  if (event.isComposing || event.keyCode === 229 || event.altKey) return;
  const dialog = document.querySelector("dialog[open]");
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
    const main = dialog ? dialog.querySelector("form:has(button.primary)") : document.querySelector("form[data-main], form.work") ?? document.querySelector("main form:has(button.primary)");
    const form = event.target.closest("form:has(button.primary)") ?? main;
    const button = form?.querySelector("button.primary");
    if (button && !button.disabled && !event.repeat) {
      event.preventDefault();
      press(form, button);
    }
    return;
  }
  if (event.ctrlKey || event.metaKey) return;
  if (event.key === "Escape" && typing(event.target) && !dialog) {
    event.target.blur();
    document.dispatchEvent(new CustomEvent("stepmark:left-text"));
    return;
  }
  if (typing(event.target) || document.querySelector("form[inert]")) return;
  if (event.key === "?" && !dialog) {
    document.getElementById("keys")?.showModal();
    event.preventDefault();
    return;
  }
  const control = (dialog ?? document).querySelector(`[data-key="${CSS.escape(event.key)}"]:not(dialog:not([open]) *)`);
  if (control) {
    event.preventDefault();
    if (control.matches("fieldset")) (control.querySelector("input:checked") ?? control.querySelector("input"))?.focus();
    else control.matches("textarea, select, input[type=text], input[type=search]") ? control.focus() : control.click();
  }
});
