import { type OutcomeName, outcomes } from "./outcome-name.ts";

/** A marked stretch of a text; offsets in UTF-16 units, the end exclusive. */
export interface Span {
  readonly start: number;
  readonly end: number;
  readonly outcome: OutcomeName;
  /** What was found, such as "pii.email 0.99". */
  readonly label: string;
  /** The number of its row in a list of findings, from 0, where it is in one. */
  readonly row?: number;
}

/** A piece of a text over which the same spans lie. */
export interface Piece {
  readonly start: number;
  readonly text: string;
  /** The spans over it, the gravest first; no more than are named. */
  readonly spans: readonly Span[];
  /** How many lie over it, named or not. */
  readonly count: number;
  /** Its underlines, that nearest to the text first; a height may be empty. */
  readonly lines: readonly (OutcomeName | undefined)[];
}

/** A text in pieces, and how many of its spans are not marked, since they would cut it into too many. */
export interface Pieces {
  readonly pieces: readonly Piece[];
  readonly leftOut: number;
}

/** Each piece is some elements of the page. */
const maxPieces = 500;
const maxNamed = 10;
/** More underlines cannot be told apart. */
const maxLines = 3;

interface Writable extends Piece {
  readonly spans: Span[];
  count: number;
  readonly lines: (OutcomeName | undefined)[];
}

/**
 * The text in pieces. Of overlapping spans the gravest comes first, then the shorter one: the longer one has other
 * pieces. An underline keeps its height over the whole of its span. Spans are cut to the text and hold whole characters.
 */
export function segmentsOf(text: string, spans: readonly Span[]): Pieces {
  const { within, cuts, leftOut } = cutBy(text, spans);
  const pieces = cuts.slice(0, -1).map((start, at): Writable => {
    return { start, text: text.slice(start, cuts[at + 1]), spans: [], count: 0, lines: [] };
  });
  const places = new Map(cuts.map((cut, at) => [cut, at]));
  for (const { span, start, end } of within) lay(span, pieces.slice(places.get(start), places.get(end)));
  for (const { spans: over, lines } of pieces) if (lines.length === 0 && over[0]) lines.push(over[0].outcome);
  return { pieces, leftOut };
}

/**
 * The spans with something of the text in them, in the order of their pieces, and where they cut it. Where they are too
 * many, the gravest are taken, and of those the longer ones, which mark more.
 */
function cutBy(text: string, spans: readonly Span[]) {
  const all = spans
    .filter(({ start, end }) => start < end)
    .map((span) => ({ span, start: wholeFrom(text, span.start), end: wholeTo(text, span.end) }))
    .filter(({ start, end }) => start < end)
    .toSorted((a, b) => gravity(b.span) - gravity(a.span) || lengthOf(b) - lengthOf(a));
  const cuts = new Set([0, text.length]);
  const within = all.filter(({ start, end }) => {
    const added = [start, end].filter((cut) => !cuts.has(cut));
    if (cuts.size + added.length > maxPieces + 1) return false;
    for (const cut of added) cuts.add(cut);
    return true;
  });
  within.sort((a, b) => gravity(b.span) - gravity(a.span) || lengthOf(a) - lengthOf(b));
  return { within, cuts: [...cuts].toSorted((a, b) => a - b), leftOut: all.length - within.length };
}

/** Lays a span over its pieces, and underlines them at the first height that is free in all of them. */
function lay(span: Span, over: readonly Writable[]): void {
  for (const piece of over) {
    if (piece.count < maxNamed) piece.spans.push(span);
    piece.count += 1;
  }
  for (let height = 0; height < maxLines; height++) {
    if (over.some(({ lines }) => lines[height] !== undefined)) continue;
    for (const { lines } of over) lines[height] = span.outcome;
    return;
  }
}

function wholeFrom(text: string, offset: number): number {
  return offset <= 0 ? 0 : offset - (isInCharacter(text, offset) ? 1 : 0);
}

function wholeTo(text: string, offset: number): number {
  return Math.min(text.length, offset + (isInCharacter(text, offset) ? 1 : 0));
}

/** Whether an offset is between the two halves of a character. */
function isInCharacter(text: string, offset: number): boolean {
  return (text.codePointAt(offset - 1) ?? 0) > 0xffff;
}

function lengthOf({ start, end }: { readonly start: number; readonly end: number }): number {
  return end - start;
}

function gravity({ outcome }: Span): number {
  return outcomes.indexOf(outcome);
}
