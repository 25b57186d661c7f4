import { type Html, html } from "../../src/kit/net/html.ts";

/** The little Markdown that descriptions use: paragraphs, "- " lists, and `code`. */
export function prose(text: string): Html {
  const blocks = text.split(/\n{2,}/).filter((block) => block.trim() !== "");
  return html`${blocks.map(block)}`;
}

function block(text: string): Html {
  const lines = text.split("\n");
  if (!lines.every((line) => line.startsWith("- "))) return html`<p>${inline(text)}</p>`;
  return html`<ul>${lines.map((line) => html`<li>${inline(line.slice(2))}</li>`)}</ul>`;
}

function inline(text: string): Html {
  const pieces = text.split("`");
  return html`${pieces.map((piece, index) => (index % 2 === 1 ? html`<code>${piece}</code>` : html`${piece}`))}`;
}
