// Capacity: what one evaluation costs in the runtime, in the control plane and in the database, with a trace and where
// it is only counted, and how much is stored of it. From that it prints what an installation needs for 10 M, 1 G and
// 10 G evaluations a day (docs/deploy/capacity.md).

import { measurePlane } from "./capacity/plane.ts";
import { measureRuntime } from "./capacity/runtime.ts";
import { type Figures, scenarios, sizingOf } from "./capacity/sizing.ts";
import type { Bench } from "./measure.ts";

/** Measures what an evaluation costs, and prints what so many a day need. */
export const capacityBench: Bench = async ({ isQuick }) => {
  const runtime = await measureRuntime(isQuick ? 2_000 : 20_000);
  const plane = await measurePlane(isQuick ? 4 : 40);
  const figures: Figures = { ...runtime.figures, ...plane.figures };
  const { traceBytes, minuteBytes, storeDatabaseUs, takeDatabaseUs } = figures;
  console.log(
    `stored: ${traceBytes.toFixed(0)} bytes for an evaluation with a trace; counts of a minute ${minuteBytes.toFixed(0)} ` +
      `bytes\nCPU of the database: ${storeDatabaseUs.toFixed(1)} µs with a trace, ${takeDatabaseUs.toFixed(2)} µs counted\n`,
  );
  printSizing(figures);
  return [...runtime.rows, ...plane.rows];
};

function printSizing(figures: Figures): void {
  console.log("### sizing\n");
  console.log(
    "| evaluations/day | peak/s | traces | runtime cores | control plane cores | database cores | GB/day | rows/day |",
  );
  console.log("| --- | --- | --- | --- | --- | --- | --- | --- |");
  for (const scenario of scenarios) {
    const sizing = sizingOf(figures, scenario);
    const cells = [
      scenario.name,
      rounded(sizing.peakPerSecond),
      `${scenario.allowPercent} % of ALLOW`,
      ...[sizing.runtimeCores, sizing.planeCores, sizing.databaseCores].map((cores) => cores.toFixed(1)),
      sizing.gigabytesPerDay.toFixed(1),
      rounded(sizing.rowsPerDay),
    ];
    console.log(`| ${cells.join(" | ")} |`);
  }
  console.log();
}

function rounded(value: number): string {
  return Math.round(Number(value.toPrecision(3))).toLocaleString("en");
}
