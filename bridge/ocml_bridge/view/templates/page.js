"use strict";
// Search, and a few keys. Nothing here reads more than the page itself.
(() => {
  const box = document.querySelector(".search");
  const items = [...document.querySelectorAll(".item")];
  if (!box || items.length === 0) return;
  box.hidden = false;
  const input = box.querySelector("input");
  const output = box.querySelector("output");
  const texts = new Map();
  const textOf = (item) => {
    if (!texts.has(item)) texts.set(item, item.textContent.toLowerCase());
    return texts.get(item);
  };
  const gaps = [...document.querySelectorAll(".gap")];
  const opened = new Set();
  const MOST = 2000;

  const mark = (found, wanted) => {
    if (!globalThis.CSS?.highlights) return;
    const ranges = [];
    for (const item of found) {
      const walker = document.createTreeWalker(item, NodeFilter.SHOW_TEXT);
      for (let node = walker.nextNode(); node && ranges.length < MOST; node = walker.nextNode()) {
        const text = node.data.toLowerCase();
        if (text.length !== node.data.length) continue;
        for (let at = text.indexOf(wanted); at >= 0 && ranges.length < MOST; at = text.indexOf(wanted, at + 1)) {
          const range = new Range();
          range.setStart(node, at);
          range.setEnd(node, at + wanted.length);
          ranges.push(range);
        }
      }
    }
    CSS.highlights.set("found", new Highlight(...ranges));
  };

  const search = () => {
    const wanted = input.value.trim().toLowerCase();
    const found = items.filter((item) => wanted && textOf(item).includes(wanted));
    const kept = new Set(found);
    for (const item of items) item.classList.toggle("out", wanted !== "" && !kept.has(item));
    for (const gap of gaps) gap.classList.toggle("out", wanted !== "");
    for (const details of opened) details.open = false;
    opened.clear();
    for (const item of found) {
      for (const details of item.querySelectorAll("details:not([open])")) {
        if (!details.textContent.toLowerCase().includes(wanted)) continue;
        details.open = true;
        opened.add(details);
      }
    }
    mark(found, wanted);
    output.textContent = wanted ? `${found.length} of ${items.length}` : "";
  };

  let waiting = 0;
  input.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(search, 120);
  });

  const step = (way) => {
    const seen = items.filter((item) => !item.classList.contains("out"));
    const top = (item) => item.getBoundingClientRect().top - 100;
    const next = way > 0 ? seen.find((item) => top(item) > 4) : seen.findLast((item) => top(item) < -4);
    next?.scrollIntoView({ block: "start" });
  };

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape" && document.activeElement === input) {
      input.value = "";
      search();
      input.blur();
    } else if (document.activeElement === input) return;
    else if (event.key === "/") input.focus();
    else if (event.key === "j") step(1);
    else if (event.key === "k") step(-1);
    else return;
    event.preventDefault();
  });
})();
