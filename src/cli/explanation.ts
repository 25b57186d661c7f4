// An explanation for programs: the members of the server's explanation in the same spelling, and the files of the
// policies.

import type { JsonObject } from "@bufbuild/protobuf";
import type {
  ConditionPart,
  ExplainedCondition,
  ExplainedDetector,
  ExplainedJudgement,
  ExplainedPolicy,
  ExplainedRule,
  ExplainedSegment,
  RuleReference,
} from "../../gen/policyguard/policy/v1/explanation_pb.ts";
import { modes, nameOf, outcomes, severities, trustName } from "../../runtime/engine/policy/enum-names.ts";
import { decisionJson, type Explained, findingJson } from "./evaluate.ts";
import { verdictRuleJson } from "./verdict-rule.ts";

/** An explanation for programs; `paths` are the files of the policies by name. */
export function explanationJson(explained: Explained, paths: ReadonlyMap<string, string>): JsonObject {
  const { explanation, compileUs } = explained;
  const { cost } = explanation;
  return {
    decision: decisionJson(explained),
    segments: explanation.segments.map(segmentJson),
    detectors: explanation.detectors.map(detectorJson),
    until_verdict: explanation.untilVerdict.map(verdictRuleJson),
    policies: explanation.policies.map((policy) => ({
      file: paths.get(policy.name) ?? null,
      ...policyJson(policy),
    })),
    cost: {
      compile_us: compileUs,
      normalize_us: cost?.normalizeUs ?? 0,
      scan_us: cost?.scanUs ?? 0,
      decide_us: cost?.decideUs ?? 0,
      respond_us: cost?.respondUs ?? 0,
      total_us: cost?.totalUs ?? 0,
    },
  };
}

function segmentJson(segment: ExplainedSegment): JsonObject {
  const { id, role, origin, trust, length, scanned, layers, detections, quiet, backends, costUs } = segment;
  return {
    ...{ id, role, origin, trust: trustName(trust), length, scanned },
    layers: layers.map(({ layer, text, start, end, readBy }) => {
      return { layer, text: text ?? null, start, end, read_by: [...readBy] };
    }),
    detections: detections.map(({ detector, names, category, start, end, score, layer, attributes }) => {
      return { detector, names: [...names], category, start, end, score, layer, attributes: { ...attributes } };
    }),
    quiet: quiet.map(({ detector, category, start, end, score, layer, attributes }) => {
      return { detector, category, start, end, score, layer, attributes: { ...attributes } };
    }),
    backends: backends.map(({ detectors, backend, reason, text, score = null, ownScore = null }) => {
      return { detectors: [...detectors], backend, reason, text, score, own_score: ownScore };
    }),
    cost_us: costUs,
  };
}

function detectorJson({ detector, names, parameters, askedBy, detections, costUs }: ExplainedDetector): JsonObject {
  return {
    detector,
    names: [...names],
    parameters: parameters ?? null,
    asked_by: askedBy.map(referenceJson),
    detections,
    cost_us: costUs ?? null,
  };
}

function referenceJson({ policy, ruleId }: RuleReference): JsonObject {
  return { policy, rule_id: ruleId };
}

function policyJson({ name, applies, reason, rules }: ExplainedPolicy): JsonObject {
  return { name, applies, reason, rules: rules.map(ruleJson) };
}

function ruleJson(rule: ExplainedRule): JsonObject {
  const { ruleId, matched, effective, decided, nearly, unjudged, reason } = rule;
  const { rollout, controls, judgements, judgementsLeftOut } = rule;
  return {
    rule_id: ruleId,
    action: nameOf(outcomes, rule.action),
    severity: nameOf(severities, rule.severity),
    mode: nameOf(modes, rule.mode),
    ...{ matched, effective, decided, nearly, unjudged, reason },
    rollout: rollout === undefined ? null : { percent: rollout.percent, by: rollout.by, included: rollout.included },
    controls: [...controls],
    judgements: judgements.map(judgementJson),
    judgements_left_out: judgementsLeftOut,
  };
}

function judgementJson(judgement: ExplainedJudgement): JsonObject {
  const { segment, matched, unjudged, reason, terms, conditions, findings } = judgement;
  return {
    ...{ segment, matched, unjudged, reason },
    terms: terms.map(({ detector, threshold, accepted, bestScore = null, lacking = null, nearly }) => {
      return { detector, threshold, accepted, best_score: bestScore, lacking, nearly };
    }),
    conditions: conditions.map(conditionJson),
    findings: findings.map(findingJson),
  };
}

function conditionJson(condition: ExplainedCondition): JsonObject {
  const { kind, source, category = null, start = null, value, problem, joint, parts } = condition;
  return { kind, source, category, start, value: value ?? null, problem, joint, parts: parts.map(partJson) };
}

function partJson({ source, value, problem }: ConditionPart): JsonObject {
  return { source, value: value ?? null, problem };
}
