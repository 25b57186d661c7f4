import { type OutcomeName, outcomes } from "./outcome-name.ts";

/** A marked stretch of a text; offsets in UTF-16 units, the end exclusive. */
export interface Span {
  readonly start: number;
  readonly end: number;
  readonly outcome: OutcomeName;
  /** What was found, such as "pii.email 0.99". */
  readonly label: string;
}

/** A piece of a text with the span that marks it. */
export interface Piece {
  readonly start: number;
  readonly text: string;
  readonly span: Span | undefined;
}

/**
 * The text in pieces, each of one span or of none. Where spans overlap the gravest outcome wins, then the longer span.
 * Spans outside of the text are cut to it.
 */
export function segmentsOf(text: string, spans: readonly Span[]): Piece[] {
  const within = spans
    .map((span) => ({ ...span, start: Math.max(0, span.start), end: Math.min(text.length, span.end) }))
    .filter(({ start, end }) => start < end)
    .toSorted((a, b) => gravity(b) - gravity(a) || b.end - b.start - (a.end - a.start));
  const cuts = [...new Set([0, text.length, ...within.flatMap(({ start, end }) => [start, end])])].toSorted(
    (a, b) => a - b,
  );
  const pieces: Piece[] = [];
  for (const [at, start] of cuts.entries()) {
    const end = cuts[at + 1];
    if (end === undefined) break;
    const span = within.find((each) => each.start <= start && each.end >= end);
    const last = pieces.at(-1);
    if (last !== undefined && last.span === span)
      pieces[pieces.length - 1] = { ...last, text: last.text + text.slice(start, end) };
    else pieces.push({ start, text: text.slice(start, end), span });
  }
  return pieces;
}

function gravity({ outcome }: Span): number {
  return outcomes.indexOf(outcome);
}
