// What came of one sample of a benchmark, whoever predicts.

import type { NewBenchmarkResult } from "../../../store/measure/benchmark/benchmark-result.ts";
import type { StoredSample } from "../../../store/measure/dataset/dataset-sample.ts";
import type { JudgedSample } from "../../analysis/benchmark/judge-samples.ts";
import {
  foundBy,
  type PositiveRule,
  type Prediction,
  scoreOf,
  truthOf,
  verdictOf,
} from "../../analysis/benchmark/prediction.ts";
import type { SampleFact } from "../../analysis/benchmark/sample-fact.ts";
import { matchSpans } from "../../analysis/benchmark/span-match.ts";
import type { SampleContent } from "../dataset/sample-content.ts";

/** A sample as benchmarks read it. */
export interface ReadSample {
  readonly row: StoredSample;
  readonly content: SampleContent;
}

/** What is judged of a sample. */
export function textOf({ text, segments, toolCalls, stage, language }: SampleContent) {
  return { text, segments, toolCalls, stage, language };
}

/** What came of a sample, by what somebody says about it. */
export function resultOf(
  { row, content }: ReadSample,
  judged: JudgedSample | undefined,
  rule: PositiveRule,
): NewBenchmarkResult {
  const prediction: Prediction | null = judged?.prediction ?? null;
  const truth = truthOf(content, rule);
  const found = prediction && foundBy(prediction, rule);
  const { stage, language, labels, tags, group, mustMatch, mustNotMatch, spans: expectedSpans } = content;
  const unjudged = prediction?.unjudged ?? [];
  const fact: SampleFact = {
    ...{ id: row.sampleId, truth, found, outcome: prediction?.outcome ?? null },
    score: prediction && scoreOf(prediction, rule),
    why: found === null ? (prediction?.error ?? unjudged[0] ?? "no_prediction") : null,
    ...{ stage, language, labels, tags, group, mustMatch, mustNotMatch, expectedSpans },
    foundLabels: prediction?.labels ?? [],
    rules: prediction?.rules ?? [],
    detectors: prediction?.detectors ?? [],
    spans: prediction?.spans ?? [],
    isUnjudged: unjudged.length > 0,
    hasKeyword: judged?.hasKeyword ?? false,
    latencyUs: prediction?.latencyUs ?? null,
  };
  return {
    ...{ sampleId: row.sampleId, verdict: verdictOf(truth, found), fact: JSON.stringify(fact) },
    hasWrongSpans: expectedSpans.length > 0 && differs(fact, rule),
  };
}

function differs({ expectedSpans, spans }: SampleFact, { labelMap }: PositiveRule): boolean {
  const { fp, fn } = matchSpans(expectedSpans, spans, { nearness: "exact", labelMap });
  return fp + fn > 0;
}
