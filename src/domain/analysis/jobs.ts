// All jobs of analysis: pure functions of plain data that run the engine on documents of customers.

import { compareBaseline, compareSamples } from "./benchmark/compare-samples.ts";
import { judgeSamples } from "./benchmark/judge-samples.ts";
import { measureSamples } from "./benchmark/measure-samples.ts";
import { probeRule, proposeThreshold } from "./calibration/probe-rule.ts";
import { scoreSamples, scoreTraces } from "./calibration/score-rule.ts";
import { checkKeywords } from "./check-keywords.ts";
import { checkPolicy } from "./check-policy.ts";
import { checkRelease, retestBundle } from "./check-release.ts";
import { checkOutput, checkSchema } from "./check-schema.ts";
import { compareBundles } from "./compare-bundles.ts";
import { diffDraft, diffVersions } from "./diff-versions.ts";
import { enforcedCategories } from "./language-needs.ts";
import { planPack } from "./plan-pack.ts";
import { replayBundle, replayPolicy } from "./replay-trace.ts";
import { checkReplay, replayTraces } from "./replay-traces.ts";
import { rulesInForce } from "./rules-in-force.ts";
import { searchTexts } from "./search-texts.ts";
import { explainBundle, explainPolicy, tryPolicy } from "./try-policy.ts";

/** The jobs by their names. */
export const jobs = {
  checkPolicy,
  checkKeywords,
  tryPolicy,
  explainPolicy,
  explainBundle,
  diffDraft,
  diffVersions,
  compareBundles,
  checkSchema,
  checkOutput,
  enforcedCategories,
  planPack,
  checkRelease,
  retestBundle,
  replayPolicy,
  replayBundle,
  searchTexts,
  checkReplay,
  replayTraces,
  judgeSamples,
  measureSamples,
  compareSamples,
  compareBaseline,
  probeRule,
  proposeThreshold,
  scoreSamples,
  scoreTraces,
  rulesInForce,
} as const;

/** A job's name. */
export type JobName = keyof typeof jobs;
/** The input of a job. */
export type JobInput<Name extends JobName> = Parameters<(typeof jobs)[Name]>[0];
/** The result of a job. */
export type JobOutput<Name extends JobName> = ReturnType<(typeof jobs)[Name]>;
