// Differences of two versions of a policy, as tests compare them.

import { diffPolicies } from "../../../../runtime/engine/authoring/diff.ts";
import type { PolicyDocument } from "../../../../runtime/engine/policy/document.ts";
import { parsePolicy } from "../../../../runtime/engine/policy/parse.ts";

const head = "apiVersion: policyguard/v1\nkind: Policy\nmetadata: {name: p}\n";

function document(body: string): PolicyDocument {
  const { policy, problems } = parsePolicy(head + body);
  if (policy === undefined) throw new Error(JSON.stringify(problems));
  return policy;
}

/** What is told of the way from one version to another, each change as "effect: text". */
export function diff(before: string, after: string) {
  const { changes, strictness, reasons } = diffPolicies(document(before), document(after));
  return { told: changes.map(({ text, effect }) => `${effect}: ${text}`), strictness, reasons, changes };
}

/** A policy with one rule, which blocks. */
export const rule = (more: string) => `rules:\n  - {id: r, stages: [input], action: BLOCK, ${more}}\n`;
/** A policy that blocks what `secrets` finds. */
export const secrets = "rules:\n  - {id: r, stages: [input], detect: secrets, action: BLOCK}\n";
