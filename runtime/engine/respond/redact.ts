// Rewrites text: the span of every match is replaced, overlapping spans as one, and equal text by the same placeholder.

import type { RedactStyle } from "../policy/document.ts";
import type { VaultEntry } from "../segment/session.ts";
import { wholeSpan } from "../text/offset.ts";
import type { Fingerprints } from "./fingerprint.ts";

/** A span of one segment that is to be replaced. Offsets are UTF-16 code units of its text. */
export interface RedactSpan {
  readonly segment: number;
  readonly start: number;
  readonly end: number;
  readonly category: string;
  readonly style: RedactStyle;
  /** Present when the original may be put back; `ttlMs` limits how long it is kept. */
  readonly reversible?: { readonly ttlMs: number | undefined } | undefined;
}

/** Originals of placeholders: those that the session already has, and those that are added. */
export interface Vault {
  /** Equal text keeps its placeholder over all turns of a session, and no other text gets it. */
  readonly kept: readonly VaultEntry[];
  readonly add: (entry: VaultEntry) => void;
}

/** Styles in order: from the one that leaves most of the text to the one that leaves least. */
const styles: readonly RedactStyle[] = ["partial", "mask", "hash", "placeholder", "remove"];

const nothing: ReadonlyMap<number, string> = new Map();

/** Rewrites the segments that have spans. The result maps the index of a segment to its new text. */
export function redact(
  texts: readonly string[],
  spans: readonly RedactSpan[],
  fingerprints: Fingerprints,
  vault?: Vault,
): ReadonlyMap<number, string> {
  if (spans.length === 0) return nothing;
  const redactor = new Redactor(fingerprints, vault);
  const bySegment = Map.groupBy(spans, ({ segment }) => segment);
  const rewritten = new Map<number, string>();
  for (const [segment, text] of texts.entries()) {
    const here = bySegment.get(segment);
    if (here === undefined) redactor.pass(text);
    else rewritten.set(segment, redactor.rewrite(text, mergeSpans(text, here)));
    redactor.endSegment();
  }
  return rewritten;
}

/** Rewrites text in reading order; the replacement of a span does not depend on later text. */
export class Redactor {
  readonly #placeholders: Placeholders;
  readonly #fingerprints: Fingerprints;

  constructor(fingerprints: Fingerprints, vault?: Vault) {
    this.#placeholders = new Placeholders(vault);
    this.#fingerprints = fingerprints;
  }

  /** Notes text that stays unchanged. */
  pass(text: string): string {
    this.#placeholders.note(text);
    return text;
  }

  /** Notes the end of a segment. */
  endSegment(): void {
    this.#placeholders.breakOff();
  }

  /** A text with its merged spans replaced. */
  rewrite(text: string, spans: readonly RedactSpan[]): string {
    const tools = { placeholders: this.#placeholders, fingerprints: this.#fingerprints };
    let result = "";
    let position = 0;
    for (const span of spans) {
      const { start, end } = span;
      result += this.pass(text.slice(position, start)) + replacement(text.slice(start, end), span, tools);
      this.#placeholders.breakOff();
      position = end;
    }
    return result + this.pass(text.slice(position));
  }
}

/**
 * The spans in order and without overlaps. A merged span has the category of its longest part; of equally long parts,
 * that of the one that begins first, then the one given first. Example: [0,5) "a" and [3,12) "b" become [0,12) "b".
 */
export function mergeSpans(text: string, spans: readonly RedactSpan[]): RedactSpan[] {
  const whole = spans
    .filter(({ start, end }) => start < end)
    .map((span) => ({ ...span, ...wholeSpan(text, span.start, span.end) }))
    .sort((a, b) => a.start - b.start || b.end - a.end);
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
    // When one of two overlapping rules forbids putting the original back, the merged span cannot be put back either.
    const reversible = last.reversible === undefined ? undefined : shorter(last.reversible, span.reversible);
    merged[merged.length - 1] = { ...last, end: Math.max(last.end, span.end), style, category, reversible };
  }
  return merged;
}

function shorter(a: NonNullable<RedactSpan["reversible"]>, b: RedactSpan["reversible"]): RedactSpan["reversible"] {
  if (b === undefined) return undefined;
  const ttlMs = Math.min(a.ttlMs ?? Number.POSITIVE_INFINITY, b.ttlMs ?? Number.POSITIVE_INFINITY);
  return { ttlMs: Number.isFinite(ttlMs) ? ttlMs : undefined };
}

function replacement(
  found: string,
  { category, style, reversible }: RedactSpan,
  { placeholders, fingerprints }: { placeholders: Placeholders; fingerprints: Fingerprints },
): string {
  const points = [...found];
  switch (style) {
    case "remove":
      return "";
    case "placeholder":
      return placeholders.of(found, category, reversible);
    case "hash":
      return `[${labelOf(category)}:${fingerprints.of(found).slice(5, 13)}]`;
    case "mask":
      return "*".repeat(points.length);
    case "partial": {
      // At most a quarter, and never more than four characters: the last digits of a card number, nothing of a short
      // name.
      const kept = Math.min(4, Math.floor(points.length / 4));
      return "*".repeat(points.length - kept) + points.slice(points.length - kept).join("");
    }
  }
}

const written = /\[[A-Z0-9_]{1,80}_\d{1,9}\]/g;
const maxPlaceholderLength = 92;

/** "[EMAIL_1]" for the first distinct e-mail address of a request, and so on. */
class Placeholders {
  readonly #given = new Map<string, string>();
  readonly #counts = new Map<string, number>();
  readonly #vault: Vault | undefined;
  readonly #stored = new Set<string>();
  /** Placeholders that the text already contains; new ones must differ from them. */
  readonly #taken: Set<string>;
  /** The end of the noted text, in which a placeholder may have begun. */
  #noted = "";

  constructor(vault: Vault | undefined) {
    this.#vault = vault;
    this.#taken = new Set((vault?.kept ?? []).map(({ placeholder }) => placeholder));
    for (const { placeholder, original, category } of vault?.kept ?? []) {
      this.#given.set(keyOf(original, category, true), placeholder);
    }
  }

  /** Notes text that stays unchanged and continues the text noted before. */
  note(text: string): void {
    const all = this.#noted + text;
    if (all.includes("]")) for (const [placeholder] of all.matchAll(written)) this.#taken.add(placeholder);
    const open = all.lastIndexOf("[");
    this.#noted = open < 0 || all.length - open > maxPlaceholderLength ? "" : all.slice(open);
  }

  /** Marks that the next text does not continue the last one. */
  breakOff(): void {
    this.#noted = "";
  }

  of(found: string, category: string, reversible: RedactSpan["reversible"]): string {
    // Reversible and irreversible text never share a placeholder.
    const key = keyOf(found, category, reversible !== undefined);
    let placeholder = this.#given.get(key);
    if (placeholder === undefined) {
      placeholder = this.#next(labelOf(category));
      this.#given.set(key, placeholder);
    }
    if (reversible !== undefined && !this.#stored.has(placeholder)) {
      this.#stored.add(placeholder);
      this.#vault?.add({ placeholder, original: found, category, ttlMs: reversible.ttlMs });
    }
    return placeholder;
  }

  #next(label: string): string {
    let count = this.#counts.get(label) ?? 0;
    let placeholder: string;
    do placeholder = `[${label}_${++count}]`;
    while (this.#taken.has(placeholder));
    this.#counts.set(label, count);
    return placeholder;
  }
}

function keyOf(found: string, category: string, isReversible: boolean): string {
  return `${isReversible ? "r" : ""}\u0000${labelOf(category)}\u0000${found}`;
}

/** What placeholders call a category: "EMAIL" is that of "pii.email". */
export function labelOf(category: string): string {
  const last = category.split(".").at(-1) ?? "";
  const label = last
    .toUpperCase()
    .replace(/[^A-Z0-9]+/g, "_")
    .slice(0, 64);
  return label === "" || label === "_" ? "REDACTED" : label;
}
