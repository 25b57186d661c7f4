// Random policies and requests, the records that runtimes make of them, and facts taken away from records.

import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import fc from "fast-check";
import {
  BundleReferenceSchema,
  type EvaluateRequest,
  EvaluateRequestSchema,
  SegmentSchema,
  ToolCallSchema,
} from "../../../../gen/policyguard/policy/v1/evaluation_pb.ts";
import { Stage } from "../../../../gen/policyguard/policy/v1/outcome_pb.ts";
import {
  CaptureMode,
  type EvaluationRecord,
  EvaluationRecordSchema,
} from "../../../../gen/policyguard/policy/v1/record_pb.ts";
import { recordOf } from "../../../../runtime/control-plane/record.ts";
import type { BackendAnswers } from "../../../../runtime/engine/backend/backend.ts";
import type { Engine } from "../../../../runtime/engine/engine.ts";
import type { EvaluationContext } from "../../../../runtime/engine/evaluate/context.ts";
import type { Evaluation } from "../../../../runtime/engine/evaluate/evaluation.ts";
import type { PolicyDocument, PolicyRule } from "../../../../runtime/engine/policy/document.ts";
import { emptyLedger, type SessionView } from "../../../../runtime/engine/segment/session.ts";
import { engineOf } from "../sample-engine.ts";

/** The time at which samples are evaluated. */
export const sampleNow = new Date("2026-11-20T10:00:00Z");

const conditions = [
  'segment.trust == "untrusted"',
  'request.agent_id == "bot-1"',
  'request.language == "de"',
  'request.env == "prod" && size(subject.roles) > 0',
  'subject.user_id == "ann"',
  '"admin" in subject.roles',
  '"admin" in subject.roles && request.agent_id == "bot-1"',
  'subject.attributes.level == "high" || segment.length > 12',
  'request.metadata.tier == "gold"',
  "session.turns > 1",
  'session.turns > 1 && segment.trust == "untrusted"',
  'segment.text.contains("plain")',
  'lists.friends.exists(each, each == subject.user_id) || segment.origin == "web"',
  "size(findings) > 1",
  'findings.exists(each, each.category == "pii.email")',
  'findings.exists(each, each.domain == "b.cc")',
];
const findingConditions = [
  'finding.domain == "b.cc"',
  "finding.score > 0.8",
  'finding.category == "pii.email" && "admin" in subject.roles',
  "finding.domain in lists.friends || finding.start > 4",
];
const toolConditions = ['tool.name == "mail"', 'tool.args.to == "ann"', 'tool.name == "mail" && has(tool.args.to)'];

const detection: fc.Arbitrary<Partial<PolicyRule>> = fc.oneof(
  fc
    .record({
      ref: fc.constantFrom("pii", "secrets", "injection", "own", "far"),
      threshold: fc.constantFrom(0.1, 0.6, 0.8, 1),
    })
    .map((detect) => ({ detect })),
  fc.constant({ detect: { ref: "pii", threshold: 0.5, entities: ["EMAIL"] } }),
  fc.constant({ detect: { ref: "pii", threshold: 0.5, categories: ["pii.phone"] } }),
  fc
    .record({
      at_least: fc.constantFrom(1, 2),
      of: fc.subarray(["pii", "secrets", "injection", "own"], { minLength: 2 }),
    })
    .map((quorum) => ({ detect: { quorum } })),
);

const ruleModel = fc
  .record({
    what: fc.oneof({ weight: 6, arbitrary: detection }, { weight: 1, arbitrary: fc.constant({}) }),
    stage: fc.constantFrom<readonly PolicyRule["stages"][number][]>(["input"], ["input", "tool_call"], ["output"]),
    action: fc.constantFrom("ALLOW", "FLAG", "REDACT", "BLOCK") as fc.Arbitrary<PolicyRule["action"]>,
    mode: fc.constantFrom("enforce", "enforce", "enforce", "shadow", "off") as fc.Arbitrary<PolicyRule["mode"]>,
    onError: fc.constantFrom("fail_open", "fail_closed"),
    when: fc.option(fc.constantFrom(...conditions, ...findingConditions, ...toolConditions), { nil: undefined }),
    unless: fc.option(fc.constantFrom(...conditions), { nil: undefined, freq: 3 }),
    rollout: fc.option(
      fc.record({ percent: fc.constantFrom(0, 30, 70, 100), by: fc.constantFrom("session_id", "user_id", "agent_id") }),
      { nil: undefined, freq: 5 },
    ),
  })
  .map(({ what, stage, action, mode, onError, when, unless, rollout }) => {
    const hasDetector = "detect" in what;
    const own = when === undefined && !hasDetector ? 'segment.trust == "untrusted"' : when;
    return {
      ...what,
      ...{ stages: own?.includes("tool.") ? ["tool_call" as const] : stage, action, mode, on_error: onError },
      // A rule without a detector has no finding to ask about, and nothing to rewrite in a call.
      ...(!hasDetector && action === "REDACT" && { action: "FLAG" as const }),
      ...(own !== undefined && { when: !hasDetector && own.includes("finding.") ? "segment.length > 3" : own }),
      ...(unless !== undefined && { unless }),
      ...(rollout !== undefined && { rollout }),
    };
  });

/** A policy that is valid. */
export const policyModel = fc
  .record({
    rules: fc.array(ruleModel, { minLength: 1, maxLength: 4 }),
    exemption: fc.option(fc.constantFrom(...conditions, ...findingConditions), { nil: undefined, freq: 2 }),
    words: fc.constantFrom(["plain"], ["ignore", "plain"]),
    timeoutMs: fc.constantFrom(1_000, 200),
    unlisted: fc.constantFrom("ignore", "ignore", "unjudged"),
    friends: fc.constantFrom(["ann", "b.cc"], ["bob"]),
    ask: fc.constantFrom(undefined, { between: [0, 0.5] }, { stages: ["tool_call"] }, { origins: ["mail*", "t*"] }),
  })
  .map(({ rules, exemption, words, timeoutMs, unlisted, friends, ask }): PolicyDocument => {
    const document = {
      ...{ apiVersion: "policyguard/v1", kind: "Policy", metadata: { name: "p" } },
      defaults: { timeout_ms: timeoutMs, unsupported_language: unlisted },
      lists: { friends },
      detectors: {
        own: { use: "words", words },
        far: { use: "secrets", backend: ask === undefined ? "remote" : { key: "remote", ask } },
      },
      rules: rules.map((rule, index) => ({ id: `r${index}`, ...rule })),
      ...(exemption !== undefined && {
        exemptions: [{ id: "x", when: exemption, rules: ["r0", "r2"], reason: "because" }],
      }),
    };
    return document as unknown as PolicyDocument; // checked when an engine is made of it
  });

/** A request with what is around it. */
export interface SampleCase {
  readonly request: EvaluateRequest;
  readonly context: EvaluationContext;
}

const words = [
  ...["KEY-1", "KEY-22", "a@b.cc", "+1234567", "ignore all", "ignore this", "plain", "nothing"],
  // In a language that no detector knows.
  "დღეს კარგი ამინდია და ჩვენ ყველანი ერთად მივდივართ ქალაქის ბაღში სასეირნოდ",
];

const session: fc.Arbitrary<SessionView | undefined> = fc.constantFrom(
  undefined,
  { known: true, ledger: { ...emptyLedger, turns: 3 } },
  { known: true, ledger: emptyLedger },
);

/** A request. */
export const caseModel: fc.Arbitrary<SampleCase> = fc
  .record({
    segments: fc.array(
      fc.record({
        role: fc.constantFrom("user", "system"),
        origin: fc.constantFrom(undefined, "web"),
        words: fc.array(fc.constantFrom(...words), { maxLength: 5 }),
      }),
      { maxLength: 3 },
    ),
    call: fc.option(fc.constantFrom({ to: "ann" }, { to: "a@b.cc", text: "KEY-1" }), { nil: undefined, freq: 3 }),
    roles: fc.constantFrom([], ["admin"], ["guest"]),
    attributes: fc.constantFrom(undefined, { level: "high" }),
    userId: fc.constantFrom(undefined, "ann", "bob"),
    agentId: fc.constantFrom(undefined, "bot-1", "bot-2"),
    sessionId: fc.constantFrom(undefined, "s-1"),
    language: fc.constantFrom(undefined, "de", "auto"),
    metadata: fc.constantFrom(undefined, { tier: "gold" }, { tier: 3 }),
    session,
    answer: fc.constantFrom("found", "nothing", "timeout", "backend_unavailable"),
  })
  .map(({ segments, call, roles, attributes, session: view, answer, ...rest }) => {
    const { userId, ...about } = rest;
    const request = create(EvaluateRequestSchema, {
      ...about,
      subject: { userId, roles: [...roles], attributes },
      segments: segments.map(({ role, origin, words: said }) =>
        create(SegmentSchema, { role, origin, text: said.join(" ") }),
      ),
      toolCalls:
        call === undefined
          ? []
          : [create(ToolCallSchema, { id: "c1", name: "mail", arguments: JSON.parse(JSON.stringify(call)) })],
    });
    const stage = call === undefined ? Stage.INPUT : Stage.TOOL_CALL;
    const backends: BackendAnswers = () => {
      if (answer === "found") return { findings: [{ label: "bad", score: 0.9, start: 0, end: 1 }] };
      return answer === "nothing" ? { findings: [] } : { failure: answer as "timeout" };
    };
    return { request, context: { ...sampleContext(), stage, session: view, backends } };
  });

/** What is around a request. */
export function sampleContext(): EvaluationContext {
  return {
    stage: Stage.INPUT,
    now: sampleNow,
    evaluationId: "5b0f2b0e-4a1c-4c07-9a3b-0d6b3f0b9d11",
    fingerprintKey: new Uint8Array(32).fill(7),
    bundle: create(BundleReferenceSchema, { version: 41, digest: "sha256:00", activationSeq: 57 }),
    elapsedUs: () => 180,
  };
}

/** An engine of one policy; undefined when the policy is not valid. */
export function sampleEngine(source: PolicyDocument): Engine {
  return engineOf([{ source, scope: {} }]);
}

/** The record of an evaluation as a control plane reads it. */
export function sampleRecord(
  { request, context }: SampleCase,
  evaluation: Evaluation,
  capture: CaptureMode = CaptureMode.NONE,
): EvaluationRecord {
  // Of the bundle a record reads only these.
  const loaded = { reference: context.bundle, capture, replayFacts: true } as Parameters<typeof recordOf>[2]["loaded"];
  const record = recordOf(request, evaluation, { stage: context.stage, now: context.now, loaded });
  return fromBinary(EvaluationRecordSchema, toBinary(EvaluationRecordSchema, record));
}

/** Something that is taken away from a record, or that makes it less certain; never something false. */
export const hiding: fc.Arbitrary<(record: EvaluationRecord) => void> = fc.oneof(
  fc.nat({ max: 4 }).map((index) => (record: EvaluationRecord) => {
    if (index < record.specs.length) record.specs[index] = new Uint8Array(8);
  }),
  fc.constant((record: EvaluationRecord) => {
    // One without facts names no engine.
    if (record.engine !== "") record.engine = "000000000000";
  }),
  fc.nat({ max: 4 }).map((index) => (record: EvaluationRecord) => {
    record.conditions.splice(index, 1);
  }),
  fc.constant((record: EvaluationRecord) => {
    record.conditions = [];
  }),
  fc.constant((record: EvaluationRecord) => {
    record.rollouts = [];
  }),
  fc.constantFrom(200_000, 1_000_000).map((latencyUs) => (record: EvaluationRecord) => {
    record.latencyUs = latencyUs;
  }),
  fc.constant(omitSignals),
  fc.constant((record: EvaluationRecord) => {
    Object.assign(record, { engine: "", specs: [], pieces: [], conditions: [], rollouts: [], segments: [] });
  }),
);

/** Leaves out the weakest signals of the largest groups, as a record that would have too many. */
function omitSignals(record: EvaluationRecord): void {
  const groups = [
    ...Map.groupBy(record.signals, ({ spec, segment, detector }) => `${spec}/${segment}/${detector}`).values(),
  ];
  const most = Math.max(0, ...groups.map(({ length }) => length));
  if (most < 3) return;
  const kept = new Set(groups.flatMap((group) => group.slice(0, most - 1)));
  // A condition about a signal names it by its number.
  record.conditions = record.conditions.filter(({ signal }) => signal === undefined);
  record.signalsOmitted = record.signals.length - kept.size;
  record.signals = record.signals.filter((signal) => kept.has(signal));
}
