// What judges a text: our detector, and the baselines that anything has to beat.

import { compileDetectors } from "../../runtime/engine/scanner.ts";
import { shippedModels } from "../../src/kit/model-file.ts";

/** Scores a text between 0 and 1; 0.5 and more is an attack. */
export interface Judge {
  readonly name: string;
  readonly score: (text: string) => number;
}

const keywords =
  /ignore (?:all |the )?(?:previous|prior|above)|disregard|system prompt|jailbreak|developer mode|do anything now|pretend (?:to be|you are)|act as|bypass|override|forget (?:all|everything|your)/i;

/** A detector with these parameters. */
export function detectorJudge(use: string, parameters: Readonly<Record<string, string>> = {}): Judge {
  const scanner = compileDetectors([{ key: use, use, parameters }], { models: shippedModels() });
  return {
    name: [use, ...Object.values(parameters)].join(", "),
    score: (text) => (scanner.scan(text).get(use) ?? []).reduce((most, { score }) => Math.max(most, score), 0),
  };
}

/** What anybody could do. */
export const baselines: readonly Judge[] = [
  { name: "allow all", score: () => 0 },
  { name: "block all", score: () => 1 },
  { name: "keywords", score: (text) => (keywords.test(text) ? 1 : 0) },
];
