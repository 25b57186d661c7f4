// A document narrows the scope of its policy. One that leaves nothing of it would never apply, and nobody would notice.

import { matchesGlob } from "../../runtime/engine/glob.ts";
import type { PolicyDocument } from "../../runtime/engine/policy/document.ts";
import { type Place, Problems } from "../../runtime/engine/policy/problem.ts";
import { treeFromText } from "../../runtime/engine/policy/source-tree.ts";
import { placeAt } from "../../runtime/engine/policy/tree-path.ts";
import { policyInvalid, type SoundDocument } from "./policy-document.ts";
import type { PolicyScope } from "./policy-scope.ts";

/** Refuses a document that can never apply in the scope. */
export function assertMeetsScope(
  { policy, source }: Pick<SoundDocument, "policy" | "source">,
  scope: PolicyScope,
): void {
  const problems = contradictions(policy, scope).map(({ key, message }) => ({
    ...placeOf(source, key),
    path: `match.${key}`,
    message,
    severity: "error" as const,
  }));
  if (problems.length > 0) throw policyInvalid(problems);
}

function contradictions({ match }: PolicyDocument, { agentId, env }: PolicyScope) {
  const found: { key: "envs" | "agents"; message: string }[] = [];
  if (env !== "*" && match?.envs !== undefined && !match.envs.includes(env)) {
    found.push({ key: "envs", message: `the policy would never apply: its scope is the environment ${env}` });
  }
  if (agentId !== "*" && match?.agents !== undefined && !match.agents.some((glob) => matchesGlob(glob, agentId))) {
    found.push({ key: "agents", message: `the policy would never apply: its scope is the agent ${agentId}` });
  }
  return found;
}

function placeOf(source: string | null, key: string): Place {
  const tree = source === null ? undefined : treeFromText(source, new Problems());
  return tree === undefined ? { line: 0, column: 0 } : placeAt(tree, ["match", key]);
}
