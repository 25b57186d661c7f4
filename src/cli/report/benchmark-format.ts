// The formats of reports of benchmarks.

import { productVersion } from "../../kit/process/product-folder.ts";
import { usageFailure } from "../failure.ts";
import { benchmarkJunit } from "./benchmark-junit.ts";
import { benchmarkMarkdown } from "./benchmark-markdown.ts";
import type { ReportFacts } from "./benchmark-report.ts";
import { benchmarkSarif } from "./benchmark-sarif.ts";

/** Their names. */
export const reportFormats = ["junit", "sarif", "markdown"] as const;

/** The name of one. */
export type ReportFormat = (typeof reportFormats)[number];

/** A report to write. */
export interface WantedReport {
  readonly format: ReportFormat;
  readonly path: string;
}

/** Whether the text names a format. */
export function isReportFormat(text: string): text is ReportFormat {
  return reportFormats.some((format) => format === text);
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

/** The report as text. */
export function renderReport(format: ReportFormat, facts: ReportFacts): string {
  if (format === "junit") return benchmarkJunit(facts);
  if (format === "markdown") return benchmarkMarkdown(facts);
  return `${JSON.stringify(benchmarkSarif(facts, productVersion()), null, 2)}\n`;
}
