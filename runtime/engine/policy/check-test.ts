// Checks tests beyond what a schema can express: each must send something, and name rules and lists that exist.

import type { PolicyDocument, PolicyTest, TestExpectation, TestRequest } from "./document.ts";
import type { PackLayer } from "./extend.ts";
import { isNamed } from "./list.ts";
import { didYouMean } from "./problem.ts";
import { isTimestamp, type Reporter } from "./reporter.ts";
import type { TreePath } from "./tree-path.ts";

/** The rules and lists that tests may name. */
export interface TestTargets {
  readonly policy: Pick<PolicyDocument, "lists">;
  readonly packs: readonly PackLayer[];
  /** Ids of all rules, including those of packs; undefined when they are unknown. */
  readonly ruleIds: readonly string[] | undefined;
}

const requestKeys = ["text", "messages", "segments", "tool_calls"] as const;
const wholeKeys = ["stream", "turns", "languages"] as const;

/** Reports the problems of one test. */
export function checkTest(test: PolicyTest, path: TreePath, targets: TestTargets, report: Reporter): void {
  checkForms(test, path, report);
  checkExpectation(test.expect, [...path, "expect"], targets.ruleIds, report);
  for (const [index, turn] of (test.turns ?? []).entries()) {
    if (typeof turn === "string") continue;
    const at = [...path, "turns", index];
    checkRequest(turn, at, "a turn", report);
    if (turn.expect !== undefined) checkExpectation(turn.expect, [...at, "expect"], targets.ruleIds, report);
  }
  if (test.transcript === true && test.messages === undefined) {
    report.error("invalid_test", [...path, "transcript"], 'only a test with "messages" can be a whole conversation');
  }
  if (test.at !== undefined && !isTimestamp(test.at))
    report.error("invalid_date", [...path, "at"], `"${test.at}" is not a date`);
  checkLists(test, path, targets, report);
  if (test.expect.released !== undefined && test.stream === undefined) {
    report.error("invalid_test", [...path, "expect", "released"], 'only a test with "stream" releases text');
  }
}

function checkForms(test: PolicyTest, path: TreePath, report: Reporter): void {
  const whole = wholeKeys.filter((key) => test[key] !== undefined);
  if (whole.length === 0) {
    checkRequest(test, path, "a test", report);
    return;
  }
  const [form = "stream"] = whole;
  const beside = [...whole.slice(1), ...requestKeys.filter((key) => test[key] !== undefined)];
  if (beside.length > 0)
    report.error(
      "invalid_test",
      path,
      `a test with "${form}" has no other form of text, found ${beside.join(" and ")}`,
    );
}

function checkRequest(request: TestRequest, path: TreePath, what: string, report: Reporter): void {
  const given = requestKeys.filter((key) => request[key] !== undefined);
  const texts = given.filter((key) => key !== "tool_calls");
  const forms = requestKeys.map((key) => `"${key}"`).join(", ");
  const others = what === "a test" ? `, ${wholeKeys.map((key) => `"${key}"`).join(", ")}` : "";
  if (given.length === 0) report.error("invalid_test", path, `${what} needs one of ${forms}${others}`);
  if (texts.length > 1)
    report.error("invalid_test", path, `${what} has one form of text, found ${texts.join(" and ")}`);
}

function checkExpectation(
  expect: TestExpectation,
  path: TreePath,
  ids: readonly string[] | undefined,
  report: Reporter,
): void {
  for (const key of ["rules", "not_rules"] as const) {
    for (const [at, id] of (expect[key] ?? []).entries()) {
      if (ids === undefined || ids.includes(id)) continue;
      report.error("unknown_rule", [...path, key, at], `the policy has no rule "${id}"`, didYouMean(id, ids));
    }
  }
  if (expect.redacted !== undefined && expect.outcome !== "REDACT") {
    report.error("invalid_test", [...path, "redacted"], "only the outcome REDACT has a rewritten text");
  }
}

function checkLists(
  { lists = {} }: PolicyTest,
  path: TreePath,
  { policy, packs }: TestTargets,
  report: Reporter,
): void {
  const declared = [policy, ...packs.map(({ document }) => document)].flatMap((document) =>
    Object.entries(document.lists ?? {}).flatMap(([name, list]) => (isNamed(list) ? [name] : [])),
  );
  for (const name of Object.keys(lists)) {
    if (declared.includes(name)) continue;
    report.error(
      "unknown_list",
      [...path, "lists", name],
      `the policy declares no named list "${name}"`,
      didYouMean(name, declared),
    );
  }
}
