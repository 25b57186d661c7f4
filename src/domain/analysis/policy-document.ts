// Turns a checked policy document into one that may be stored, or into a refusal that says why not.

import type { JsonObject } from "@bufbuild/protobuf";
import { Reason } from "../../../gen/policyguard/common/v1/reason_pb.ts";
import type { PolicyTestResult } from "../../../runtime/engine/authoring/test-runner.ts";
import type { PolicyDocument } from "../../../runtime/engine/policy/document.ts";
import type { PolicyProblem } from "../../../runtime/engine/policy/problem.ts";
import { Fault } from "../../kit/fault/fault.ts";
import type { CheckedDocument, MatchPlaces } from "./check-policy.ts";

/** A document that may be stored: it has no errors, and its tests pass. */
export interface SoundDocument {
  readonly document: JsonObject;
  readonly policy: PolicyDocument;
  readonly source: string | null;
  readonly matchPlaces: MatchPlaces;
}

/** The checked document, when it may be stored; a 422 with every problem or failing test otherwise. */
export function requireSound(checked: CheckedDocument): SoundDocument {
  const { document, policy, source, matchPlaces, problems, tests } = checked;
  if (document === undefined || policy === undefined) throw policyInvalid(problems);
  const failures = tests.filter((test) => !test.passed);
  if (failures.length > 0) throw policyTestsFailed(failures);
  return { document, policy, source, matchPlaces };
}

/** The 422 for tests that fail: nothing was stored or published. */
export function policyTestsFailed(failures: readonly PolicyTestResult[]): Fault {
  const names = failures.map((test) => `${test.policy}: ${test.name}`).join("; ");
  return new Fault(Reason.POLICY_TESTS_FAILED, `policy tests fail: ${names}`, {
    extra: { failures: failures.map(({ policy, name, failures: why }) => ({ policy, name, failures: [...why] })) },
  });
}

/** The 422 for a document that is not a policy: nothing was stored or tested. */
export function policyInvalid(problems: readonly PolicyProblem[]): Fault {
  const first = problems.find((problem) => problem.severity === "error");
  const place = first === undefined || first.line === 0 ? "" : `line ${first.line}, column ${first.column}: `;
  const message = first === undefined ? "the document is not a policy" : `${place}${first.path}: ${first.message}`;
  return new Fault(Reason.POLICY_INVALID, message, {
    extra: {
      problems: problems.map(({ endLine, endColumn, suggestion = null, ...problem }) => {
        return { ...problem, suggestion, end_line: endLine, end_column: endColumn };
      }),
    },
  });
}
