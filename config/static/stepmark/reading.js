// Help with reading: steps that fold, the same term marked everywhere, and copies that carry TeX.
"use strict";

const Reading = (() => {
  const LONGEST_TERM = 60, MOST_MARKS = 500;
  const work = () => document.querySelector("form.work");
  const steps = () => Array.from(document.querySelectorAll("#steps .step"));

  const fold = (step) => {
    const which = step ? [step] : steps();
    const folded = !which.every((each) => each.classList.contains("folded"));
    for (const each of which) each.classList.toggle("folded", folded);
  };

  // A fragment of the page as plain text, with formulas as they were written.
  const source = (fragment) => {
    for (const formula of fragment.querySelectorAll("[data-tex]")) {
      const around = formula.classList.contains("tex-display") ? "$$" : "$";
      formula.replaceWith(around + formula.dataset.tex + around);
    }
    for (const table of fragment.querySelectorAll("[data-source]")) table.replaceWith(table.dataset.source);
    const holder = document.createElement("div");
    holder.className = "off-page";
    holder.append(fragment);
    document.body.append(holder);
    const text = holder.innerText;
    holder.remove();
    return text;
  };
  const contents = (node) => {
    const range = new Range();
    range.selectNodeContents(node);
    return range.cloneContents();
  };
  const selected = () => {
    const selection = getSelection();
    return selection.isCollapsed || !selection.rangeCount ? null : selection.getRangeAt(0);
  };
  const put = async (text) => {
    if (navigator.clipboard) { await navigator.clipboard.writeText(text); return; }
    const field = Object.assign(document.createElement("textarea"), { value: text, className: "off-page" });
    const hand = document.activeElement;
    document.body.append(field); // without https a browser has no other way
    field.select();
    document.execCommand("copy");
    field.remove();
    hand?.focus({ preventScroll: true });
  };
  const copy = (step) => {
    const range = selected();
    if (!range && !step) return;
    put(source(range ? range.cloneContents() : contents(step.querySelector(".t"))));
    step?.classList.add("copied");
    setTimeout(() => step?.classList.remove("copied"), 600);
  };
  document.addEventListener("copy", (event) => {
    const range = selected();
    const formula = range && document.activeElement.tagName !== "TEXTAREA" && range.cloneContents().querySelector("[data-tex]");
    if (!formula) return;
    event.clipboardData.setData("text/plain", source(range.cloneContents()));
    event.preventDefault();
  });

  // Where problem and questions share a column the questions stick below the problem, however high that is.
  const measured = new ResizeObserver(([entry]) => {
    document.documentElement.style.setProperty("--problem", `${Math.ceil(entry.borderBoxSize[0].blockSize)}px`);
  });
  const measure = () => {
    measured.disconnect();
    const problem = document.querySelector("form.work .left");
    if (problem) measured.observe(problem);
  };

  const mark = () => {
    CSS.highlights.delete("same-term");
    const range = selected(), term = String(getSelection()).trim();
    if (!work() || !range || term.length < 2 || term.length > LONGEST_TERM) return;
    const ranges = [];
    const walk = document.createTreeWalker(work(), NodeFilter.SHOW_TEXT);
    for (let node = walk.nextNode(); node && ranges.length < MOST_MARKS; node = walk.nextNode()) {
      if (!node.parentElement.closest(".prose")) continue;
      for (let at = node.data.indexOf(term); at >= 0; at = node.data.indexOf(term, at + term.length)) {
        const found = new Range();
        found.setStart(node, at);
        found.setEnd(node, at + term.length);
        ranges.push(found);
      }
    }
    if (ranges.length > 1) CSS.highlights.set("same-term", new Highlight(...ranges));
  };

  // The guideline opens where it begins to speak of the kind of error that is chosen.
  document.addEventListener("htmx:afterSwap", ({ detail: { target } }) => {
    if (target.id !== "guideline-text") return;
    const kind = document.querySelector("#why :checked");
    const names = kind ? [kind.closest("label").lastChild.textContent.trim(), kind.value.replaceAll("-", " ")] : []; // of either language
    const begins = (each) => names.some((name) => each.textContent.toLowerCase().startsWith(name.toLowerCase()));
    const named = Array.from(target.querySelectorAll("strong, .heading")).find(begins);
    if (!named) return;
    named.closest("p, li, tr").scrollIntoView();
    named.classList.add("of-kind");
  });

  let timer = null;
  if (window.Highlight) {
    document.addEventListener("selectionchange", () => {
      clearTimeout(timer);
      timer = setTimeout(mark, 80);
    });
  }
  return { fold, copy, measure };
})();
