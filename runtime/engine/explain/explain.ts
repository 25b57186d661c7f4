// An evaluation with everything that led to its answer. The evaluation itself runs, observed; so an explanation cannot
// disagree with the decision.

import { create } from "@bufbuild/protobuf";
import type { EvaluateRequest } from "../../../gen/policyguard/policy/v1/evaluation_pb.ts";
import {
  type ExplainedDetector,
  ExplainedDetectorSchema,
  type ExplainedPolicy,
  ExplainedPolicySchema,
  type ExplainedSegment,
  ExplainedSegmentSchema,
  type Explanation,
  ExplanationSchema,
} from "../../../gen/policyguard/policy/v1/explanation_pb.ts";
import type { VerdictRule } from "../../../gen/policyguard/policy/v1/stream_pb.ts";
import type { LocatedDetection } from "../decide/fact-sheet.ts";
import type { DetectorSpec, Scanner } from "../detectors/detector.ts";
import { type Voice, voicesOf } from "../evaluate/backend-voice.ts";
import type { EvaluationContext, EvaluationTools } from "../evaluate/context.ts";
import { type Evaluation, quietHits, rolloutValue, runEvaluation } from "../evaluate/evaluation.ts";
import { appliesToAgent } from "../policy-plan/applicability.ts";
import type { CompiledPolicy, PolicyScope, PolicySource } from "../policy-plan/compiled-policy.ts";
import type { TextSegment } from "../segment/segment.ts";
import { explainBackend } from "./explain-backend.ts";
import { ConditionExplainer } from "./explain-condition.ts";
import { Recorder } from "./explain-record.ts";
import { explainRule } from "./explain-rule.ts";

/** The inputs that an engine gives to each of its explanations. */
export interface ExplanationTools extends EvaluationTools {
  /** Every policy that the engine was made from, including those of other environments. */
  readonly sources: readonly SourceSummary[];
  /** The policies that can apply in its environment. */
  readonly policies: readonly CompiledPolicy[];
  readonly specs: readonly DetectorSpec[];
  /** The rules for which a stream of the request would wait for the verdict. */
  readonly untilVerdict: (request: EvaluateRequest, context: EvaluationContext) => VerdictRule[];
  /** A scanner of one detector, to measure its own cost. */
  readonly scannerOf: (spec: DetectorSpec) => Scanner;
}

/** The description of a policy that does not apply. */
export interface SourceSummary {
  readonly policyId: string;
  readonly name: string;
  readonly version: number;
  readonly scope: PolicyScope;
  /** The environments that its document names; empty for all. */
  readonly envs: readonly string[];
}

/** The summary of a policy, which is kept instead of its document. */
export function summaryOf({ policyId, name, version, scope, document }: PolicySource): SourceSummary {
  const { match } = document as { readonly match?: { readonly envs?: readonly string[] } }; // it was valid when it was stored
  return { policyId, name, version, scope, envs: match?.envs ?? [] };
}

/** An evaluation with its explanation. */
export interface ExplainedEvaluation {
  readonly evaluation: Evaluation;
  readonly explanation: Explanation;
}

/** Maximum time of an explanation beyond its evaluation, in microseconds. */
const extraUs = 1_000_000;

/** Text up to this length is scanned once before a detector is measured, since the first scan also builds tables. */
const maxWarmedUp = 65_536;

/** Evaluates a request and explains the answer. */
export function runExplanation(
  request: EvaluateRequest,
  context: EvaluationContext,
  tools: ExplanationTools,
): ExplainedEvaluation {
  const record = new Recorder(context);
  const scanner = record.timed(tools.scanner);
  const evaluation = runEvaluation(request, context, { ...tools, scanner, observer: record });
  const endUs = context.elapsedUs();
  const { deciding } = record;
  const quiet = quietHits(record.segments, record.detections, request, { context, tools });
  const voices = voicesOf({
    segments: record.segments,
    detections: record.detections,
    unasked: record.unasked,
    context,
    tools,
  });
  const hasTime = () => context.elapsedUs() - endUs < extraUs;
  const explanation = create(ExplanationSchema, {
    response: evaluation.response,
    decidedBy: deciding && { policy: deciding.policy.name, ruleId: deciding.rule.id },
    environment: tools.environment,
    segments: record.segments.map((segment, index) => explainSegment(segment, index, { record, tools, quiet, voices })),
    detectors: tools.specs.map((spec) =>
      explainDetector(spec, record, tools, hasTime() ? costOf(spec, record, tools, context) : undefined),
    ),
    untilVerdict: tools.untilVerdict(request, context),
    policies: explainPolicies(request, context, { record, evaluation, tools, hasTime }),
    cost: {
      normalizeUs: wholeUs(normalizeUs(record, tools, context)),
      scanUs: wholeUs(record.scanUs.reduce((sum, us) => sum + us, 0)),
      decideUs: wholeUs(record.decidedUs - record.scannedUs),
      respondUs: wholeUs(endUs - record.decidedUs),
      totalUs: wholeUs(endUs - record.beganUs),
    },
  });
  return { evaluation, explanation };
}

interface SegmentParts {
  readonly record: Recorder;
  readonly tools: ExplanationTools;
  readonly quiet: readonly LocatedDetection[];
  readonly voices: readonly Voice[];
}

function explainSegment(
  segment: TextSegment,
  index: number,
  { record, tools, quiet, voices }: SegmentParts,
): ExplainedSegment {
  const at = record.scannedSegments().indexOf(index);
  const useOf = new Map(tools.specs.map(({ key, use }) => [key, use]));
  const forms = at < 0 ? [] : tools.scanner.formsOf(segment.text);
  return create(ExplainedSegmentSchema, {
    id: segment.id,
    role: segment.role,
    origin: segment.origin,
    trust: segment.trust,
    length: segment.text.length,
    scanned: record.detections[index] !== undefined,
    layers: forms.map(({ layer, text, start, end, readers }) => ({
      layer,
      text: layer === "plain" ? undefined : text,
      start,
      end,
      readBy: [...new Set(readers.map((key) => useOf.get(key) ?? ""))].sort(),
    })),
    detections: [...(record.detections[index] ?? [])].flatMap(([key, found]) =>
      found.map(({ attributes, ...detection }) => ({
        detector: useOf.get(key) ?? "",
        names: [...tools.namesOf(key)],
        ...detection,
        attributes: { ...attributes },
      })),
    ),
    quiet: quiet
      .filter((each) => each.segment === index)
      .map(({ detector, detection: { attributes, ...detection } }) => ({
        detector,
        ...detection,
        attributes: { ...attributes },
      })),
    backends: voices.filter(({ piece }) => piece === index).map(explainBackend),
    costUs: wholeUs(record.scanUs[at] ?? 0),
  });
}

function explainDetector(
  spec: DetectorSpec,
  record: Recorder,
  tools: ExplanationTools,
  costUs: number | undefined,
): ExplainedDetector {
  return create(ExplainedDetectorSchema, {
    detector: spec.use,
    names: [...tools.namesOf(spec.key)],
    parameters: spec.parameters,
    askedBy: tools.policies.flatMap(({ name, rules }) =>
      rules
        .filter(({ terms }) => terms.some(({ specKey }) => specKey === spec.key))
        .map(({ id }) => ({ policy: name, ruleId: id })),
    ),
    detections: record.detections.reduce((sum, found) => sum + (found?.get(spec.key)?.length ?? 0), 0),
    costUs: costUs === undefined ? undefined : wholeUs(costUs),
  });
}

/** Microseconds that a detector alone takes for the request. */
function costOf(
  spec: DetectorSpec,
  record: Recorder,
  tools: ExplanationTools,
  { elapsedUs }: EvaluationContext,
): number {
  const texts = record.scannedTexts();
  const scanner = tools.scannerOf(spec);
  const scanAll = () => {
    for (const text of texts) scanner.scan(text);
  };
  if (texts.reduce((sum, text) => sum + text.length, 0) <= maxWarmedUp) scanAll();
  const beganUs = elapsedUs();
  scanAll();
  return elapsedUs() - beganUs;
}

function normalizeUs(record: Recorder, { scanner }: ExplanationTools, { elapsedUs }: EvaluationContext): number {
  const beganUs = elapsedUs();
  for (const text of record.scannedTexts()) scanner.formsOf(text);
  return elapsedUs() - beganUs;
}

interface PolicyParts {
  readonly record: Recorder;
  readonly evaluation: Evaluation;
  readonly tools: ExplanationTools;
  readonly hasTime: () => boolean;
}

function explainPolicies(
  request: EvaluateRequest,
  context: EvaluationContext,
  { record, evaluation, tools, hasTime }: PolicyParts,
): ExplainedPolicy[] {
  const found = record.matches.flatMap((match, index) => {
    const finding = evaluation.findings[index]; // findings are made of the matches, one of each
    return finding === undefined ? [] : [{ match, finding }];
  });
  return tools.sources.map((source) => {
    const { policyId, name, version } = source;
    // The policy's own rules, and the rules of each pack that it extends.
    const layers = tools.policies.filter((each) => each.policyId === policyId && each.name === name);
    const [policy] = layers;
    const about = { policyId, name, version };
    if (policy === undefined || !record.asks.has(policy)) {
      return create(ExplainedPolicySchema, { ...about, reason: absence(source, policy, request, tools) });
    }
    const rules = layers.flatMap((layer) => {
      const ask = record.asks.get(layer);
      if (ask === undefined) return [];
      const conditions = new ConditionExplainer(layer, ask, hasTime);
      return [...layer.rules, ...layer.offRules].map((rule) => ({ rule, conditions }));
    });
    return create(ExplainedPolicySchema, {
      ...about,
      applies: true,
      rules: rules
        .sort((a, b) => a.rule.index - b.rule.index)
        .map(({ rule, conditions }) =>
          explainRule(rule, {
            stage: context.stage,
            nowMs: context.now.getTime(),
            segments: record.segments,
            detections: record.detections,
            found,
            passed: (each, segment) => record.whyPassed(each, segment),
            deciding: record.deciding,
            conditions,
            rolloutValue: (by) => rolloutValue(by, request, record.segments, context.evaluationId).value,
          }),
        ),
    });
  });
}

/** Why a policy does not apply. */
function absence(
  { scope, envs }: SourceSummary,
  policy: CompiledPolicy | undefined,
  { agentId = "" }: EvaluateRequest,
  { environment }: ExplanationTools,
): string {
  if (policy !== undefined && !appliesToAgent(policy, agentId)) {
    const agents = scope.agentId === "*" ? (policy.agents ?? []).join(", ") : scope.agentId;
    return `it is for the agents ${agents}; the request ${agentId === "" ? "names none" : `names ${agentId}`}`;
  }
  if (scope.env !== "*" && scope.env !== environment) return `it is for the environment ${scope.env}`;
  return envs.length === 0 || envs.includes(environment)
    ? "it is for another project"
    : `it is for the environments ${envs.join(", ")}`;
}

function wholeUs(us: number): number {
  return Math.max(0, Math.min(2 ** 31 - 1, Math.round(us)));
}
