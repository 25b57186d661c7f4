// The rules of a pack's document, as a table shows them.

import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { textsOf } from "./parameter.ts";

/** One rule: its id, where it applies, what it does. */
export interface RuleRow {
  readonly id: string;
  readonly stages: string;
  readonly action: string;
}

/** The rules of a document in canonical form. */
export function ruleRows(document: JsonObject | undefined): RuleRow[] {
  const rules = document?.rules;
  return (Array.isArray(rules) ? rules : []).flatMap((rule) =>
    typeof rule === "object" && rule !== null && !Array.isArray(rule)
      ? [{ id: text(rule.id), stages: textsOf(rule.stages).join(", "), action: text(rule.action) }]
      : [],
  );
}

function text(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : "";
}
