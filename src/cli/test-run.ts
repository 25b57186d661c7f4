// A run of the tests of policy files, and its forms for people and programs.

import type { JsonObject } from "@bufbuild/protobuf";
import { gradeRobustness, type RobustnessGrade } from "../../runtime/engine/robustness.ts";
import { type PolicyTestResult, runPolicyTests } from "../../runtime/engine/test-runner.ts";
import { shippedModels } from "../kit/model-file.ts";
import { counted, type Output, shown } from "./output.ts";
import { ownPackSource } from "./pack-library.ts";
import { type FoundFiles, isValid, type PolicyFile, readPolicyFiles } from "./policy-file.ts";
import { printProblems, problemJson } from "./problem-text.ts";
import { readSuites } from "./suite-file.ts";

/** The results of one file. */
export interface TestedFile {
  readonly file: PolicyFile;
  /** Empty when the policy is not valid. */
  readonly results: readonly PolicyTestResult[];
  readonly durationMs: number;
  /** How much of what it blocks it blocks in disguise; only when asked for, and when the policy is valid. */
  readonly robustness?: RobustnessGrade;
}

/** The results of all files. */
export interface TestRun {
  readonly files: readonly TestedFile[];
  readonly passed: number;
  readonly failed: number;
  /** Files that are not valid policies. */
  readonly invalid: number;
}

/** What a run does besides. */
export interface TestRunExtras {
  /** Also disguises the texts that are blocked, and counts what is still blocked. */
  readonly robustness: boolean;
}

/** Reads policies and files of tests, and runs all tests as of `now`. */
export function runTests({ files: paths, suites }: FoundFiles, now: Date, { robustness }: TestRunExtras): TestRun {
  const policies = readPolicyFiles(paths, now);
  const files = [...policies, ...readSuites(suites, policies)].map((file) => {
    const tested = testFile(file, now);
    const isGraded = robustness && file.policy !== undefined;
    return isGraded
      ? { ...tested, robustness: gradeRobustness(file.policy, { now, packs: ownPackSource, models: shippedModels() }) }
      : tested;
  });
  const results = files.flatMap((tested) => tested.results);
  const passed = results.filter((result) => result.passed).length;
  const invalid = files.filter(({ file }) => !isValid(file)).length;
  return { files, passed, failed: results.length - passed, invalid };
}

/** Runs the tests of a file that was read. */
export function testFile(file: PolicyFile, now: Date): TestedFile {
  const begin = performance.now();
  const results =
    file.policy === undefined
      ? []
      : runPolicyTests(file.policy, { now, packs: ownPackSource, models: shippedModels() });
  return { file, results, durationMs: performance.now() - begin };
}

/** Whether everything is green. */
export function isGreen({ failed, invalid }: TestRun): boolean {
  return failed === 0 && invalid === 0;
}

/** Prints a run. */
export function printRun(run: TestRun, output: Output): void {
  for (const { file, results, robustness } of run.files) {
    output.line(output.styled("bold", shown(file.path)));
    printProblems(file, output);
    if (isValid(file) && results.length === 0) output.line(`  ${output.styled("yellow", "no tests")}`);
    for (const { name, passed, failures } of results) {
      const mark = passed ? output.styled("green", "✓") : output.styled("red", "✗");
      output.line(`  ${mark} ${shown(name)}`);
      for (const failure of failures) output.line(`      ${shown(failure)}`);
    }
    if (robustness !== undefined) printRobustness(robustness, output);
  }
  const parts = [`${run.passed} passed`, ...(run.failed > 0 ? [`${run.failed} failed`] : [])];
  if (run.invalid > 0) parts.push(`${counted(run.invalid, "policy file")} not valid`);
  const sum = `${counted(run.passed + run.failed, "test")}: ${parts.join(", ")}`;
  output.line(output.styled(isGreen(run) ? "green" : "red", sum));
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
    files: run.files.map(({ file, results, robustness }) => ({
      file: file.path,
      policy: file.policy?.metadata.name ?? null,
      valid: isValid(file),
      problems: file.problems.map(problemJson),
      tests: results.map(({ name, passed, failures }) => ({ name, passed, failures: [...failures] })),
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
