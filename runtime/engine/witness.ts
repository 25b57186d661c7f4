// Requests that two versions of a policy judge differently, looked for among the tests of both.

import type { Outcome } from "../../gen/policyguard/policy/v1/outcome_pb.ts";
import type { PolicyDocument, PolicyTest } from "./policy/document.ts";
import { exampleAgent, TestBench, type TestRunOptions } from "./test-runner.ts";

/** A test whose request the versions judge differently. */
export interface Witness {
  readonly test: string;
  readonly before: Outcome;
  readonly after: Outcome;
}

const mostWitnesses = 20;

/** Tries the tests of both versions. Throws PolicyInvalid for a version that cannot be compiled. */
export function findWitnesses(before: PolicyDocument, after: PolicyDocument, options: TestRunOptions): Witness[] {
  const [old, now] = [new TestBench(before, options), new TestBench(after, options)];
  const tests = new Map(
    [...placed(before), ...placed(after)].map((test) => [JSON.stringify({ ...test, expect: 0 }), test]),
  );
  const witnesses: Witness[] = [];
  for (const test of tests.values()) {
    if (witnesses.length >= mostWitnesses) break;
    const [was, is] = [old, now].map((bench) => bench.evaluate(test).response.outcome);
    if (was !== undefined && is !== undefined && was !== is)
      witnesses.push({ test: test.name, before: was, after: is });
  }
  return witnesses;
}

/** The tests with where and for whom they run, which the versions may choose differently. */
function placed(document: PolicyDocument): PolicyTest[] {
  const env = document.match?.envs?.[0] ?? "test";
  const agent = exampleAgent(document);
  return (document.tests ?? []).map((test) => ({ env, ...(agent === undefined ? {} : { agent }), ...test }));
}
