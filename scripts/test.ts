// `npm test`: the static checks and the suite, at the same time, since tests wait for much. `npm run check` is its
// static part. Everything runs to its end, so that one run shows all that is wrong; the closing line counts tests, and
// each failed check as one failure more.

import { type StdioOptions, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { closingLine, type Totals, totalsFileVariable } from "../test/harness/totals.ts";
import { compileCacheVariables } from "./compile-cache.ts";

/** One command of the static part. */
interface Check {
  readonly title: string;
  readonly command: string;
  readonly parameters: readonly string[];
}

const root = dirname(dirname(fileURLToPath(import.meta.url)));
/** The Buf image of the API at the last release. Later versions stay compatible with it; see docs/contributing.md. */
const releasedImage = "proto/image.binpb";

const checks: readonly Check[] = [
  { title: "generated code is current", command: "node", parameters: ["scripts/generate.ts", "--check"] },
  { title: "buf lint", command: "buf", parameters: ["lint"] },
  { title: "buf format", command: "buf", parameters: ["format", "--diff", "--exit-code"] },
  { title: "buf breaking", command: "buf", parameters: ["breaking", "--against", releasedImage] },
  { title: "biome", command: "biome", parameters: ["ci", "."] },
  { title: "tsc", command: "tsc", parameters: [] },
  { title: "tsc of the console", command: "tsc", parameters: ["-p", "console"] },
];

const parameters = process.argv.slice(2);
const isStatic = parameters.includes("--static");
const results = new Map<string, boolean>();
const [tests] = await Promise.all([isStatic ? undefined : runTests(parameters), runChecks()]);
process.exitCode = report(tests);

async function runChecks(): Promise<void> {
  for (const check of checks) {
    results.set(check.title, await runCheck(check));
  }
}

async function runCheck({ title, command, parameters }: Check): Promise<boolean> {
  const startedAtMs = performance.now();
  const { exitCode, output } = await run(command, parameters, { isCollected: true });
  const isPassed = exitCode === 0;
  const seconds = ((performance.now() - startedAtMs) / 1000).toFixed(1);
  // In one piece, since the suite prints at the same time.
  process.stdout.write(`${isPassed ? "" : output}${isPassed ? "✓" : "✗"} ${title} (${seconds} s)\n`);
  return isPassed;
}

async function runTests(vitestParameters: readonly string[]): Promise<Totals> {
  const folder = mkdtempSync(join(tmpdir(), "policy-guard-totals-"));
  const file = join(folder, "totals.json");
  try {
    const variables = { [totalsFileVariable]: file, ...compileCacheVariables };
    const { exitCode } = await run("vitest", ["run", ...vitestParameters], { variables });
    const totals: Totals = existsSync(file)
      ? JSON.parse(readFileSync(file, "utf8"))
      : { passed: 0, failed: 0, skipped: 0 };
    // The run can fail although no test did: its set-up failed, or nothing was found to run.
    return exitCode !== 0 && totals.failed === 0 ? { ...totals, failed: 1 } : totals;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** How a program is run. */
interface RunOptions {
  readonly variables?: NodeJS.ProcessEnv;
  /** Its output is kept for the answer, instead of appearing at once. */
  readonly isCollected?: boolean;
}

/** What came of a program, and what it printed as far as that was collected. */
interface Ran {
  readonly exitCode: number;
  readonly output: string;
}

/** Runs a program to its end. */
function run(command: string, parameters: readonly string[], options: RunOptions): Promise<Ran> {
  const { variables, isCollected = false } = options;
  return new Promise((resolve) => {
    const env = { ...process.env, ...variables };
    const stdio: StdioOptions = isCollected ? "pipe" : "inherit";
    const child = spawn(command, parameters, { cwd: root, env, stdio });
    const chunks: Buffer[] = [];
    for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk: Buffer) => chunks.push(chunk));
    child.on("error", (error) => resolve({ exitCode: 127, output: `${command}: ${error.message}\n` }));
    child.on("close", (code) => resolve({ exitCode: code ?? 1, output: Buffer.concat(chunks).toString() }));
  });
}

/** Prints what failed and the closing line; answers the exit code. */
function report(tests: Totals | undefined): number {
  const failedChecks = [...results].filter(([, isPassed]) => !isPassed).map(([title]) => title);
  if (failedChecks.length > 0) console.log(`\nfailed checks: ${failedChecks.join(", ")}`);
  const { passed, failed, skipped } = tests ?? { passed: 0, failed: 0, skipped: 0 };
  // Of the static part alone the line counts checks.
  const passedChecks = tests === undefined ? results.size - failedChecks.length : 0;
  const totals = { passed: passed + passedChecks, failed: failed + failedChecks.length, skipped };
  console.log(`\n${closingLine(totals)}`);
  return totals.failed === 0 ? 0 : 1;
}
