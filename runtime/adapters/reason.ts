import type { EvaluateResponse } from "../../gen/policyguard/policy/v1/evaluation_pb.ts";
import { Mode, type Outcome } from "../../gen/policyguard/policy/v1/outcome_pb.ts";

/** Why a text was stopped, for people: the message of the rule that decided, or the rule's name. */
export function reasonOf({ message, findings }: EvaluateResponse, action: Outcome): string {
  if (message !== undefined) return message;
  const deciding = findings.find(
    (finding) => finding.action === action && finding.mode === Mode.ENFORCE && finding.exemptedBy === undefined,
  );
  return deciding === undefined
    ? "blocked by policy"
    : `blocked by the rule ${deciding.ruleId} of the policy ${deciding.policy}`;
}
