/** The style of the page. It names no outside resource and follows the reader's light or dark setting. */
export const style = `
:root { color-scheme: light dark; --fg: #1b1f24; --bg: #fff; --soft: #f4f5f7; --line: #d9dde3; --dim: #5b6470; --link: #0b5cad; --above: 12px; }
@media (prefers-color-scheme: dark) { :root { --fg: #e4e7eb; --bg: #14171b; --soft: #1d2126; --line: #343a42; --dim: #9aa4b0; --link: #7cb7ff; } }
* { box-sizing: border-box; }
body { margin: 0; color: var(--fg); background: var(--bg); font: 16px/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
a { color: var(--link); }
code, pre { font: 0.875em/1.5 ui-monospace, monospace; }
pre { background: var(--soft); border: 1px solid var(--line); border-radius: 6px; padding: 12px; overflow-y: auto; max-height: 26em; white-space: pre-wrap; }
nav { border-bottom: 1px solid var(--line); background: var(--bg); }
.bar { display: flex; gap: 8px; align-items: end; position: sticky; top: 0; padding: 12px 16px; background: var(--bg); z-index: 1; }
.bar label { flex: 1; }
nav .list { padding: 0 16px 16px; }
input, textarea, button { padding: 8px 10px; font: inherit; color: inherit; background: var(--soft); border: 1px solid var(--line); border-radius: 6px; }
button { cursor: pointer; font-weight: 600; }
nav input, .try input, .try textarea { width: 100%; }
.try textarea { font: 0.875em/1.5 ui-monospace, monospace; resize: vertical; }
.try form { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(15rem, 100%), 1fr)); gap: 8px 12px; } .try label:has(textarea) { grid-column: 1 / -1; } .try button { justify-self: start; grid-column: 1 / -1; }
#credentials { display: flex; flex-wrap: wrap; gap: 4px 10px; align-items: center; margin: 16px 0; } #token { flex: 0 1 24rem; min-width: 0; }
nav h2 { font-size: 0.95rem; margin: 20px 0 2px; }
nav h3 { font-size: 0.8rem; color: var(--dim); margin: 10px 0 2px; }
nav ul { list-style: none; margin: 0; padding: 0; }
nav li a { display: block; padding: 4px 0; text-decoration: none; font-size: 0.9rem; }
main { padding: 16px; max-width: 60rem; }
h1 { margin: 0 0 8px; font-size: 1.6rem; }
h2 { margin: 32px 0 4px; }
h3 { margin: 24px 0 4px; }
h4 { margin: 20px 0 6px; }
h5 { margin: 12px 0 0; font-size: 1rem; }
p { margin: 6px 0; }
td > :first-child { margin-top: 0; } td > :last-child { margin-bottom: 0; }
[id] { scroll-margin-top: var(--above); }
.skip { position: absolute; left: -100vw; } .skip:focus { left: 16px; top: 12px; z-index: 2; padding: 8px 12px; background: var(--bg); }
.operation, .schema { border: 1px solid var(--line); border-radius: 8px; margin: 8px 0; }
.operation > summary, .schema > summary { padding: 10px 12px; cursor: pointer; }
.operation[open] > summary, .schema[open] > summary { border-bottom: 1px solid var(--line); background: var(--soft); border-radius: 8px 8px 0 0; }
.body { padding: 8px 14px 14px; }
.verb { display: inline-block; min-width: 4.9em; padding: 1px 6px; border-radius: 4px; font: 700 0.75rem/1.6 ui-monospace, monospace; text-align: center; color: #fff; background: #57606a; }
.get { background: #0b5cad; } .post { background: #1a7f37; } .put, .patch { background: #8a5a00; } .delete { background: #b3261e; }
.dot { display: inline-block; width: 0.5em; height: 0.5em; border-radius: 50%; margin-right: 0.6em; }
.path { font-weight: 600; }
.summary, .note, .type { color: var(--dim); font-weight: 400; font-size: 0.9rem; }
.facts { display: grid; grid-template-columns: max-content 1fr; gap: 2px 14px; margin: 10px 0; font-size: 0.9rem; }
.facts dt { color: var(--dim); } .facts dd { margin: 0; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: 0.9rem; }
th, td { border-top: 1px solid var(--line); padding: 8px 8px 8px 0; text-align: left; vertical-align: top; }
th { width: 34%; font-weight: 600; }
.rules, td ul { margin: 2px 0; padding-left: 18px; color: var(--dim); }
[hidden] { display: none !important; }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
@media (min-width: 60rem) {
  body { display: grid; grid-template-columns: 20rem 1fr; }
  nav { position: sticky; top: 0; height: 100vh; overflow-y: auto; border-bottom: 0; border-right: 1px solid var(--line); }
  #menu { display: none; }
  main { padding: 24px 32px 80px; }
}
@media (max-width: 59.99rem) {
  :root { --above: 6.5rem; }
  nav { position: sticky; top: 0; z-index: 1; }
  nav .folds { display: none; max-height: calc(100vh - var(--above)); overflow-y: auto; } nav .shown { display: block; }
  .summary { display: block; }
}
`;
