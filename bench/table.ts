// The table that a bench prints, in Markdown, so that bench/README.md can keep it.

import type { Row } from "./measure.ts";

/** Prints the rows with their ratios, by operations per second and by CPU time. */
export function printTable(title: string, rows: readonly Row[]): void {
  const byName = new Map(rows.map((row) => [row.name, row]));
  console.log(
    `### ${title}\n\n| case | /s | CPU µs | against | ratio (/s) | ratio (CPU) |\n| --- | --- | --- | --- | --- | --- |`,
  );
  for (const row of rows) {
    const base = row.against === undefined ? undefined : byName.get(row.against);
    const ratios =
      base === undefined
        ? "| | |"
        : `${base.name} | ${ratio(row.perSecond, base.perSecond)} | ${ratio(base.cpuUs, row.cpuUs)} |`;
    console.log(
      `| ${row.name} | ${Math.round(row.perSecond).toLocaleString("en")} | ${row.cpuUs.toFixed(1)} | ${ratios}`,
    );
  }
  console.log();
}

function ratio(value: number, base: number): string {
  const quotient = value / base;
  return quotient >= 2 ? `${quotient.toFixed(1)}×` : `${Math.round(quotient * 100)} %`;
}
