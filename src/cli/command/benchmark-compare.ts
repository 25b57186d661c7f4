import { BenchmarkComparisonSchema } from "../../../gen/policyguard/control/v1/benchmark_pb.ts";
import { percent } from "../../kit/report/benchmark-facts.ts";
import { defineCommand } from "../command.ts";
import { exitCodes, refusal } from "../failure.ts";
import { shown } from "../output.ts";
import { resourceJson } from "../resource-json.ts";
import { openOrganization, serverOptions } from "../server.ts";

/** The p below which a difference counts as shown. */
const shownBelow = 0.05;

/** `policy-guard benchmark compare`: what one benchmark does better or worse than another. */
export const benchmarkCompare = defineCommand({
  name: "benchmark compare",
  summary: "Compare two benchmarks of the same samples.",
  positionals: { label: "<benchmark id>", min: 1, max: 1 },
  options: {
    ...serverOptions,
    with: { type: "string", value: "ID", help: "The other one; default: the approved baseline of its scope." },
    "common-samples": { type: "boolean", help: "Compare what both have, when it is not all." },
  },
  notes: `It ends with 1 when the benchmark is worse, and that is no accident: both the exact test over samples and the test over groups
are below 5 %.`,
  async run({ values, positionals: [benchmarkId = ""], output, world }) {
    const server = await openOrganization(values, world);
    const { comparison } = await server.benchmarks.compareBenchmarks({
      ...{ orgId: server.orgId, benchmarkId, with: values.with, commonSamples: values["common-samples"] },
    });
    if (comparison?.overall === undefined) throw refusal("no_answer", "the server answered without a comparison");
    output.json(resourceJson(BenchmarkComparisonSchema, comparison));
    const { overall, groupP, common, uncommon, slices, newlyWrong, newlyRight } = comparison;
    output.line(`${common} samples in common, ${uncommon} not`);
    const { estimate = 0, lower, upper, p, onlyRight, onlyWrong } = overall;
    output.line(
      `newly right ${onlyRight}, newly wrong ${onlyWrong}: ${percent(estimate)} (${percent(lower)} to ${percent(upper)})`,
    );
    output.line(`p ${p.toPrecision(3)}, over groups ${groupP.toPrecision(3)}`);
    for (const slice of slices) {
      if (slice.adjustedP >= shownBelow) continue;
      output.line(
        shown(
          `  ${slice.by} ${slice.value}: ${percent(slice.difference?.estimate ?? 0)}, p ${slice.adjustedP.toPrecision(3)}`,
        ),
      );
    }
    for (const id of newlyWrong) output.line(`  newly wrong: ${id}`);
    for (const id of newlyRight) output.line(`  newly right: ${id}`);
    const isWorse = estimate < 0 && p < shownBelow && groupP < shownBelow;
    return isWorse ? exitCodes.refused : exitCodes.fine;
  },
});
