/** The script of the page: search, and opening what a link leads to. Without it the page reads as well, unfiltered. */
export const script = `
"use strict";
const search = document.getElementById("search");
const marked = [...document.querySelectorAll("[data-search]")];
const groups = [...document.querySelectorAll("[data-group]")];
const intro = document.getElementById("intro");
const nothing = document.getElementById("nothing");
function filter() {
  const words = search.value.toLowerCase().split(/\\s+/).filter(Boolean);
  for (const item of marked) item.hidden = !words.every((word) => item.dataset.search.includes(word));
  for (const group of groups) group.hidden = !group.querySelector("[data-search]:not([hidden])");
  intro.hidden = words.length > 0;
  nothing.hidden = groups.some((group) => !group.hidden);
}
function reveal() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!target) return;
  if (target.closest("[hidden]")) {
    search.value = "";
    filter();
  }
  if (target.tagName === "DETAILS") target.open = true;
  target.scrollIntoView();
}
search.addEventListener("input", () => {
  filter();
  scrollTo(0, 0);
});
addEventListener("hashchange", reveal);
addEventListener("keydown", (event) => {
  if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || document.activeElement === search) return;
  event.preventDefault();
  search.focus();
});
reveal();
`;
