// Says how far a rule is from its threshold: for samples of datasets, and for traces by the scores in their records.
// The scores have no text in them.

import { fromBinary } from "@bufbuild/protobuf";
import { Mode } from "../../../../gen/policyguard/policy/v1/outcome_pb.ts";
import { EvaluationRecordSchema } from "../../../../gen/policyguard/policy/v1/record_pb.ts";
import { nameOf, stages } from "../../../../runtime/engine/policy/enum-names.ts";
import { evaluateSample, type SampleText } from "../benchmark/judge-samples.ts";
import { judgeOf, type PolicyTarget } from "../replay-trace.ts";
import type { Tools } from "../tools.ts";

/** The rule that is asked, in a policy in which it is in effect at every score. */
interface ProbeQuestion {
  readonly target: PolicyTarget;
  readonly ruleId: string;
  readonly detector: string;
  /** The stages that the rule judges. */
  readonly stages: readonly string[];
}

/** Samples to score. */
export interface ScoredSamplesQuestion extends ProbeQuestion {
  readonly nowMs: number;
  readonly samples: readonly { readonly id: string; readonly content: SampleText }[];
}

/** Traces to score. */
export interface ScoredTracesQuestion extends ProbeQuestion {
  /** Each with the bytes of its EvaluationRecord. */
  readonly traces: readonly { readonly id: string; readonly createdMs: number; readonly record: Uint8Array }[];
}

/** How a rule scores something: -1 where it found nothing at all. */
export interface RuleScore {
  readonly id: string;
  /** "unjudged" when the score is not known, "not_applicable" where the rule judges nothing. */
  readonly score: number | "unjudged" | "not_applicable";
  /** Whether the record says that the rule found something; null for a sample. */
  readonly hasFinding: boolean | null;
  /** The conversation of a trace; null where there is none. */
  readonly sessionId: string | null;
  /** Null where it is not known. */
  readonly language: string | null;
  /** As the application named it; null where it named none, and for a sample. */
  readonly agent: string | null;
}

/** Scores samples one by one. */
export function scoreSamples(question: ScoredSamplesQuestion, tools: Tools): RuleScore[] {
  const { target, ruleId, nowMs, samples } = question;
  const { engine, agent, replaces } = judgeOf(target, tools);
  tools.enter("judging the samples");
  const now = new Date(nowMs);
  return samples.map(({ id, content }): RuleScore => {
    const about = { id, hasFinding: null, sessionId: null, language: content.language, agent: null };
    if (!question.stages.includes(content.stage)) return { ...about, score: "not_applicable" };
    if (isEmpty(content)) return { ...about, score: "unjudged" };
    const { findings, unjudged } = evaluateSample(engine, content, { agentId: agent, now });
    const own = findings.filter(
      ({ policy, ruleId: rule, mode, exemptedBy }) =>
        policy === replaces && rule === ruleId && mode === Mode.ENFORCE && exemptedBy === undefined,
    );
    if (unjudged.some(({ detector }) => detector === question.detector || detector === ruleId))
      return { ...about, score: "unjudged" };
    return { ...about, score: Math.max(nothingFound, ...own.map(({ score }) => score)) };
  });
}

/** Scores traces one by one, each as of its own time. */
export function scoreTraces(question: ScoredTracesQuestion, tools: Tools): RuleScore[] {
  const { target, ruleId, traces } = question;
  const { engine, replaces = "" } = judgeOf(target, tools);
  tools.enter("judging the traces");
  return traces.map(({ id, createdMs, record: bytes }): RuleScore => {
    const record = fromBinary(EvaluationRecordSchema, bytes);
    const hasFinding = record.findings.some(({ policy, ruleId: rule }) => policy === replaces && rule === ruleId);
    const { language, agentId, sessionId } = record;
    const about = { id, hasFinding, sessionId: sessionId || null, language: language || null, agent: agentId || null };
    if (!question.stages.includes(nameOf(stages, record.stage) ?? "")) return { ...about, score: "not_applicable" };
    const { rules } = engine.replay(record, { nowMs: createdMs, replaces, useText: false });
    const score = rules.find((rule) => rule.policy === replaces && rule.ruleId === ruleId)?.score;
    if (score === undefined) return { ...about, score: "not_applicable" };
    return { ...about, score: score === "unknown" ? "unjudged" : (score ?? nothingFound) };
  });
}

/** Below every threshold. */
const nothingFound = -1;

function isEmpty({ text, segments, toolCalls }: SampleText): boolean {
  return text === null && segments.length === 0 && toolCalls.length === 0;
}
