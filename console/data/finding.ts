import type { Finding } from "../../gen/policyguard/policy/v1/evaluation_pb.ts";
import { Mode } from "../../gen/policyguard/policy/v1/outcome_pb.ts";
import { outcomeName } from "../part/judgement/outcome-name.ts";
import type { Span } from "../part/judgement/span.ts";
import { decimal } from "../text/format.ts";

/** Those findings that lie in a segment, as marks of its text; one of a shadow rule looks as grave as it would be. */
export function spansOf(findings: readonly Finding[], segmentId: string): Span[] {
  return findings.flatMap(({ segment, start, end, action, category, score }, row) =>
    segment === segmentId
      ? [{ start, end, outcome: outcomeName(action) ?? "FLAG", label: `${category} ${decimal(score)}`, row }]
      : [],
  );
}

/** All findings as rows of a list. */
export function listedOf(findings: readonly Finding[]) {
  return findings.map(({ ruleId, mode, action, category, score, threshold }, row) => ({
    ...{ row, ruleId, category, outcome: outcomeName(action), isShadow: mode === Mode.SHADOW },
    ...{ score: decimal(score), threshold: decimal(threshold) },
  }));
}
