// What a row of a list shows of a sample: its beginning, with the spans that lie in it.

import { beginningOf } from "../../text/format.ts";
import type { Span } from "./span.ts";

const maxShown = 400;
const maxName = 60;

/** What a sample consists of: a text, segments, or calls of tools. */
export interface SampleTexts {
  readonly text?: string | undefined;
  readonly segments: readonly { readonly role?: string | undefined; readonly text: string }[];
  readonly toolCalls: readonly { readonly name: string; readonly arguments?: unknown }[];
  readonly spans: readonly {
    readonly segment: number;
    readonly start: number;
    readonly end: number;
    readonly label: string;
  }[];
}

/** A text of a sample, with the spans that lie in it. Offsets count UTF-16 code units. */
export interface SamplePiece {
  /** Who says it; absent where the sample does not say. */
  readonly role?: string | undefined;
  readonly text: string;
  readonly spans: readonly Span[];
}

/** All texts of a sample, in their order; none of one of which no text was kept. */
export function piecesOf({ text, segments, toolCalls, spans }: SampleTexts): readonly SamplePiece[] {
  const calls = toolCalls.map((call) => `${call.name}(${argumentsOf(call)})`).join("\n");
  const texts =
    text === undefined ? (segments.length > 0 ? segments : calls === "" ? [] : [{ text: calls }]) : [{ text }];
  return texts.map((piece, at) => ({
    ...piece,
    spans: spans
      .filter(({ segment }) => segment === at)
      .map(({ start, end, label }) => ({ start, end, label, outcome: "FLAG" as const })),
  }));
}

/** The beginning of the first of the sample's texts. */
export function pieceOf(sample: SampleTexts): SamplePiece {
  const { text, spans } = piecesOf(sample)[0] ?? { text: "", spans: [] };
  if (text.length <= maxShown) return { text, spans };
  const shown = beginningOf(text, maxShown);
  const within = spans.filter(({ start }) => start < shown.length);
  return {
    text: `${shown}…`,
    spans: within.map((span) => ({ ...span, end: Math.min(span.end, shown.length) })),
  };
}

/** What tells a sample from the others of its list, in one line. */
export function nameOf(sample: SampleTexts): string {
  const line = pieceOf(sample).text.replace(/\s+/g, " ");
  return line.length > maxName ? `${beginningOf(line, maxName)}…` : line;
}

function argumentsOf({ arguments: given }: SampleTexts["toolCalls"][number]): string {
  return given === undefined ? "" : JSON.stringify(given);
}
