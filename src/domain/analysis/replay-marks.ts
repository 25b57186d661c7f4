// How a replay agrees with what annotators say of a trace.

import { AnnotationMark } from "../../../gen/policyguard/control/v1/annotation_pb.ts";
import type { Finding } from "../../../gen/policyguard/policy/v1/evaluation_pb.ts";
import { Mode, Outcome } from "../../../gen/policyguard/policy/v1/outcome_pb.ts";
import type { EvaluationRecord } from "../../../gen/policyguard/policy/v1/record_pb.ts";
import type { OutcomeRange, Replayed } from "../../../runtime/engine/replay/replay.ts";
import type { Answer } from "../../../runtime/engine/replay/replayed-finding.ts";

/** What annotators have settled of one target of a trace. */
export type TraceMark = {
  /** Both empty for the trace as a whole. */
  readonly policy: string;
  readonly ruleId: string;
  readonly mark: AnnotationMark;
  /** The mildest outcome that those expect who say "false-negative"; null for other marks. */
  readonly expected: Outcome | null;
};

/** What is counted. */
export type MarkName = "falsePositives" | "falseNegatives" | "correct" | "acceptable" | "correctBlocks";

/** Targets with one mark. */
export type MarkCounts = Record<"marked" | "agrees" | "disagrees" | "unknown", number>;

/** Whether the replay agrees with something that is counted. */
export interface Agreement {
  readonly name: MarkName;
  readonly agrees: Answer;
}

/** Whether a replay agrees with each of the marks of its trace. */
export function agreementsOf(marks: readonly TraceMark[], record: EvaluationRecord, replayed: Replayed): Agreement[] {
  const agreements = marks.flatMap((mark): Agreement[] => {
    const name = names.get(mark.mark);
    if (name === undefined) return [];
    const agrees = mark.policy === "" ? ofWhole(mark, record, replayed) : ofRule(mark, record, replayed);
    return [{ name, agrees }];
  });
  if (record.outcome === Outcome.BLOCK && marks.some((mark) => isCorrectBlock(mark, record)))
    agreements.push({ name: "correctBlocks", agrees: isWithin(replayed.range, (is) => is === Outcome.BLOCK) });
  return agreements;
}

const names: ReadonlyMap<AnnotationMark, MarkName> = new Map([
  [AnnotationMark.FALSE_POSITIVE, "falsePositives"],
  [AnnotationMark.FALSE_NEGATIVE, "falseNegatives"],
  [AnnotationMark.CORRECT, "correct"],
  [AnnotationMark.ACCEPTABLE, "acceptable"],
]);

function ofWhole({ mark, expected }: TraceMark, { outcome }: EvaluationRecord, { range, wouldBe }: Replayed): Answer {
  switch (mark) {
    case AnnotationMark.FALSE_POSITIVE:
      return isWithin(outcome === Outcome.ALLOW ? wouldBe : range, (is) => is === Outcome.ALLOW);
    case AnnotationMark.FALSE_NEGATIVE:
      return isWithin(range, (is) => is >= (expected ?? Outcome.BLOCK));
    default:
      return isWithin(range, (is) => is === outcome);
  }
}

function ofRule({ mark, policy, ruleId }: TraceMark, { findings }: EvaluationRecord, { rules }: Replayed): Answer {
  const own = findings.filter((finding) => finding.policy === policy && finding.ruleId === ruleId);
  const was = own.length > 0 ? "yes" : "no";
  const rule = rules.find((each) => each.policy === policy && each.ruleId === ruleId);
  // A rule that the replay does not know of belongs to a policy that stays as it was.
  const is = rule === undefined ? was : own.some(isInEffect) ? rule.effect : rule.match;
  if (is === "unknown") return "unknown";
  const wanted = mark === AnnotationMark.FALSE_POSITIVE ? "no" : mark === AnnotationMark.FALSE_NEGATIVE ? "yes" : was;
  return is === wanted ? "yes" : "no";
}

function isCorrectBlock({ mark, policy, ruleId }: TraceMark, { findings }: EvaluationRecord): boolean {
  if (mark !== AnnotationMark.CORRECT) return false;
  const blocks = (finding: Finding) =>
    finding.policy === policy && finding.ruleId === ruleId && finding.action === Outcome.BLOCK && isInEffect(finding);
  return policy === "" || findings.some(blocks);
}

function isInEffect({ mode, exemptedBy }: Finding): boolean {
  return mode === Mode.ENFORCE && exemptedBy === undefined;
}

/** Whether all outcomes of a range are such, or none is. */
function isWithin({ least, most }: OutcomeRange, isSuch: (outcome: Outcome) => boolean): Answer {
  const between = outcomes.filter((outcome) => least <= outcome && outcome <= most);
  if (between.every(isSuch)) return "yes";
  return between.some(isSuch) ? "unknown" : "no";
}

const outcomes = [Outcome.ALLOW, Outcome.FLAG, Outcome.REDACT, Outcome.BLOCK];
