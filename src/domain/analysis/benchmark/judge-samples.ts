// Judges samples of datasets by policies. The predictions have no text in them.

import { create, type JsonObject } from "@bufbuild/protobuf";
import { BundleReferenceSchema, EvaluateRequestSchema } from "../../../../gen/policyguard/policy/v1/evaluation_pb.ts";
import { Mode } from "../../../../gen/policyguard/policy/v1/outcome_pb.ts";
import type { Engine } from "../../../../runtime/engine/engine.ts";
import { nameOf, outcomes, stages } from "../../../../runtime/engine/policy/enum-names.ts";
import { judgeOf, type ReplayTarget } from "../replay-trace.ts";
import type { Tools } from "../tools.ts";
import { hasKeyword } from "./keyword-floor.ts";
import type { FoundSpan, Prediction } from "./prediction.ts";

/** What is judged of a sample. */
export interface SampleText {
  readonly text: string | null;
  readonly segments: readonly { readonly role: string | null; readonly text: string }[];
  readonly toolCalls: readonly { readonly name: string; readonly arguments: JsonObject | null }[];
  readonly stage: string;
  readonly language: string | null;
}

/** Samples to judge. */
export interface SamplesQuestion {
  /** Undefined when the predictions come from elsewhere, and only the floor of keywords is asked for. */
  readonly target: ReplayTarget | undefined;
  /** The agent that asks; default: one that the policies apply to. */
  readonly agentId: string | undefined;
  /** The time at which the policies are judged, in milliseconds since 1970. */
  readonly nowMs: number;
  readonly samples: readonly { readonly id: string; readonly content: SampleText }[];
}

/** A sample that was judged. */
export interface JudgedSample {
  readonly id: string;
  /** Null without a target. */
  readonly prediction: Prediction | null;
  /** Whether it has one of the words by which a simple filter would block it. */
  readonly hasKeyword: boolean;
}

/** Engines that have judged something. */
const warm = new WeakSet<Engine>();

/** Judges samples one by one. */
export function judgeSamples({ target, agentId, nowMs, samples }: SamplesQuestion, tools: Tools): JudgedSample[] {
  const judge = target && judgeOf(target, tools);
  const engine = judge?.engine;
  const asking = agentId ?? judge?.agent;
  tools.enter("judging the samples");
  const now = new Date(nowMs);
  const [first] = samples;
  // Judged once before it is measured: the first evaluation of an engine also builds tables.
  if (engine !== undefined && first !== undefined && !warm.has(engine)) {
    predict(engine, first.content, { agentId: asking, now });
    warm.add(engine);
  }
  return samples.map(({ id, content }) => ({
    id,
    prediction: engine === undefined ? null : predict(engine, content, { agentId: asking, now }),
    hasKeyword: textsOf(content).some(hasKeyword),
  }));
}

function predict(
  engine: Engine,
  content: SampleText,
  { agentId, now }: { readonly agentId: string | undefined; readonly now: Date },
): Prediction {
  if (textsOf(content).length === 0 && content.toolCalls.length === 0) return { ...noPrediction, error: "no_text" };
  const beganMs = performance.now();
  const evaluation = evaluateSample(engine, content, { agentId, now });
  const latencyUs = Math.round((performance.now() - beganMs) * 1_000);
  const { response, findings, signals, unjudged } = evaluation;
  const scores = strongest(signals.signals.map(({ category, score }) => [category, score]));
  return {
    outcome: nameOf(outcomes, response.outcome) ?? "ALLOW",
    score: Math.max(0, ...scores.values()),
    scores: Object.fromEntries(scores),
    labels: distinct(findings.filter(({ mode }) => mode === Mode.ENFORCE).map(({ category }) => category)),
    rules: distinct(findings.map(({ policy, ruleId }) => `${policy}/${ruleId}`)),
    detectors: distinct(findings.map(({ detector }) => detector)),
    spans: findings.flatMap(spanOf),
    unjudged: distinct(unjudged.map(({ detector, reason }) => `${detector}: ${reason}`)),
    ...{ latencyUs, error: null },
  };
}

/** Evaluates a sample as a runtime would evaluate its request. */
export function evaluateSample(
  engine: Engine,
  content: SampleText,
  { agentId, now }: { readonly agentId: string | undefined; readonly now: Date },
) {
  const request = create(EvaluateRequestSchema, {
    agentId,
    language: content.language ?? undefined,
    text: content.text ?? undefined,
    segments: content.segments.map(({ role, text }) => ({ role: role ?? undefined, text })),
    toolCalls: content.toolCalls.map(({ name, arguments: values }, at) => ({
      ...{ id: `c${at + 1}`, name },
      arguments: values === null ? undefined : structuredClone(values),
    })),
  });
  return engine.evaluate(request, {
    stage: stages[content.stage as keyof typeof stages], // checked when it was added
    now,
    evaluationId: "",
    fingerprintKey: new Uint8Array(32),
    bundle: create(BundleReferenceSchema),
    // The time budget of a policy is about live traffic; a slow machine must not change what is measured.
    elapsedUs: () => 0,
  });
}

const noPrediction: Prediction = {
  ...{ outcome: null, score: null, scores: {}, labels: [], rules: [], detectors: [], spans: [], unjudged: [] },
  ...{ latencyUs: null, error: null },
};

function textsOf({ text, segments }: SampleText): string[] {
  return text === null ? segments.map((segment) => segment.text) : [text];
}

// The engine names the pieces of a request "s1", "s2" and so on; arguments of calls are none of them.
function spanOf(found: {
  readonly segment: string;
  readonly start: number;
  readonly end: number;
  readonly category: string;
}): FoundSpan[] {
  const place = /^s([1-9]\d{0,3})$/.exec(found.segment)?.[1];
  if (place === undefined) return [];
  return [{ segment: Number(place) - 1, start: found.start, end: found.end, label: found.category }];
}

// Rounded as scores are hashed, so that what is compared is what is reported.
function strongest(scores: readonly (readonly [string, number])[]): Map<string, number> {
  const best = new Map<string, number>();
  for (const [name, score] of scores) {
    if (name === "") continue;
    const rounded = Math.round(score * 1e6) / 1e6;
    if (rounded > (best.get(name) ?? -1)) best.set(name, rounded);
  }
  return best;
}

function distinct(names: readonly string[]): string[] {
  return [...new Set(names)].sort();
}
