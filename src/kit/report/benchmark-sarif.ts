// A benchmark as SARIF 2.1.0: a result for each sample that was judged wrongly. Its rule is the policy's rule that
// found it, or the label that was missed; its place is a logical one, since a sample is in no file.
// https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html

import type { JsonObject } from "@bufbuild/protobuf";
import { placeOf, type ReportFacts, targetText, type WrongResult, wrongText } from "./benchmark-facts.ts";
import { unmetText } from "./benchmark-requirement.ts";

const levels = { fn: "error", fp: "warning", missing: "warning" } as const;

/** The report of a benchmark. */
export function benchmarkSarif(facts: ReportFacts, version: string): JsonObject {
  const { benchmark, dataset, requirements, wrong, omitted } = facts;
  const ids = [...new Set(wrong.map(ruleIdOf))].sort();
  const unmet = requirements.filter(({ isMet }) => !isMet);
  const rules: JsonObject[] = [
    ...ids.map((id) => ({ id, shortDescription: { text: descriptionOf(id) } })),
    ...(unmet.length === 0
      ? []
      : [{ id: "requirement", shortDescription: { text: "A requirement of the benchmark is not met." } }]),
  ];
  const results: JsonObject[] = [
    ...wrong.map((each) => ({
      ...{ ruleId: ruleIdOf(each), ruleIndex: ids.indexOf(ruleIdOf(each)), level: levels[each.wrong] },
      message: { text: wrongText(each).toWellFormed() },
      locations: [locationOf(placeOf(facts, each.result))],
      partialFingerprints: { "sample/v1": `${dataset}#${each.result.sampleId}`.toWellFormed() },
    })),
    ...unmet.map((each) => ({
      ...{ ruleId: "requirement", ruleIndex: ids.length, level: "error" },
      message: { text: unmetText(each) },
      locations: [locationOf(`${dataset}@${benchmark.version}`)],
    })),
  ];
  return {
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    version: "2.1.0",
    runs: [
      {
        tool: { driver: { name: "policy-guard", version, rules } },
        columnKind: "utf16CodeUnits",
        results,
        properties: {
          ...{ target: targetText(benchmark.target), dataset: `${dataset}@${benchmark.version}`, omitted },
          result_digest: benchmark.report?.resultDigest ?? "",
        },
      },
    ],
  };
}

function ruleIdOf({ wrong, result }: WrongResult): string {
  if (wrong === "missing") return "missing";
  const [label] = wrong === "fn" ? result.labels : [...result.rules, ...result.foundLabels];
  return `${wrong === "fn" ? "missed" : "found"}/${(label ?? "any").toWellFormed()}`;
}

function descriptionOf(id: string): string {
  if (id === "missing") return "A sample was not judged.";
  const name = id.slice(id.indexOf("/") + 1);
  return id.startsWith("missed/") ? `Samples of "${name}" were missed.` : `"${name}" found what it should not.`;
}

function locationOf(fullyQualifiedName: string): JsonObject {
  return { logicalLocations: [{ fullyQualifiedName: fullyQualifiedName.toWellFormed(), kind: "resource" }] };
}
