// An engine that finds what language packs say, by category.

import { create } from "@bufbuild/protobuf";
import { EvaluateRequestSchema } from "../../../../../gen/policyguard/policy/v1/evaluation_pb.ts";
import { compileEngine } from "../../../../../runtime/engine/engine.ts";
import { type Overlay, overlayCategories } from "../../../../../runtime/engine/languages/overlay.ts";
import { parsePolicy } from "../../../../../runtime/engine/policy/parse.ts";
import { context } from "../../stream/sample-stream.ts";

/** Words that announce personal data are no findings by themselves. */
const categories = overlayCategories.filter((name) => name !== "pii_cue");

/** Finds the categories of a text that the overlays know, each with its words. */
export function finderOf(overlays: readonly Overlay[]): (text: string) => { category: string; text: string }[] {
  const source = [
    "apiVersion: policyguard/v1",
    "kind: Policy",
    "metadata: {name: languages}",
    "detectors:",
    ...categories.map((name) => `  ${name}_words: {use: keywords, from_packs: [${name}], category: ${name}}`),
    "rules:",
    ...categories.map((name) => `  - {id: ${name}, stages: [output], detect: ${name}_words, action: FLAG}`),
  ].join("\n");
  const { policy: document, problems } = parsePolicy(source);
  if (document === undefined) throw new Error(JSON.stringify(problems));
  const scope = { tenantId: "t", appId: "*", agentId: "*", env: "*" };
  const policies = [{ policyId: "p", name: "p", version: 1, scope, document }];
  const engine = compileEngine({ policies, environment: "prod", projectId: "p", overlays });
  return (text) =>
    engine
      .evaluate(create(EvaluateRequestSchema, { text }), context)
      .findings.map(({ category, start, end }) => ({ category, text: text.slice(start, end) }));
}
