// An engine that reads overlays by its own detectors and by keywords, and what it finds.

import { compileEngine, type Engine } from "../../../../runtime/engine/engine.ts";
import type { Overlay } from "../../../../runtime/engine/languages/overlay.ts";
import { parsePolicy } from "../../../../runtime/engine/policy/parse.ts";
import { models, type whole } from "../stream/sample-stream.ts";

/** What an engine looks for besides words. */
export interface Further {
  /** Whether it looks for personal data, which takes longer than all the rest. */
  readonly people?: boolean;
}

/** An engine whose rules all have this action. */
export function engineWith(action: string, overlays: readonly Overlay[], { people = false }: Further = {}): Engine {
  const uses = ["words", "attacks", "insults", "profanity", "self_harm", "subjects", ...(people ? ["people"] : [])];
  const source = [
    "apiVersion: policyguard/v1",
    "kind: Policy",
    "metadata: {name: p}",
    "detectors:",
    "  words: {use: keywords, keywords: [bluebird], from_packs: [custom, drugs]}",
    "  attacks: {use: injection, disguises: false}",
    "  insults: {use: toxicity, model: false}",
    "  subjects: {use: topics, topics: [drugs, gambling]}",
    ...(people ? ["  people: {use: pii, entities: [PASSPORT, PHONE, TAX_ID, NATIONAL_ID]}"] : []),
    "rules:",
    ...uses.map((use) => `  - {id: ${use}, stages: [output], detect: ${use}, action: ${action}}`),
  ].join("\n");
  const { policy: document, problems } = parsePolicy(source);
  if (document === undefined) throw new Error(JSON.stringify(problems));
  const scope = { tenantId: "t", appId: "*", agentId: "*", env: "*" };
  const policies = [{ policyId: "p", name: "p", version: 1, scope, document }];
  return compileEngine({ policies, environment: "prod", projectId: "p", models, overlays });
}

/** What an engine found without overlays and has lost with them; a finding that is surer than before is kept. */
export function lostBy(before: Judged, after: Judged): string[] {
  const kept = after.evaluation.findings;
  const lost = before.evaluation.findings.filter(
    ({ score, ...finding }) => !kept.some((other) => placeOf(other) === placeOf(finding) && other.score >= score),
  );
  return lost.map((finding) => `${placeOf(finding)} ${finding.score}`);
}

type Judged = ReturnType<typeof whole>;
type Finding = Judged["evaluation"]["findings"][number];

function placeOf({ ruleId, category, start, end }: Pick<Finding, "ruleId" | "category" | "start" | "end">): string {
  return JSON.stringify([ruleId, category, start, end]);
}
