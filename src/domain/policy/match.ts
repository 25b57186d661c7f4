// A document narrows the scope of its policy by `match`. A document that leaves nothing of the scope would never apply,
// and nobody would notice.

import type { PolicyDocument } from "../../../runtime/engine/policy/document.ts";
import { matchesGlob } from "../../../runtime/engine/text/glob.ts";
import { policyInvalid, type SoundDocument } from "../analysis/policy-document.ts";
import type { PolicyScope } from "./scope.ts";

/** Refuses a document that can never apply in the scope. */
export function assertMeetsScope(
  { policy, matchPlaces }: Pick<SoundDocument, "policy" | "matchPlaces">,
  scope: PolicyScope,
): void {
  const problems = contradictions(policy, scope).map(({ key, message }) => ({
    code: "scope_mismatch" as const,
    ...matchPlaces[key],
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
