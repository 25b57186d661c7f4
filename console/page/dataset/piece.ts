// What a row of the list shows of a sample: its beginning, with the spans that lie in it.

import type { Sample } from "../../../gen/policyguard/control/v1/dataset_sample_pb.ts";
import type { Span } from "../../part/judgement/span.ts";

const maxShown = 400;
const maxName = 60;

/** The first of the sample's texts. Offsets of its spans count UTF-16 code units, as the text does. */
export function pieceOf({ text, segments, toolCalls, spans }: Sample): {
  readonly text: string;
  readonly spans: readonly Span[];
} {
  const all = text ?? segments[0]?.text ?? toolCalls.map((call) => `${call.name}(${argumentsOf(call)})`).join("\n");
  const shown = all.length > maxShown ? `${all.slice(0, maxShown)}…` : all;
  const marked = spans
    .filter(({ segment, start }) => segment === 0 && start < maxShown)
    .map(({ start, end, label }) => ({ start, end: Math.min(end, maxShown), label, outcome: "FLAG" as const }));
  return { text: shown, spans: marked };
}

/** What tells a sample from the others of its list, in one line. */
export function nameOf(sample: Sample): string {
  const line = pieceOf(sample).text.replace(/\s+/g, " ");
  return line.length > maxName ? `${line.slice(0, maxName)}…` : line;
}

function argumentsOf({ arguments: given }: Sample["toolCalls"][number]): string {
  return given === undefined ? "" : JSON.stringify(given);
}
