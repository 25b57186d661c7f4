// The two live runtimes that vectors of evaluations are played on.

import type { EvaluateVector } from "../../../gen/policyguard/testing/v1/evaluate_vector_pb.ts";
import { bundleOf, type EvaluateStage, startEvaluateStage } from "./evaluate-stage.ts";

/** A runtime whose bundle changes from vector to vector, and one that has none. */
export interface EvaluateStages {
  readonly live: EvaluateStage;
  /** Puts the bundle of a vector into force, and gives the runtime that it is for. */
  play(vector: EvaluateVector): Promise<EvaluateStage>;
  stop(): Promise<void>;
}

/** Starts both. */
export async function startEvaluateStages(): Promise<EvaluateStages> {
  const live = await startEvaluateStage();
  const bare = await startEvaluateStage();
  return {
    live,
    async play(vector) {
      if (vector.withoutBundle) return bare;
      await live.adopt(await bundleOf(vector));
      return live;
    },
    async stop() {
      await live.stop();
      await bare.stop();
    },
  };
}
