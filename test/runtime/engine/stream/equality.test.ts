// A stream lets through what P(text) says and ends with the verdict of the whole text, whatever the policy, the text
// and the chunks.

import { toJsonString } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { EvaluateResponseSchema } from "../../../../gen/policyguard/policy/v1/evaluation_pb.ts";
import { Stage } from "../../../../gen/policyguard/policy/v1/outcome_pb.ts";
import { type Random, seededRandom } from "../../../../runtime/engine/authoring/seeded-random.ts";
import { reportSample, sampleOf } from "../../../../scripts/assurance/sample.ts";
import { callsFromParts, sampleCalls } from "./sample-call.ts";
import { policySource } from "./sample-policy.ts";
import { chunksOf, oneOf, streamEngine, streamed, whole } from "./sample-stream.ts";
import { sampleText } from "./sample-text.ts";

const sample = sampleOf({ n: 500, seed: 11 });
/** Policies are compiled, which takes longer than to evaluate: each is tried with several texts. */
const textsPerPolicy = 24;
/** The moments whose texts come as streams. */
const stages = [Stage.OUTPUT, Stage.INPUT, Stage.TOOL_RESULT];

describe("a stream", () => {
  it("equals the unary answer for generated policies, texts and chunkings", () => {
    const failures: string[] = [];
    for (let run = 0; run < sample.n; run += textsPerPolicy) {
      const random = seededRandom(sample.seed * 1_000_003 + run);
      const source = policySource(random);
      const engine = streamEngine(source);
      for (let i = 0; i < textsPerPolicy && run + i < sample.n; i++) {
        const text = sampleText(random);
        const stage = oneOf(stages, random);
        const difference = compare(engine, text, stage, random);
        if (difference !== undefined)
          failures.push(JSON.stringify({ run: run + i, source, stage, text, ...difference }));
      }
    }
    reportSample({ n: sample.n, failures: failures.length });
    expect(failures.slice(0, 3)).toEqual([]);
  });
});

function compare(engine: ReturnType<typeof streamEngine>, text: string, stage: Stage, random: Random) {
  const chunks = chunksOf(text, random);
  const toolCalls = sampleCalls(random);
  const got = streamed(engine, chunks, { stage, toolCalls: callsFromParts(toolCalls, random) });
  const want = whole(engine, text, { stage, toolCalls });
  if (got.released !== want.released) return { chunks, got: got.released, want: want.released };
  const [gotAnswer, wantAnswer] = [got, want].map(({ evaluation }) =>
    toJsonString(EvaluateResponseSchema, evaluation.response),
  );
  return gotAnswer === wantAnswer ? undefined : { chunks, gotAnswer, wantAnswer };
}
