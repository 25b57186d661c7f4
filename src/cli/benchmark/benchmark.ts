// What the commands about benchmarks share: what is measured, and what is printed of it.

import { fromJson, type MessageInitShape } from "@bufbuild/protobuf";
import { ValueSchema } from "@bufbuild/protobuf/wkt";
import type { Benchmark, BenchmarkTargetSchema } from "../../../gen/policyguard/control/v1/benchmark_pb.ts";
import { canonicalPolicy } from "../../../runtime/engine/policy/parse.ts";
import { intervalText } from "../../kit/report/benchmark-facts.ts";
import { refusal, usageFailure } from "../failure.ts";
import { columns, type Output, shown } from "../output.ts";
import { findPolicyFiles, readPolicyFiles, requirePolicies } from "../policy-file.ts";
import { findPolicy, type Organization, projectIdOf } from "../server.ts";

/**
 * What a target names: "file:PATH", "policy:NAME[@VERSION]", "bundle:PROJECT/ENV[@VERSION]", "detector:NAME" or
 * "predictions:NAME[@VERSION]".
 */
export async function targetOf(
  server: Organization,
  given: string,
): Promise<MessageInitShape<typeof BenchmarkTargetSchema>> {
  const [, kind = "", rest = ""] = /^([a-z]+):(.+)$/s.exec(given) ?? [];
  if (kind === "file") return { document: documentIn(rest) };
  if (kind === "detector") return { detector: { use: rest } };
  if (kind === "predictions") {
    const [, who = rest, which] = /^(.+?)@(.+)$/s.exec(rest) ?? [];
    return { predictions: { name: who, version: which } };
  }
  const [, name = rest, digits] = /^(.*)@(\d{1,9})$/s.exec(rest) ?? [];
  const version = digits === undefined ? undefined : Number(digits);
  if (kind === "policy") {
    const policy = await findPolicy(server, name);
    if (policy === undefined) throw refusal("not_found", `there is no policy "${name}"`);
    return { policy: { policyId: policy.id, version } };
  }
  const slash = name.lastIndexOf("/");
  if (kind !== "bundle" || slash < 1) {
    const hint =
      "It is file:PATH, policy:NAME[@VERSION], bundle:PROJECT/ENV[@VERSION], detector:NAME or predictions:NAME[@VERSION].";
    throw usageFailure(`--target does not take "${given}"`, hint);
  }
  const projectId = await projectIdOf(server, name.slice(0, slash));
  return { bundle: { projectId, environment: name.slice(slash + 1), version } };
}

function documentIn(path: string) {
  const [file, ...others] = requirePolicies(readPolicyFiles(findPolicyFiles([path]).files));
  if (file === undefined || others.length > 0) throw usageFailure("one policy is measured at a time");
  return fromJson(ValueSchema, canonicalPolicy(file.policy));
}

/** Prints what has come of a benchmark. */
export function printBenchmark({ id, report }: Benchmark, output: Output): void {
  const { samples = 0, tp = 0, fp = 0, tn = 0, fn = 0, missing = 0, unscored = 0 } = report?.overall ?? {};
  output.line(`benchmark ${id}: ${samples} samples, ${unscored} of them unscored, ${missing} missing`);
  output.line(`  found ${tp}, missed ${fn}; found wrongly ${fp}, rightly not found ${tn}`);
  const { precision, recall, falsePositiveRate, f1 } = report?.overall ?? {};
  const rows = [
    ["recall", intervalText(recall)],
    ["false positive rate", intervalText(falsePositiveRate)],
    ["precision", intervalText(precision)],
    ["F1", intervalText(f1)],
  ];
  for (const line of columns(rows)) output.line(`  ${line}`);
  for (const { by, value, metrics } of report?.slices ?? []) {
    if (by !== "language" && by !== "label") continue;
    const share = intervalText(metrics?.recall ?? metrics?.falsePositiveRate);
    output.line(`  ${shown(`${by} ${value}`)}: ${metrics?.recall ? "recall" : "false positive rate"} ${share}`);
  }
  if (report !== undefined && report.trainingOverlap > 0)
    output.note(`${report.trainingOverlap} of the samples were trained on: they look better than they are.`);
  for (const [label, samples] of Object.entries(report?.unmappedLabels ?? {}))
    output.note(`label_map has no entry for "${shown(label)}" of ${samples} samples to be found.`);
  for (const label of report?.unusedLabels ?? [])
    output.note(`No sample has the label "${shown(label)}" of label_map.`);
  output.line(`  digest ${report?.resultDigest ?? ""}`);
}
