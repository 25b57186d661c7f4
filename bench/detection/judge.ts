// What judges a text: our detectors, and the baselines that anything has to beat.

import type { JsonObject } from "@bufbuild/protobuf";
import type { Row } from "../../models/training/row.ts";
import { detectorOf } from "../../runtime/engine/detectors/catalog.ts";
import type { TextSource } from "../../runtime/engine/detectors/detector.ts";
import { compileDetectors } from "../../runtime/engine/scan/scanner.ts";
import { shippedModels } from "../../src/kit/process/model-file.ts";

/** A text, and where in a conversation it stands. */
export type Sample = Pick<Row, "text" | "stage">;

/** Scores a text between 0 and 1. */
export interface Judge {
  readonly name: string;
  /** Score from which on a text is one of those that are looked for. */
  readonly threshold: number;
  readonly score: (sample: Sample) => number | Promise<number>;
}

const keywords =
  /ignore (?:all |the )?(?:previous|prior|above)|disregard|system prompt|jailbreak|developer mode|do anything now|pretend (?:to be|you are)|act as|bypass|override|forget (?:all|everything|your)/i;

/** Whose text it is, as the runtime tells by the stage: what tools answer and searches bring is a document. */
export function sourceOf({ stage }: Pick<Row, "stage">): TextSource {
  return stage === "tool_result" || stage === "retrieval" ? "document" : "chat";
}

/**
 * Detectors with these parameters, as one judge: each text at the operating point of its stage. The threshold is that
 * of the first one.
 */
export function detectorJudge(use: string, parameters: JsonObject = {}): Judge {
  const uses = use.split("+");
  const scanner = compileDetectors(
    uses.map((id) => ({ key: id, use: id, parameters })),
    { models: shippedModels() },
  );
  const levels = Object.values(parameters).filter((value) => typeof value === "string");
  return {
    name: [uses.join(" with "), ...levels].join(", "),
    threshold: detectorOf(uses[0] ?? use).definition.defaultThreshold,
    score: (sample) => {
      const found = scanner.scan(sample.text, undefined, sourceOf(sample));
      return uses.flatMap((id) => found.get(id) ?? []).reduce((most, detection) => Math.max(most, detection.score), 0);
    },
  };
}

/** Finds nothing. */
export const allowAll: Judge = { name: "allow all", threshold: 0.5, score: () => 0 };
/** Finds something in every text. */
export const blockAll: Judge = { name: "block all", threshold: 0.5, score: () => 1 };
/** The words that come to mind first when one thinks of attacks. */
export const attackWords: Judge = patternJudge("keywords", keywords);

/** A pattern as a judge. */
export function patternJudge(name: string, pattern: RegExp): Judge {
  return { name, threshold: 0.5, score: ({ text }) => (pattern.test(text) ? 1 : 0) };
}

/** The scores that a judge gives. */
export async function scoresOf(samples: readonly Sample[], { score }: Judge): Promise<number[]> {
  const scores: number[] = [];
  for (const sample of samples) scores.push(await score(sample));
  return scores;
}
