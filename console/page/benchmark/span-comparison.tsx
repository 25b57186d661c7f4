import type { BenchmarkResult } from "../../../gen/policyguard/control/v1/benchmark_pb.ts";
import type { SampleSpan } from "../../../gen/policyguard/control/v1/dataset_sample_pb.ts";
import { Facts } from "../../part/facts.tsx";
import { piecesOf } from "../../part/judgement/sample-piece.ts";
import layout from "../../part/layout/layout.module.css";
import { en } from "../../text/en.ts";
import { beginningOf } from "../../text/format.ts";
import type { FoundSample } from "./samples.ts";

const texts = en.benchmarks;
const maxShown = 80;

/** The spans that a sample states beside those that were found. */
export function SpanComparison({
  result: { expectedSpans, spans },
  found,
}: {
  readonly result: BenchmarkResult;
  readonly found: FoundSample;
}) {
  const pieces = typeof found === "string" ? [] : piecesOf(found.sample).map(({ text }) => text);
  return (
    <Facts
      facts={[
        [texts.expectedSpans, <Spans key="expected" spans={expectedSpans} pieces={pieces} />],
        [texts.foundSpans, <Spans key="found" spans={spans} pieces={pieces} />],
      ]}
    />
  );
}

function Spans({ spans, pieces }: { readonly spans: readonly SampleSpan[]; readonly pieces: readonly string[] }) {
  if (spans.length === 0) return en.common.none;
  return (
    <ul>
      {spans.map(({ segment, start, end, label }) => (
        <li key={`${segment} ${start} ${end} ${label}`} className={layout.wrap}>
          <code>{label}</code> {quoted(pieces[segment], start, end)}{" "}
          <span className={layout.dim}>{texts.spanPlace(start, end)}</span>
        </li>
      ))}
    </ul>
  );
}

/** What a span covers; nothing of a text that cannot be read. */
function quoted(text: string | undefined, start: number, end: number): string {
  if (text === undefined) return "";
  const whole = text.slice(start, end);
  const shown = beginningOf(whole, maxShown);
  return `“${shown}${shown.length < whole.length ? "…" : ""}”`;
}
