// Explains what came of detector backends in a segment, and why one was not asked.

import { create } from "@bufbuild/protobuf";
import { type ExplainedBackend, ExplainedBackendSchema } from "../../../gen/policyguard/policy/v1/explanation_pb.ts";
import type { Voice } from "../evaluate/backend-voice.ts";

/** Explains one voice. */
export function explainBackend(voice: Voice): ExplainedBackend {
  const { detectors, use, reason, score, ownScore } = voice;
  return create(ExplainedBackendSchema, {
    ...{ detectors: [...detectors], backend: use.key, reason: reason ?? "", text: sentenceOf(voice) },
    ...(score !== undefined && { score }),
    ...(ownScore !== undefined && { ownScore }),
  });
}

/** One sentence for people. */
function sentenceOf({ use: { ask = {} }, reason, score = 0, ownScore = 0 }: Voice): string {
  const { stages = [], origins = [], between = [0, 1] } = ask;
  switch (reason) {
    case undefined:
      return `it answered; its highest score is ${rounded(score)}`;
    case "model_text_limit":
      return `it answered about a part of the text; its highest score is ${rounded(score)}`;
    case "stage":
      return `it was not asked: the policy asks it at ${stages.join(", ")} only`;
    case "origin":
      return `it was not asked: the policy asks it about origins ${origins.join(", ")} only`;
    case "between":
      return `it was not asked: the detector's own score ${rounded(ownScore)} is not between ${between.join(" and ")}`;
    case "no_rule":
      return "it was not asked: no rule of this stage asks it";
    case "backend_unavailable":
      return "it was not asked: nobody asks backends here";
    case "timeout":
      return "it gave no answer within its budget, or none of the budget was left to ask it";
    case "model_busy":
      return "it was not asked: its answer could not have come within its budget";
    case "circuit_open":
      return "it was not asked: it failed repeatedly, and is left alone for a while";
    default:
      return `it gave no answer: ${reason}`;
  }
}

function rounded(score: number): string {
  return String(Math.round(score * 10_000) / 10_000);
}
