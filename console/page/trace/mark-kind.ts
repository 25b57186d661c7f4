import { AnnotationMark } from "../../../gen/policyguard/control/v1/annotation_pb.ts";
import type { Trace } from "../../../gen/policyguard/control/v1/trace_pb.ts";
import { Outcome } from "../../../gen/policyguard/policy/v1/outcome_pb.ts";
import { en } from "../../text/en.ts";

const texts = en.review;

/** The marks, named as the commands that give them. */
export const markKinds = [
  { name: "falsePositive", mark: AnnotationMark.FALSE_POSITIVE },
  { name: "falseNegative", mark: AnnotationMark.FALSE_NEGATIVE },
  { name: "correct", mark: AnnotationMark.CORRECT },
  { name: "acceptable", mark: AnnotationMark.ACCEPTABLE },
] as const;

/** One of them. */
export type MarkKind = (typeof markKinds)[number];

/** What a mark is called. */
export function markName(mark: AnnotationMark): string {
  const kind = markKinds.find((each) => each.mark === mark);
  return kind === undefined ? "" : texts.mark[kind.name];
}

/** Why the trace cannot have this mark; undefined when it can. */
export function whyNotMark({ mark }: MarkKind, trace: Trace): string | undefined {
  const found = trace.findings.length + trace.findingsOmitted;
  if (mark === AnnotationMark.FALSE_POSITIVE && found === 0) return texts.nothingFound;
  if (mark === AnnotationMark.FALSE_NEGATIVE && trace.outcome === Outcome.BLOCK) return texts.strictest;
  return undefined;
}

/** The request's part that says the mark. What was missed should have been blocked. */
export function markRequest({ mark }: MarkKind, note: string) {
  const expected = mark === AnnotationMark.FALSE_NEGATIVE ? { expectedOutcome: Outcome.BLOCK } : {};
  return { mark, ...expected, ...(note.trim() === "" ? {} : { note: note.trim() }) };
}
