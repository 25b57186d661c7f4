// HTML by tagged templates: what is put in is escaped unless it is HTML already.

/** Text that is HTML. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** What can be put into a template. */
export type Part = Html | string | number | readonly Html[];

/** A piece of HTML. Parts that are not Html are escaped. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return new Html(strings.map((text, index) => text + render(parts[index] ?? "")).join(""));
}

function render(part: Part): string {
  if (part instanceof Html) return part.text;
  if (typeof part === "string" || typeof part === "number") return escapeHtml(String(part));
  return part.map((item) => item.text).join("");
}

function escapeHtml(text: string): string {
  const entities: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? character);
}

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
