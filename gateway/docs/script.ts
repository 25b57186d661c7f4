/**
 * The script of the page: search, the menu of narrow screens, opening what a link leads to, and calling operations.
 * Without it the page reads as well, unfiltered.
 */
export const script = `
"use strict";
const byId = (id) => document.getElementById(id);
const [search, menu, list, intro, nothing, token] = ["search", "menu", "list", "intro", "nothing", "token"].map(byId);
const marked = [...document.querySelectorAll("[data-search]")];
const linked = [...document.querySelectorAll("[data-of]")];
const groups = [...document.querySelectorAll("[data-group]")];
function filter() {
  const words = search.value.toLowerCase().split(/\\s+/).filter(Boolean);
  for (const item of marked) item.hidden = !words.every((word) => item.dataset.search.includes(word));
  for (const item of linked) item.hidden = byId(item.dataset.of).hidden;
  for (const group of groups) group.hidden = !group.querySelector("[data-search]:not([hidden]), [data-of]:not([hidden])");
  intro.hidden = words.length > 0;
  nothing.hidden = marked.some((item) => !item.hidden);
}
function reveal() {
  // Ids have no characters that an address would have to escape.
  const target = byId(location.hash.slice(1));
  if (!target) return;
  showMenu(false);
  if (target.closest("[hidden]")) {
    search.value = "";
    filter();
  }
  if (target.tagName === "DETAILS") target.open = true;
  target.scrollIntoView();
}
function showMenu(isShown) {
  list.classList.toggle("shown", isShown);
  menu.setAttribute("aria-expanded", String(isShown));
}
function make(tag, properties, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}
function field(name, input) {
  return make("label", {}, make("code", { textContent: name }), input);
}
function addForm(place) {
  const { verb, path, query, headers, type, body } = place.dataset;
  const text = (name) => make("input", { name, type: "text", autocomplete: "off", spellcheck: false });
  const inPath = [...path.matchAll(/\\{(\\w+)\\}/g)].map(([, name]) => text(name));
  const [inQuery, inHeader] = [query, headers].map((names) => names.split(" ").filter(Boolean).map(text));
  const content = type === "" ? undefined : make("textarea", { value: body, rows: Math.min(16, body.split("\\n").length + 1), spellcheck: false });
  const answer = make("div", { className: "answer", role: "status" });
  const form = make("form", {}, ...inPath.concat(inQuery, inHeader).map((input) => field(input.name, input)), ...(content ? [field(type, content)] : []), make("button", { type: "submit", textContent: "Send" }));
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const missing = inPath.find((input) => input.value === "");
    if (missing) {
      answer.textContent = missing.name + " is needed for the path.";
      missing.focus();
      return;
    }
    const filled = path.replace(/\\{(\\w+)\\}/g, (_, name) => encodeURIComponent(inPath.find((input) => input.name === name).value));
    const [given, set] = [inQuery, inHeader].map((inputs) => inputs.filter((input) => input.value !== "").map((input) => [input.name, input.value]));
    await send({ verb, url: filled + (given.length > 0 ? "?" + new URLSearchParams(given) : ""), set, type, content }, answer);
  });
  place.append(make("h4", { textContent: "Try it" }), form, answer);
}
async function send({ verb, url, set, type, content }, answer) {
  const headers = Object.fromEntries(set);
  if (token.value.trim() !== "") headers.authorization = "Bearer " + token.value.trim();
  if (content) headers["content-type"] = type;
  answer.textContent = "Waiting for the answer …";
  const startedAt = performance.now();
  try {
    const response = await fetch(url, { method: verb, headers, body: content?.value, credentials: "omit", cache: "no-store" });
    const received = await response.text();
    const ms = Math.round(performance.now() - startedAt);
    const id = response.headers.get("x-request-id");
    const line = response.status + " " + response.statusText + ", " + ms + " ms" + (id ? ", request " + id : "");
    answer.replaceChildren(make("p", { textContent: line }), make("pre", {}, make("code", { textContent: shown(received) })));
  } catch (error) {
    answer.textContent = "No answer: " + error.message;
  }
}
const maxShown = 100000;
function shown(text) {
  let result = text;
  try {
    result = JSON.stringify(JSON.parse(text), null, 2);
  } catch {}
  return result.length > maxShown ? result.slice(0, maxShown) + "\\n… " + (result.length - maxShown) + " more characters" : result;
}
for (const details of document.querySelectorAll("details.operation")) {
  details.addEventListener("toggle", () => {
    const place = details.querySelector(".try");
    if (details.open && place && !place.hasChildNodes()) addForm(place);
  });
}
byId("credentials").hidden = !document.querySelector(".try");
menu.hidden = false;
list.classList.add("folds");
menu.addEventListener("click", () => showMenu(menu.getAttribute("aria-expanded") === "false"));
search.addEventListener("input", () => {
  filter();
  scrollTo(0, 0);
});
addEventListener("hashchange", reveal);
addEventListener("keydown", (event) => {
  if (event.key === "Escape") showMenu(false);
  const isTyping = event.target.closest("input, textarea");
  if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || isTyping) return;
  event.preventDefault();
  search.focus();
});
reveal();
`;
