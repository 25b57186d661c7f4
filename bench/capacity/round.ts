import type { Round, Row } from "../measure.ts";

/** Does work of so many operations in this process, and counts its CPU time. */
export async function onCpu(operations: number, work: () => Promise<void>): Promise<Round> {
  const cpuBefore = process.cpuUsage();
  const startedAtMs = performance.now();
  await work();
  const { user, system } = process.cpuUsage(cpuBefore);
  return { operations, seconds: (performance.now() - startedAtMs) / 1000, cpuSeconds: (user + system) / 1e6 };
}

/** CPU time of a row for each operation, in microseconds. */
export function cpuOf(rows: readonly Row[], name: string): number {
  return rows.find((row) => row.name === name)?.cpuUs ?? Number.NaN;
}
