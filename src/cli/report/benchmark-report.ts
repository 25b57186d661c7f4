// Reads what the reports of a benchmark say, and which of them are wanted.

import { type Benchmark, BenchmarkMismatch } from "../../../gen/policyguard/control/v1/benchmark_pb.ts";
import {
  maxListed,
  omittedBeside,
  type ReportFacts,
  type WrongResult,
  wrongKinds,
} from "../../kit/report/benchmark-facts.ts";
import { isReportFormat, type ReportFormat, reportFormats } from "../../kit/report/benchmark-format.ts";
import { usageFailure } from "../failure.ts";
import type { Organization } from "../server.ts";

const pageSize = 200;

/** A report to write. */
export interface WantedReport {
  readonly format: ReportFormat;
  readonly path: string;
}

/** Reports that an option names as FORMAT:FILE, separated by commas. */
export function wantedReports(given: string | undefined): WantedReport[] {
  if (given === undefined) return [];
  return given.split(",").map((each) => {
    const [, format = "", path = ""] = /^([a-z]+):(.+)$/s.exec(each.trim()) ?? [];
    if (isReportFormat(format)) return { format, path };
    throw usageFailure(`--report takes FORMAT:FILE with ${reportFormats.join(", ")}, not "${each}"`);
  });
}

const mismatches = {
  fn: BenchmarkMismatch.FN,
  fp: BenchmarkMismatch.FP,
  missing: BenchmarkMismatch.MISSING,
} as const;

/** Reads what a report says. */
export async function readReportFacts(
  { benchmarks, datasets, orgId }: Organization,
  benchmark: Benchmark,
  requirements: ReportFacts["requirements"],
  sides: ReportFacts["sides"],
): Promise<ReportFacts> {
  const { id: benchmarkId, datasetId } = benchmark;
  const { dataset } = await datasets.getDataset({ orgId, datasetId });
  const wrong: WrongResult[] = [];
  for (const kind of wrongKinds) {
    for (let offset = 0; wrong.length < maxListed; offset += pageSize) {
      const limit = Math.min(pageSize, maxListed - wrong.length);
      const { results } = await benchmarks.listBenchmarkResults({
        ...{ orgId, benchmarkId, offset, limit, mismatch: mismatches[kind] },
      });
      wrong.push(...results.map((result) => ({ wrong: kind, result })));
      if (results.length < limit) break;
    }
  }
  const omitted = omittedBeside(benchmark, wrong.length);
  return { benchmark, dataset: dataset?.name ?? datasetId, requirements, wrong, omitted, sides };
}
