import type { Finding } from "../../gen/policyguard/policy/v1/evaluation_pb.ts";
import { outcomeName } from "../part/judgement/outcome-name.ts";
import type { Span } from "../part/judgement/span.ts";

/** A finding as a mark in its text; one of a shadow rule looks as grave as it would be. */
export function spanOf({ start, end, action, category, score }: Finding): Span {
  return { start, end, outcome: outcomeName(action) ?? "FLAG", label: `${category} ${score}` };
}
