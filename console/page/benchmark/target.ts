// What benchmarks measure, in words.

import type { BenchmarkTarget } from "../../../gen/policyguard/control/v1/benchmark_pb.ts";
import { type BenchmarkMismatch, BenchmarkMismatchSchema } from "../../../gen/policyguard/control/v1/benchmark_pb.ts";
import { wireNames } from "../../data/wire-name.ts";

/** How a result differs from what is right. */
export const mismatches = wireNames<BenchmarkMismatch>(BenchmarkMismatchSchema);

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
