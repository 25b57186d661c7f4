// Runs a whole stream at once, for the tests of policies.

import type { EvaluateRequest } from "../../../gen/policyguard/policy/v1/evaluation_pb.ts";
import type { EvaluationContext } from "../evaluate/context.ts";
import type { Evaluation } from "../evaluate/evaluation.ts";
import type { EngineStream } from "./stream.ts";

/** The text that a stream released, and its verdict. */
export interface StreamedText {
  readonly released: string;
  readonly evaluation: Evaluation;
}

/** Runs chunks through a stream. The request has no text of its own. */
export function streamText(
  engine: { readonly openStream: (request: EvaluateRequest, context: EvaluationContext) => EngineStream },
  request: EvaluateRequest,
  context: EvaluationContext,
  chunks: readonly string[],
): StreamedText {
  const stream = engine.openStream(request, context);
  const released = chunks.map((chunk) => stream.push(chunk).released).join("");
  const end = stream.finish();
  return { released: released + end.released, evaluation: end.evaluation };
}
