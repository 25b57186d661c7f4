// The formats of reports of benchmarks.

import { productVersion } from "../process/product-folder.ts";
import { benchmarkCsv } from "./benchmark-csv.ts";
import type { ReportFacts } from "./benchmark-facts.ts";
import { benchmarkJunit } from "./benchmark-junit.ts";
import { benchmarkMarkdown } from "./benchmark-markdown.ts";
import { benchmarkSarif } from "./benchmark-sarif.ts";

/** Their names. */
export const reportFormats = ["csv", "junit", "sarif", "markdown"] as const;

/** The name of one. */
export type ReportFormat = (typeof reportFormats)[number];

/** Whether the text names a format. */
export function isReportFormat(text: string): text is ReportFormat {
  return reportFormats.some((format) => format === text);
}

/** The report as text. */
export function renderReport(format: ReportFormat, facts: ReportFacts): string {
  if (format === "csv") return benchmarkCsv(facts);
  if (format === "junit") return benchmarkJunit(facts);
  if (format === "markdown") return benchmarkMarkdown(facts);
  return `${JSON.stringify(benchmarkSarif(facts, productVersion()), null, 2)}\n`;
}
