// The rules of a stored document, as far as somebody chooses among them.

import type { JsonObject } from "@bufbuild/protobuf";

/** The ids of the rules in a document; none for what is no policy. */
export function ruleIdsOf(document: JsonObject | undefined): string[] {
  const rules = document?.rules;
  if (!Array.isArray(rules)) return [];
  return rules.flatMap((rule) =>
    typeof rule === "object" && rule !== null && !Array.isArray(rule) && typeof rule.id === "string" ? [rule.id] : [],
  );
}
