// What judges a text: our detectors, and the baselines that anything has to beat.

import type { Row } from "../../models/training/row.ts";
import type { TextSource } from "../../runtime/engine/detector.ts";
import { compileDetectors } from "../../runtime/engine/scanner.ts";
import { shippedModels } from "../../src/kit/model-file.ts";

/** A text, and where in a conversation it stands. */
export type Sample = Pick<Row, "text" | "stage">;

/** Scores a text between 0 and 1; 0.5 and more is an attack. */
export interface Judge {
  readonly name: string;
  readonly score: (sample: Sample) => number | Promise<number>;
}

const keywords =
  /ignore (?:all |the )?(?:previous|prior|above)|disregard|system prompt|jailbreak|developer mode|do anything now|pretend (?:to be|you are)|act as|bypass|override|forget (?:all|everything|your)/i;

/** Whose text it is, as the runtime tells by the stage: what tools answer and searches bring is a document. */
export function sourceOf({ stage }: Pick<Row, "stage">): TextSource {
  return stage === "tool_result" || stage === "retrieval" ? "document" : "chat";
}

/** Detectors with these parameters, as one judge: each text at the operating point of its stage. */
export function detectorJudge(use: string, parameters: Readonly<Record<string, string>> = {}): Judge {
  const uses = use.split("+");
  const scanner = compileDetectors(
    uses.map((id) => ({ key: id, use: id, parameters })),
    { models: shippedModels() },
  );
  return {
    name: [uses.join(" with "), ...Object.values(parameters)].join(", "),
    score: (sample) => {
      const found = scanner.scan(sample.text, undefined, sourceOf(sample));
      return uses.flatMap((id) => found.get(id) ?? []).reduce((most, detection) => Math.max(most, detection.score), 0);
    },
  };
}

/** What anybody could do. */
export const baselines: readonly Judge[] = [
  { name: "allow all", score: () => 0 },
  { name: "block all", score: () => 1 },
  { name: "keywords", score: ({ text }) => (keywords.test(text) ? 1 : 0) },
];

/** The scores that a judge gives. */
export async function scoresOf(samples: readonly Sample[], { score }: Judge): Promise<number[]> {
  const scores: number[] = [];
  for (const sample of samples) scores.push(await score(sample));
  return scores;
}
