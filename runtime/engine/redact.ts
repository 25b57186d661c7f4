// Rewrites text: every span of a match is replaced, overlapping spans as one, equal text by the same placeholder.

import type { Fingerprints } from "./fingerprint.ts";
import { wholeCharacters } from "./offset.ts";
import type { RedactStyle } from "./policy/document.ts";

/** A span of one piece to be replaced. */
export interface RedactSpan {
  readonly piece: number;
  readonly start: number;
  readonly end: number;
  readonly category: string;
  readonly style: RedactStyle;
}

/** From the style that leaves most of the text to the one that leaves least. */
const styles: readonly RedactStyle[] = ["partial", "mask", "hash", "placeholder", "remove"];

/** Rewrites the pieces that have spans. The answer has the new text by the position of the piece. */
export function redact(
  texts: readonly string[],
  spans: readonly RedactSpan[],
  fingerprints: Fingerprints,
): ReadonlyMap<number, string> {
  const placeholders = new Placeholders(texts);
  const byPiece = Map.groupBy(spans, ({ piece }) => piece);
  const rewritten = new Map<number, string>();
  for (const [piece, text] of texts.entries()) {
    const here = byPiece.get(piece);
    if (here === undefined) continue;
    rewritten.set(piece, rewrite(text, mergeSpans(text, here), placeholders, fingerprints));
  }
  return rewritten;
}

function rewrite(
  text: string,
  spans: readonly RedactSpan[],
  placeholders: Placeholders,
  fingerprints: Fingerprints,
): string {
  let result = "";
  let position = 0;
  for (const { start, end, category, style } of spans) {
    const found = text.slice(start, end);
    result += text.slice(position, start) + replacement(found, category, style, { placeholders, fingerprints });
    position = end;
  }
  return result + text.slice(position);
}

/** Spans in order, none touching another's text. A merged span has the category of its longest part. */
export function mergeSpans(text: string, spans: readonly RedactSpan[]): RedactSpan[] {
  const whole = spans
    .filter(({ start, end }) => start < end)
    .map((span) => ({ ...span, ...wholeCharacters(text, span.start, span.end) }))
    .sort((a, b) => a.start - b.start || b.end - a.end || (a.category < b.category ? -1 : 1));
  const merged: RedactSpan[] = [];
  let longest = 0;
  for (const span of whole) {
    const last = merged.at(-1);
    const length = span.end - span.start;
    if (last === undefined || span.start >= last.end) {
      merged.push(span);
      longest = length;
      continue;
    }
    const style = styles.indexOf(span.style) > styles.indexOf(last.style) ? span.style : last.style;
    const category = length > longest ? span.category : last.category;
    longest = Math.max(longest, length);
    merged[merged.length - 1] = { ...last, end: Math.max(last.end, span.end), style, category };
  }
  return merged;
}

function replacement(
  found: string,
  category: string,
  style: RedactStyle,
  { placeholders, fingerprints }: { placeholders: Placeholders; fingerprints: Fingerprints },
): string {
  const points = [...found];
  switch (style) {
    case "remove":
      return "";
    case "placeholder":
      return placeholders.of(found, category);
    case "hash":
      return `[${labelOf(category)}:${fingerprints.of(found).slice(5, 13)}]`;
    case "mask":
      return "*".repeat(points.length);
    case "partial": {
      // A quarter at most, and never more than four: the last digits of a card, nothing of a short name.
      const kept = Math.min(4, Math.floor(points.length / 4));
      return "*".repeat(points.length - kept) + points.slice(points.length - kept).join("");
    }
  }
}

/** "[EMAIL_1]" for the first distinct e-mail address of a request, and so on. */
class Placeholders {
  readonly #given = new Map<string, string>();
  readonly #counts = new Map<string, number>();
  readonly #texts: readonly string[];
  #taken: ReadonlySet<string> | undefined;

  constructor(texts: readonly string[]) {
    this.#texts = texts;
  }

  of(found: string, category: string): string {
    const label = labelOf(category);
    const key = `${label}\u0000${found}`;
    let placeholder = this.#given.get(key);
    if (placeholder === undefined) {
      placeholder = this.#next(label);
      this.#given.set(key, placeholder);
    }
    return placeholder;
  }

  #next(label: string): string {
    // A placeholder that somebody wrote into the text must not be mistaken for one of ours.
    this.#taken ??= new Set(this.#texts.flatMap((text) => text.match(/\[[A-Z0-9_]{1,80}_\d{1,9}\]/g) ?? []));
    let count = this.#counts.get(label) ?? 0;
    let placeholder: string;
    do placeholder = `[${label}_${++count}]`;
    while (this.#taken.has(placeholder));
    this.#counts.set(label, count);
    return placeholder;
  }
}

/** "EMAIL" of "pii.email". */
function labelOf(category: string): string {
  const last = category.split(".").at(-1) ?? "";
  const label = last
    .toUpperCase()
    .replace(/[^A-Z0-9]+/g, "_")
    .slice(0, 64);
  return label === "" || label === "_" ? "REDACTED" : label;
}
