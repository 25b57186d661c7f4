// A run of the tests of policy files, and its forms for people and programs.

import type { JsonObject } from "@bufbuild/protobuf";
import { gradeRobustness, type RobustnessGrade } from "../../runtime/engine/authoring/robustness.ts";
import { type PolicyTestResult, runPolicyTests } from "../../runtime/engine/authoring/test-runner.ts";
import { nowhere, type SourceRange } from "../../runtime/engine/policy/problem.ts";
import { shippedModels } from "../kit/process/model-file.ts";
import { usageFailure } from "./failure.ts";
import { counted, type Output, shown } from "./output.ts";
import { ownPackSource } from "./pack-library.ts";
import { type FoundFiles, isValid, type PolicyFile, placesIn, readPolicyFiles } from "./policy-file.ts";
import { excerpt, linesOf, printProblems, problemJson } from "./problem-text.ts";
import { readSuites } from "./suite-file.ts";

/** The result of a test, and where the test is written. */
export interface TestedCase extends PolicyTestResult {
  readonly place: SourceRange;
}

/** The results of one file. */
export interface TestedFile {
  readonly file: PolicyFile;
  /** Empty when the policy is not valid. */
  readonly results: readonly TestedCase[];
  readonly durationMs: number;
  /** The share of blocked texts that are still blocked when obfuscated; only on request, and for a valid policy. */
  readonly robustness?: RobustnessGrade;
}

/** The results of all files. */
export interface TestRun {
  readonly files: readonly TestedFile[];
  readonly passed: number;
  readonly failed: number;
  /** Files that are not valid policies. */
  readonly invalid: number;
  /** Tests that the filter left out. */
  readonly leftOut: number;
  /** Files of policies without any test. */
  readonly untested: readonly string[];
  /** Whether these count as failed. */
  readonly areTestsRequired: boolean;
}

/** The options of a run. */
export interface TestRunOptions {
  /** Also obfuscates the blocked texts, and counts how many are still blocked. */
  readonly robustness?: boolean;
  /** Runs only the tests whose names match; "*" stands for anything, and upper case for lower case. */
  readonly filter?: string | undefined;
  /** Policies without tests count as failed. */
  readonly areTestsRequired?: boolean;
}

/** Reads policies and files of tests, and runs all tests as of `now`. */
export function runTests({ files: paths, suites }: FoundFiles, now: Date, options: TestRunOptions = {}): TestRun {
  const { robustness = false, filter, areTestsRequired = false } = options;
  const policies = readPolicyFiles(paths, now);
  const all = [...policies, ...readSuites(suites, policies)];
  const files = all.map((file) => {
    const tested = testFile(file, now, filter);
    const isGraded = robustness && file.policy !== undefined;
    return isGraded
      ? { ...tested, robustness: gradeRobustness(file.policy, { now, packs: ownPackSource, models: shippedModels() }) }
      : tested;
  });
  const results = files.flatMap((tested) => tested.results);
  const passed = results.filter((result) => result.passed).length;
  const invalid = files.filter(({ file }) => !isValid(file)).length;
  const leftOut = all.reduce((sum, { policy }) => sum + (policy?.tests?.length ?? 0), 0) - results.length;
  if (filter !== undefined && results.length === 0 && leftOut > 0) {
    throw usageFailure(`--filter: no test has a name that matches "${filter}"`, "`*` stands for any text.");
  }
  const untested = policies.filter((policy) => isUntested(policy, all)).map(({ path }) => path);
  return { files, passed, failed: results.length - passed, invalid, leftOut, untested, areTestsRequired };
}

/** Whether neither the policy itself nor a file of tests has a test for it. */
function isUntested({ policy }: PolicyFile, all: readonly PolicyFile[]): boolean {
  const name = policy?.metadata.name;
  const own = all.filter((file) => file.policy?.metadata.name === name);
  return policy !== undefined && own.every((file) => (file.policy?.tests ?? []).length === 0);
}

/** Runs the tests of a file that was read, or those whose names match the filter. */
export function testFile(file: PolicyFile, now: Date, filter = "*"): TestedFile {
  const begin = performance.now();
  const { policy } = file;
  const chosen = [...(policy?.tests ?? []).entries()].filter(([, { name }]) => nameMatches(name, filter));
  if (policy === undefined || chosen.length === 0) return { file, results: [], durationMs: performance.now() - begin };
  const options = { now, packs: ownPackSource, models: shippedModels() };
  const tests = chosen.map(([, test]) => test);
  const places = placesIn(
    file,
    chosen.map(([index]) => ["tests", index]),
  );
  const results = runPolicyTests(policy, options, tests).map((result, index) => ({
    ...result,
    place: places[index] ?? nowhere,
  }));
  return { file, results, durationMs: performance.now() - begin };
}

/** Whether the name has the parts of the pattern between "*" in their order. */
function nameMatches(name: string, pattern: string): boolean {
  const text = name.toLowerCase();
  let from = 0;
  for (const part of pattern.toLowerCase().split("*")) {
    const at = text.indexOf(part, from);
    if (at === -1) return false;
    from = at + part.length;
  }
  return true;
}

/** Whether everything passed. */
export function isGreen({ failed, invalid, untested, areTestsRequired }: TestRun): boolean {
  return failed === 0 && invalid === 0 && !(areTestsRequired && untested.length > 0);
}

/** Prints a run. */
export function printRun(run: TestRun, output: Output): void {
  for (const tested of run.files) {
    const { file, results, robustness } = tested;
    output.line(output.styled("bold", shown(file.path)));
    printProblems(file, output);
    if (run.untested.includes(file.path)) {
      output.line(`  ${output.styled(run.areTestsRequired ? "red" : "yellow", "no tests")}`);
    }
    for (const result of results) printCase(tested, result, output);
    if (robustness !== undefined) printRobustness(robustness, output);
  }
  const parts = [`${run.passed} passed`, ...(run.failed > 0 ? [`${run.failed} failed`] : [])];
  if (run.leftOut > 0) parts.push(`${run.leftOut} left out by --filter`);
  if (run.invalid > 0) parts.push(`${counted(run.invalid, "policy file")} not valid`);
  if (run.untested.length > 0) parts.push(`${counted(run.untested.length, "policy", "policies")} without tests`);
  const sum = `${counted(run.passed + run.failed, "test")}: ${parts.join(", ")}`;
  output.line(output.styled(isGreen(run) ? "green" : "red", sum));
}

function printCase({ file }: TestedFile, { name, passed, failures, place }: TestedCase, output: Output): void {
  if (passed) {
    output.line(`  ${output.styled("green", "✓")} ${shown(name)}`);
    return;
  }
  const at = place.line === 0 ? file.path : `${file.path}:${place.line}:${place.column}`;
  output.line(`  ${output.styled("red", "✗")} ${shown(name)} (${shown(at)})`);
  for (const failure of failures) output.line(`      ${shown(failure)}`);
  if (output.isTerminal) {
    for (const line of excerpt(linesOf(file.source), place)) output.line(output.styled("dim", line));
  }
}

function printRobustness({ tests, share, mutations }: RobustnessGrade, output: Output): void {
  if (tests === 0) {
    output.line("  in disguise: no test expects BLOCK and gets it");
    return;
  }
  const parts = mutations.map(({ mutation, caught }) => `${mutation} ${caught}/${tests}`);
  output.line(`  in disguise ${Math.round(share * 100)} % are still blocked: ${parts.join(", ")}`);
}

/** A run for programs. */
export function runJson(run: TestRun): JsonObject {
  return {
    passed: isGreen(run),
    tests: { passed: run.passed, failed: run.failed },
    left_out: run.leftOut,
    untested: [...run.untested],
    files: run.files.map(({ file, results, robustness }) => ({
      file: file.path,
      policy: file.policy?.metadata.name ?? null,
      valid: isValid(file),
      problems: file.problems.map(problemJson),
      tests: results.map(({ name, passed, failures, place }) => {
        return { name, passed, failures: [...failures], line: place.line, column: place.column };
      }),
      robustness: robustness === undefined ? null : robustnessJson(robustness),
    })),
  };
}

function robustnessJson({ tests, share, mutations }: RobustnessGrade): JsonObject {
  return {
    tests,
    share,
    mutations: mutations.map(({ mutation, caught, missed }) => ({ mutation, caught, missed: [...missed] })),
  };
}
