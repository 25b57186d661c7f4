import { isReportFormat, renderReport, reportFormats } from "../../kit/report/benchmark-format.ts";
import { requirementOptions, requirementsOf } from "../benchmark/requirement.ts";
import { defineCommand } from "../command.ts";
import { exitCodes, refusal } from "../failure.ts";
import { replaceFile } from "../file.ts";
import { readReportFacts } from "../report/benchmark-report.ts";
import { openOrganization, serverOptions } from "../server.ts";

/** `policy-guard benchmark report`: writes a benchmark for CI or for people. */
export const benchmarkReport = defineCommand({
  name: "benchmark report",
  summary: "Write the report of a benchmark as CSV, JUnit, SARIF or Markdown.",
  positionals: { label: "<benchmark id>", min: 1, max: 1 },
  options: {
    ...serverOptions,
    ...requirementOptions,
    format: { type: "string", value: "FORMAT", choices: reportFormats, help: "csv, junit, sarif or markdown." },
    out: { type: "string", short: "o", value: "FILE", help: "Where to write it; default: standard output." },
  },
  notes: `Equal inputs give the same report to the byte: it has no times and no ids of runs. At most 500 samples are listed.
A requirement that is not met ends with 1.`,
  async run({ values, positionals: [benchmarkId = ""], output, world }) {
    const { format = "markdown", out } = values;
    const required = requirementsOf(values);
    const server = await openOrganization(values, world);
    const { benchmark } = await server.benchmarks.getBenchmark({ orgId: server.orgId, benchmarkId });
    if (benchmark?.report === undefined) throw refusal("not_finished", "the benchmark has no report yet");
    const requirements = required(benchmark);
    const facts = await readReportFacts(server, benchmark, requirements, []);
    const text = isReportFormat(format) ? renderReport(format, facts) : "";
    if (out !== undefined) replaceFile(out, text);
    else if (!output.isJson) output.raw(text);
    output.json({ format, file: out ?? null, report: out === undefined ? text : null });
    return requirements.every(({ isMet }) => isMet) ? exitCodes.fine : exitCodes.refused;
  },
});
