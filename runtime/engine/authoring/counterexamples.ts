// Finds requests that two versions of a policy judge differently, among the tests of both.

import type { Outcome } from "../../../gen/policyguard/policy/v1/outcome_pb.ts";
import type { PolicyDocument, PolicyTest } from "../policy/document.ts";
import { exampleAgent, TestBench, type TestRunOptions } from "./test-runner.ts";

/** A test whose request the versions judge differently. */
export interface Counterexample {
  readonly test: string;
  readonly before: Outcome;
  readonly after: Outcome;
}

const maxCounterexamples = 20;

/**
 * Runs the tests of both versions. Throws PolicyInvalid for a version that cannot be compiled. The later one may have
 * packs of its own.
 */
export function findCounterexamples(
  before: PolicyDocument,
  after: PolicyDocument,
  options: TestRunOptions,
  laterPacks = options.packs,
): Counterexample[] {
  const later = { ...options, packs: laterPacks };
  const [old, now] = [new TestBench(before, options), new TestBench(after, later)];
  const tests = new Map(
    [...placed(before), ...placed(after)].map((test) => [JSON.stringify({ ...test, expect: 0 }), test]),
  );
  const counterexamples: Counterexample[] = [];
  for (const test of tests.values()) {
    if (counterexamples.length >= maxCounterexamples) break;
    const [was, is] = [old, now].map((bench) => bench.evaluate(test).response.outcome);
    if (was !== undefined && is !== undefined && was !== is)
      counterexamples.push({ test: test.name, before: was, after: is });
  }
  return counterexamples;
}

/** The tests with the environment and agent for which they run, which each version may choose differently. */
function placed(document: PolicyDocument): PolicyTest[] {
  const env = document.match?.envs?.[0] ?? "test";
  const agent = exampleAgent(document);
  return (document.tests ?? []).map((test) => ({ env, ...(agent === undefined ? {} : { agent }), ...test }));
}
