// Checking a policy document: reading it, all its problems, its own tests.

import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { Reason } from "../../gen/policyguard/common/v1/reason_pb.ts";
import type { VerdictRule } from "../../gen/policyguard/policy/v1/stream_pb.ts";
import { catalog } from "../../runtime/engine/detectors/catalog.ts";
import type { PolicyDocument } from "../../runtime/engine/policy/document.ts";
import { noPacks, type PackSource } from "../../runtime/engine/policy/extend.ts";
import { canonicalPolicy, parsePolicy } from "../../runtime/engine/policy/parse.ts";
import type { PolicyProblem } from "../../runtime/engine/policy/problem.ts";
import { verdictRulesOf } from "../../runtime/engine/stream/notice.ts";
import { type PolicyTestResult, runPolicyTests } from "../../runtime/engine/test-runner.ts";
import { Fault } from "../kit/error.ts";
import { shippedModels } from "../kit/model-file.ts";

/** What came of checking a document. */
export interface CheckedDocument {
  /** The document in canonical form; undefined when it has errors. */
  readonly document: JsonObject | undefined;
  readonly policy: PolicyDocument | undefined;
  /** The document as it was written; null when it came as JSON. */
  readonly source: string | null;
  readonly problems: readonly PolicyProblem[];
  /** Results of its own tests; empty when it has errors. */
  readonly tests: readonly PolicyTestResult[];
  /** The rules for which streams wait for the verdict; empty when it has errors. */
  readonly untilVerdict: () => readonly VerdictRule[];
}

/** Reads a document and runs its tests as of `now`. Never throws for what an author may write. */
export function checkDocument(input: JsonValue, now: Date, packs: PackSource = noPacks): CheckedDocument {
  const source = typeof input === "string" ? input : null;
  const { policy, problems } = parsePolicy(input, catalog, packs, now);
  if (policy === undefined) return { document: undefined, policy, source, problems, tests: [], untilVerdict: () => [] };
  const models = shippedModels();
  return {
    document: canonicalPolicy(policy),
    policy,
    source,
    problems,
    tests: runPolicyTests(policy, { now, packs, models }),
    untilVerdict: () => verdictRulesOf(policy, { packs, models }),
  };
}

/** A document that may be stored: without errors, its tests green. */
export interface SoundDocument {
  readonly document: JsonObject;
  readonly policy: PolicyDocument;
  readonly source: string | null;
}

/** The checked document, when it may be stored; a 422 with every problem or failing test otherwise. */
export function requireSound({ document, policy, source, problems, tests }: CheckedDocument): SoundDocument {
  if (document === undefined || policy === undefined) throw policyInvalid(problems);
  const failures = tests.filter((test) => !test.passed);
  if (failures.length > 0) throw policyTestsFailed(failures);
  return { document, policy, source };
}

/** Nothing was stored or published, because these tests fail. */
export function policyTestsFailed(failures: readonly PolicyTestResult[]): Fault {
  const names = failures.map((test) => `${test.policy}: ${test.name}`).join("; ");
  return new Fault(Reason.POLICY_TESTS_FAILED, `policy tests fail: ${names}`, {
    extra: { failures: failures.map(({ policy, name, failures: why }) => ({ policy, name, failures: [...why] })) },
  });
}

/** Nothing was stored or tried, because the document is no policy. */
export function policyInvalid(problems: readonly PolicyProblem[]): Fault {
  const first = problems.find((problem) => problem.severity === "error");
  const place = first === undefined || first.line === 0 ? "" : `line ${first.line}, column ${first.column}: `;
  const message = first === undefined ? "the document is not a policy" : `${place}${first.path}: ${first.message}`;
  return new Fault(Reason.POLICY_INVALID, message, {
    extra: { problems: problems.map((problem) => ({ suggestion: null, ...problem })) },
  });
}
