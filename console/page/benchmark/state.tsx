import type { Benchmark } from "../../../gen/policyguard/control/v1/benchmark_pb.ts";
import { RunState } from "../../../gen/policyguard/control/v1/run_pb.ts";
import { Badge } from "../../part/badge.tsx";
import { en } from "../../text/en.ts";
import { runStates } from "./target.ts";

const texts = en.benchmarks;
const tones = new Map<RunState, "good" | "bad" | "notice">([
  [RunState.SUCCEEDED, "good"],
  [RunState.FAILED, "bad"],
  [RunState.RUNNING, "notice"],
]);

/** How far a benchmark is. */
export function BenchmarkState({ benchmark: { state, progress } }: { readonly benchmark: Benchmark }) {
  const name = runStates.nameOf(state);
  return (
    <>
      <Badge tone={tones.get(state) ?? "plain"}>{texts.states[name] ?? name}</Badge>{" "}
      {state === RunState.RUNNING && progress !== undefined && texts.progress(progress.done, progress.total)}
    </>
  );
}
