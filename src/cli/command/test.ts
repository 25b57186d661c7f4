import { basename, resolve } from "node:path";
import { productVersion } from "../../kit/process/product-folder.ts";
import { defineCommand, type Surroundings } from "../command.ts";
import { type ExitCode, exitCodes, Failure } from "../failure.ts";
import { replaceFile } from "../file.ts";
import type { Output } from "../output.ts";
import { type FoundFiles, findPolicyFiles, isPolicyName } from "../policy-file.ts";
import { junitReport } from "../report/junit.ts";
import { sarifReport } from "../report/sarif.ts";
import { isGreen, printRun, runJson, runTests } from "../test-run.ts";
import { runOnChange, type Watched } from "../watch.ts";

interface Reports {
  readonly junit?: string;
  readonly sarif?: string;
}

interface TestValues extends Reports {
  readonly filter?: string;
  readonly "require-tests"?: boolean;
  readonly robustness?: boolean;
}

/** `policy-guard test`: runs the tests that policies carry. */
export const test = defineCommand({
  name: "test",
  summary: "Run the tests that policies carry.",
  positionals: { label: "<file|folder>...", min: 1, max: 1000 },
  options: {
    filter: {
      type: "string",
      short: "t",
      value: "PATTERN",
      help: "Run only tests whose names have this text, in upper or lower case; * stands for any text.",
    },
    "require-tests": { type: "boolean", help: "A policy without tests counts as failed." },
    junit: { type: "string", value: "FILE", help: "Also write the results as JUnit XML." },
    sarif: { type: "string", value: "FILE", help: "Also write problems and failures as SARIF 2.1.0." },
    robustness: { type: "boolean", help: "Also count how many blocked texts are still blocked when obfuscated." },
    watch: { type: "boolean", short: "w", help: "Run again whenever a file changes, until Ctrl-C." },
  },
  notes: `Tests are those of the policies, and those of files named …_test.yaml about policies that are named too, or lie beside them.
A policy that is not valid counts as failed; one without tests is named and fails with --require-tests only. A filter that no
test matches is called wrongly (2). With --watch, --json prints one line for each run.`,
  async run({ values, positionals, output, world }) {
    if (values.watch !== true) return once(findPolicyFiles(positionals), values, { output, world });
    return watched(positionals, values, { output, world });
  },
});

interface Place {
  readonly output: Output;
  readonly world: Surroundings;
}

function once(found: FoundFiles, values: TestValues, { output, world }: Place, onOneLine = false): ExitCode {
  const { robustness, filter, "require-tests": areTestsRequired, ...reports } = values;
  const run = runTests(found, world.now(), { robustness, filter, areTestsRequired });
  printRun(run, output);
  output.json(runJson(run), { onOneLine });
  if (reports.junit !== undefined) replaceFile(reports.junit, junitReport(run));
  if (reports.sarif !== undefined) {
    replaceFile(reports.sarif, `${JSON.stringify(sarifReport(run, productVersion()), null, 2)}\n`);
  }
  return isGreen(run) ? exitCodes.fine : exitCodes.refused;
}

/**
 * Whether a change matters: policies do, and folders, which have no extension. Our own reports do not, or each run
 * would start the next.
 */
function concerns(files: readonly string[], { junit, sarif }: Reports): Watched["concerns"] {
  const own = [junit, sarif].filter((path) => path !== undefined).map((path) => resolve(path));
  const read = new Set(files.map((path) => resolve(path)));
  return (path) => {
    const full = resolve(path);
    if (own.includes(full)) return false;
    return read.has(full) || isPolicyName(path) || !basename(path).includes(".");
  };
}

async function watched(paths: readonly string[], values: TestValues, place: Place): Promise<ExitCode> {
  const { output } = place;
  let code: ExitCode = exitCodes.fine;
  let isFirst = true;
  const again = (watch: (what: Watched) => void) => {
    try {
      const found = findPolicyFiles(paths);
      // Before anything is read: later changes start another run.
      watch({ folders: found.folders, concerns: concerns([...found.files, ...found.suites], values) });
      code = once(found, values, place, true);
    } catch (error) {
      // A file may be missing for a moment while it is saved. On the first run there is nothing to wait for yet.
      if (!(error instanceof Failure) || isFirst) throw error;
      code = error.exitCode;
      output.failure(error, { onOneLine: true });
    }
    isFirst = false;
    output.note("waiting for changes; Ctrl-C ends it");
  };
  await runOnChange(again, endSignal());
  return code;
}

function endSignal(): AbortSignal {
  const end = new AbortController();
  for (const name of ["SIGINT", "SIGTERM"] as const) process.once(name, () => end.abort());
  return end.signal;
}
