// What the theme leaves to its readers' keyboards and screen readers: code and tables that scroll can be reached by keys,
// and each row of buttons beside code has a name of its own.
function makeReachable() {
  for (const scrolling of document.querySelectorAll("pre > code, .md-typeset__scrollwrap"))
    if (scrolling.tabIndex !== 0) scrolling.tabIndex = 0;
  for (const [number, buttons] of document.querySelectorAll("nav.md-code__nav").entries())
    buttons.setAttribute("aria-label", `Code ${number + 1}`);
}

makeReachable();
new MutationObserver(makeReachable).observe(document.body, {
  attributeFilter: ["tabindex"],
  childList: true,
  subtree: true,
});
