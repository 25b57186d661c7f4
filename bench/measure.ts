// Rounds of several cases, one after the other in turn, so that a noisy neighbour disturbs all of them alike.

import { readFileSync } from "node:fs";

/** One row of a bench's table. */
export interface Row {
  readonly name: string;
  /** Operations per second, the median of the rounds. */
  readonly perSecond: number;
  /** CPU time of the measured process for each operation, in microseconds, the median of the rounds. */
  readonly cpuUs: number;
  /** Name of the row that this one is held against; absent for the row that others are held against. */
  readonly against?: string;
}

/** How a bench is to be run. */
export interface BenchOptions {
  /** With less data, to see that it works; the figures mean little. */
  readonly isQuick: boolean;
}

/** A bench: measures and returns its rows. */
export type Bench = (options: BenchOptions) => Promise<readonly Row[]>;

/** What one round of one case counted. */
export interface Round {
  readonly operations: number;
  readonly seconds: number;
  readonly cpuSeconds: number;
}

/** One of the cases that are held against each other. */
export interface Case {
  readonly name: string;
  readonly against?: string;
  /** Runs one round. */
  run(): Promise<Round> | Round;
}

/** Rounds that count, after one that warms up. */
const rounds = 5;

/** Runs all cases in turn, round by round. */
export async function measure(cases: readonly Case[]): Promise<Row[]> {
  const results = cases.map((): Round[] => []);
  for (let round = 0; round <= rounds; round++) {
    for (const [index, one] of cases.entries()) {
      const result = await one.run();
      if (round > 0) results[index]?.push(result);
    }
  }
  return cases.map(({ name, against }, index) => {
    const own = results[index] ?? [];
    return {
      name,
      against,
      perSecond: median(own.map(({ operations, seconds }) => operations / seconds)),
      cpuUs: median(own.map(({ operations, cpuSeconds }) => (cpuSeconds / operations) * 1e6)),
    };
  });
}

/** The middle value. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? Number.NaN)) / 2;
}

// Clock ticks of proc_pid_stat(5); 100 a second on every Linux that Node runs on.
const ticksPerSecond = 100;

/** CPU time that a process has used, user and system, in seconds. */
export function cpuSecondsOf(pid: number): number {
  const fields = statFields(pid);
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
}

/** CPU time that the children of a process have used, those that have ended included, in seconds. */
export function childrenCpuSecondsOf(pid: number): number {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").map(Number);
  const fields = statFields(pid);
  const endedSeconds = (Number(fields[13]) + Number(fields[14])) / ticksPerSecond;
  return children.reduce((sum, child) => sum + cpuSecondsOf(child), endedSeconds);
}

function statFields(pid: number): string[] {
  return readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
}

/**
 * Does a piece of work with each text, some times over. Results are added up, so that no compiler may leave the work
 * out.
 */
export function timed(texts: readonly string[], repeats: number, work: (text: string) => number): Round {
  const cpuBefore = process.cpuUsage();
  const startedAtMs = performance.now();
  let sum = 0;
  for (let repeat = 0; repeat < repeats; repeat++) for (const text of texts) sum += work(text);
  const seconds = (performance.now() - startedAtMs) / 1000;
  const { user, system } = process.cpuUsage(cpuBefore);
  if (sum < 0) throw new Error("unreachable");
  return { operations: texts.length * repeats, seconds, cpuSeconds: (user + system) / 1e6 };
}
