import type { Benchmark } from "../../../gen/policyguard/control/v1/benchmark_pb.ts";
import { RunState } from "../../../gen/policyguard/control/v1/run_pb.ts";
import { runStates, runTone } from "../../data/run.ts";
import { Badge } from "../../part/badge.tsx";
import { en } from "../../text/en.ts";

const texts = en.benchmarks;

/** How far a benchmark is. */
export function BenchmarkState({ benchmark: { state, progress } }: { readonly benchmark: Benchmark }) {
  const name = runStates.nameOf(state);
  return (
    <>
      <Badge tone={runTone(state)}>{texts.states[name] ?? name}</Badge>{" "}
      {state === RunState.RUNNING && progress !== undefined && texts.progress(progress.done, progress.total)}
    </>
  );
}
