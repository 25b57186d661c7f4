// What benchmarks measure, in words.

import type { BenchmarkTarget } from "../../../gen/policyguard/control/v1/benchmark_pb.ts";
import { BenchmarkMismatch, BenchmarkVerdict } from "../../../gen/policyguard/control/v1/benchmark_pb.ts";

/** Which results a page shows, by the name in its address: mistakes first. */
export const shownResults = {
  fn: { verdict: BenchmarkVerdict.FN },
  fp: { verdict: BenchmarkVerdict.FP },
  span: { mismatch: BenchmarkMismatch.SPAN },
  missing: { verdict: BenchmarkVerdict.MISSING },
  tp: { verdict: BenchmarkVerdict.TP },
  tn: { verdict: BenchmarkVerdict.TN },
  unscored: { verdict: BenchmarkVerdict.UNSCORED },
} as const;
/** Which results a page shows. */
export type ShownResults = keyof typeof shownResults;
/** The names of the results to choose from. */
export const resultNames = Object.keys(shownResults) as ShownResults[];

/** "prod v12", "injection", "support-bot v7"; names are those that `policyName` knows. */
export function targetText(target: BenchmarkTarget | undefined, policyName: (id: string) => string): string {
  const { policy, bundle, detector } = target ?? {};
  if (policy !== undefined) return withVersion(policyName(policy.policyId), policy.version);
  if (bundle !== undefined) return withVersion(bundle.environment, bundle.version);
  return detector?.use ?? "YAML";
}

function withVersion(name: string, version: number | undefined): string {
  return version === undefined ? name : `${name} v${version}`;
}
