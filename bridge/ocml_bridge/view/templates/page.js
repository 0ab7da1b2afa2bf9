"use strict";
// Search, folding, copying, and a few keys. Nothing here reads more than the page itself.
(() => {
  document.documentElement.classList.add("lively");

  // What works on any part of a page, also on one that comes later.
  const textToCopy = (button) => {
    const code = button.closest(".code, .output").querySelector("pre").cloneNode(true);
    const ids = [...code.querySelectorAll("[data-ids]")].flatMap((each) => each.dataset.ids.split(" "));
    if (ids.length) return `[${ids.join(",")}]`;
    for (const mark of code.querySelectorAll(".mark")) mark.remove();
    return code.textContent;
  };
  const copied = (button) => {
    button.textContent = "Copied";
    setTimeout(() => { button.textContent = "Copy"; }, 1500);
  };
  document.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (button?.classList.contains("unfold")) {
      const open = button.parentElement.classList.toggle("open");
      button.setAttribute("aria-expanded", open);
      button.firstChild.data = open ? "Show less" : "Show all";
    } else if (button?.classList.contains("copy") && !button.dataset.own) {
      navigator.clipboard?.writeText(textToCopy(button)).then(() => copied(button), () => {});
    }
  });
  document.addEventListener("change", (event) => {
    const ids = event.target.closest(".ids");
    if (ids) ids.closest(".output").classList.toggle("numbered", event.target.checked);
    const only = event.target.closest(".only");
    if (!only) return;
    const part = only.closest(".conversation");
    part.classList.toggle("differing", event.target.checked);
    const left = part.querySelector(".row:not(.same, .spelled-differently)");
    part.querySelector(".none").hidden = !event.target.checked || left !== null;
  });
  const light = (message) => {
    for (const lit of document.querySelectorAll(".lit")) lit.classList.remove("lit");
    if (message === undefined) return;
    for (const each of document.querySelectorAll(`[data-message="${message}"]`)) each.classList.add("lit");
  };
  for (const kind of ["pointerover", "focusin"]) {
    document.addEventListener(kind, (event) => light(event.target.closest?.("[data-message]")?.dataset.message));
  }

  // Of several conversations, the one that the address names, or the first.
  const links = [...document.querySelectorAll(".chats nav a")];
  const show = (chat) => {
    for (const each of document.querySelectorAll(".chat")) each.classList.toggle("open", each === chat);
    for (const link of links) {
      if (link.hash === `#${chat.id}`) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    }
  };
  const open = () => {
    const named = location.hash ? document.getElementById(location.hash.slice(1)) : null;
    const chat = named?.closest(".chat") ?? document.querySelector(".chat");
    if (!chat) return;
    show(chat);
    if (named) named.focus({ preventScroll: named === chat });
    if (named === chat) scrollTo(0, 0);
  };
  addEventListener("hashchange", open);
  open();

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
    for (const close of opened) close();
    opened.clear();
    for (const item of found) {
      for (const details of item.querySelectorAll("details:not([open])")) {
        if (!details.textContent.toLowerCase().includes(wanted)) continue;
        details.open = true;
        opened.add(() => { details.open = false; });
      }
      for (const tall of item.querySelectorAll(".tall:not(.open)")) {
        tall.classList.add("open");
        opened.add(() => tall.classList.remove("open"));
      }
    }
    for (const link of links) {
      const chat = document.querySelector(link.hash);
      link.parentElement.classList.toggle("out", wanted !== "" && !chat.querySelector(".item:not(.out)"));
    }
    const left = links.find((link) => !link.parentElement.classList.contains("out"));
    if (wanted && left && !document.querySelector(".chat.open .item:not(.out)")) show(document.querySelector(left.hash));
    mark(found, wanted);
    output.textContent = wanted ? `${found.length} of ${items.length}` : "";
  };

  let waiting = 0;
  input.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(search, 120);
  });

  const step = (way) => {
    const seen = items.filter((item) => item.checkVisibility());
    const at = seen.indexOf(document.activeElement.closest(".item"));
    const top = (item) => item.getBoundingClientRect().top - 100;
    const beside = way > 0 ? seen.find((item) => top(item) > 4) : seen.findLast((item) => top(item) < -4);
    const next = at < 0 ? beside : seen[at + way];
    next?.focus({ preventScroll: true });
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
