// `npm test`: the static checks, then the suite. `npm run check` is its static part. Everything runs to its end, so that one
// run shows all that is wrong; the closing line counts tests, and each failed check as one failure more.

import { spawn } from "node:child_process";
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
/** The API as it was at the last release, which later versions stay compatible with. */
const releasedImage = "proto/image.binpb";

const checks: readonly Check[] = [
  { title: "generated code is current", command: "node", parameters: ["scripts/generate.ts", "--check"] },
  { title: "buf lint", command: "buf", parameters: ["lint"] },
  { title: "buf format", command: "buf", parameters: ["format", "--diff", "--exit-code"] },
  { title: "buf breaking", command: "buf", parameters: ["breaking", "--against", releasedImage] },
  { title: "biome", command: "biome", parameters: ["ci", "."] },
  { title: "tsc", command: "tsc", parameters: [] },
];

const parameters = process.argv.slice(2);
const isStatic = parameters.includes("--static");
const results = new Map<string, boolean>();
for (const check of checks) {
  // Before the first release there is nothing to stay compatible with.
  if (check.title === "buf breaking" && !existsSync(join(root, releasedImage))) continue;
  results.set(check.title, await runCheck(check));
}
const tests = isStatic ? undefined : await runTests(parameters);
process.exitCode = report(tests);

async function runCheck({ title, command, parameters }: Check): Promise<boolean> {
  const startedAtMs = performance.now();
  const exitCode = await run(command, parameters);
  const isPassed = exitCode === 0;
  console.log(`${isPassed ? "✓" : "✗"} ${title} (${((performance.now() - startedAtMs) / 1000).toFixed(1)} s)`);
  return isPassed;
}

async function runTests(vitestParameters: readonly string[]): Promise<Totals> {
  const folder = mkdtempSync(join(tmpdir(), "policy-guard-totals-"));
  const file = join(folder, "totals.json");
  try {
    const variables = { [totalsFileVariable]: file, ...compileCacheVariables };
    const exitCode = await run("vitest", ["run", ...vitestParameters], variables);
    const totals: Totals = existsSync(file)
      ? JSON.parse(readFileSync(file, "utf8"))
      : { passed: 0, failed: 0, skipped: 0 };
    // The run can fail although no test did: its set-up failed, or nothing was found to run.
    return exitCode !== 0 && totals.failed === 0 ? { ...totals, failed: 1 } : totals;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Runs a program to its end; its output appears only as far as it prints any. */
function run(command: string, parameters: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<number> {
  return new Promise((resolve) => {
    const child = spawn(command, parameters, { cwd: root, env: { ...process.env, ...env }, stdio: "inherit" });
    child.on("error", (error) => {
      console.log(`${command}: ${error.message}`);
      resolve(127);
    });
    child.on("exit", (code) => resolve(code ?? 1));
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
