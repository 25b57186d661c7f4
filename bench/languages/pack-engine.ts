// An engine that reads language packs by its own detectors and by keywords, for what packs cost and for the tests of
// overlays.

import { compileEngine, type Engine } from "../../runtime/engine/engine.ts";
import type { Overlay } from "../../runtime/engine/languages/overlay.ts";
import { parsePolicy } from "../../runtime/engine/policy/parse.ts";
import { shippedModels } from "../../src/kit/process/model-file.ts";

/** What an engine looks for besides words. */
export interface Further {
  /** Whether it looks for personal data, which takes longer than all the rest. */
  readonly people?: boolean;
}

/** An engine whose rules all have this action. */
export function packEngine(action: string, overlays: readonly Overlay[], { people = false }: Further = {}): Engine {
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
  return compileEngine({ policies, environment: "prod", projectId: "p", models: shippedModels(), overlays });
}
