// Tells authors which rules make streams wait for the verdict, and why. `validate` and `explain` show these notices.

import { create, type JsonValue } from "@bufbuild/protobuf";
import type { Stage } from "../../../gen/policyguard/policy/v1/outcome_pb.ts";
import {
  VerdictReason,
  type VerdictRule as VerdictRuleMessage,
  VerdictRuleSchema,
} from "../../../gen/policyguard/policy/v1/stream_pb.ts";
import { catalog } from "../detectors/catalog.ts";
import type { Models } from "../detectors/detector-plan.ts";
import type { PolicyDocument } from "../policy/document.ts";
import { noPacks, type PackSource } from "../policy/extend.ts";
import { parsePolicyInForce } from "../policy/parse.ts";
import { type PolicySource, policySteps } from "../policy-plan/compiled-policy.ts";
import { SpecTable } from "../scan/spec-table.ts";
import { finish } from "../text/steps.ts";
import { asksBackend } from "./followable.ts";
import { holdBacksOf, streamedStages, type VerdictRule } from "./hold-back.ts";
import { whyNotFollowed } from "./tables.ts";

/**
 * Why a stream judges a detector, given by the key of its spec, only at the end: the end of a sentence about it;
 * undefined when it does not.
 */
export type WhyNotFollowed = (specKey: string) => string | undefined;

/** The protocol's reasons by name. */
export const verdictReasons: Readonly<Record<VerdictRule["reason"], VerdictReason>> = {
  quorum: VerdictReason.QUORUM,
  detector: VerdictReason.DETECTOR,
  condition: VerdictReason.CONDITION,
  exemption: VerdictReason.EXEMPTION,
  rollout: VerdictReason.ROLLOUT,
  whole_text: VerdictReason.WHOLE_TEXT,
  output_schema: VerdictReason.OUTPUT_SCHEMA,
  language: VerdictReason.LANGUAGE,
};

const sentences: Readonly<Record<Exclude<VerdictRule["reason"], "detector">, string>> = {
  quorum: "several of its detectors have to find something",
  condition: "its condition reads all findings or the text itself",
  exemption: "the condition of one of its exemptions reads all findings or the text itself",
  rollout: "its roll-out counts by something that the request does not say",
  whole_text: "it has no detector, so it is about the text as a whole",
  output_schema: "the text is validated against an output schema",
  language: "it fails closed for languages that its detector does not know, and only the whole text says which it is",
};

/** The notices for rules that make streams wait, by stage. Each rule gets one notice with all its stages. */
export function verdictNotices(
  byStage: ReadonlyMap<Stage, readonly VerdictRule[]>,
  whyNot: WhyNotFollowed,
): VerdictRuleMessage[] {
  const notices = new Map<string, VerdictRuleMessage>();
  for (const [stage, rules] of byStage) {
    for (const rule of rules) {
      const key = JSON.stringify([rule.policy, rule.rule, rule.reason]);
      const known = notices.get(key);
      if (known !== undefined) known.stages.push(stage);
      else notices.set(key, noticeOf(rule, stage, whyNot));
    }
  }
  return [...notices.values()];
}

function noticeOf({ policy, rule, reason, detector }: VerdictRule, stage: Stage, whyNot: WhyNotFollowed) {
  const message =
    reason === "detector"
      ? `the detector "${detector?.name ?? ""}" ${whyNot(detector?.specKey ?? "") ?? asksBackend}`
      : sentences[reason];
  const about = { policy, ruleId: rule, stages: [stage], reason: verdictReasons[reason], message };
  return create(VerdictRuleSchema, { ...about, detector: detector?.name });
}

/**
 * The rules of a policy, including those of its packs, for which streams wait for the verdict when they are enforced.
 */
export function verdictRulesOf(
  document: PolicyDocument,
  { packs = noPacks, models = new Map() }: { readonly packs?: PackSource | undefined; readonly models?: Models },
): VerdictRuleMessage[] {
  const { name } = document.metadata;
  const scope = { tenantId: "*", appId: "*", agentId: "*", env: "*" };
  const source: PolicySource = { policyId: name, name, version: 1, scope, document, packs };
  // A policy document is JSON; its interface only names the keys.
  const { policy, packs: layers } = parsePolicyInForce(source.document as JsonValue, catalog, packs);
  if (policy === undefined) return [];
  const specs = new SpecTable();
  const definitions = new Map(catalog.map((definition) => [definition.id, definition]));
  const compiled = finish(policySteps(source, policy, layers, { definitions, specs }));
  const byKey = new Map(specs.specs.map((spec) => [spec.key, spec]));
  const whyNot: WhyNotFollowed = (key) => {
    const spec = byKey.get(key);
    return spec === undefined ? asksBackend : whyNotFollowed(spec, models);
  };
  const byStage = streamedStages.map((stage): [Stage, readonly VerdictRule[]] => {
    const facts = { stage, nowMs: Number.POSITIVE_INFINITY, canFollow: (key: string) => whyNot(key) === undefined };
    const applicable = compiled.map((each) => ({ policy: each }));
    return [stage, holdBacksOf(applicable, facts).untilVerdict];
  });
  return verdictNotices(new Map(byStage), whyNot);
}
