// What an annotated trace is as a sample of a dataset.

import { type JsonObject, toJson } from "@bufbuild/protobuf";
import { AnnotationMark } from "../../../../gen/policyguard/control/v1/annotation_pb.ts";
import { Mode, Outcome } from "../../../../gen/policyguard/policy/v1/outcome_pb.ts";
import {
  CaptureMode,
  type EvaluationRecord,
  EvaluationRecordSchema,
  type RecordedSegment,
} from "../../../../gen/policyguard/policy/v1/record_pb.ts";
import { nameOf, outcomes, stages } from "../../../../runtime/engine/policy/enum-names.ts";
import { type KnownText, knownTextsOf } from "../../../../runtime/engine/replay/known-text.ts";
import { labelOf } from "../../../../runtime/engine/respond/redact.ts";
import { languageForm } from "../dataset/sample-check.ts";
import { emptySample, type SampleContent, type SpanContent } from "../dataset/sample-content.ts";
import type { AnnotatedSpan } from "./annotation.ts";

/** What annotators have come to about one target of a trace. */
export interface ResolvedTarget {
  /** Both empty for the trace as a whole. */
  readonly policy: string;
  readonly ruleId: string;
  readonly mark: AnnotationMark;
  /** The annotations that say so, in the order in which they were made. */
  readonly annotations: readonly ResolvedAnnotation[];
}

/** One annotation with the mark that its target has come to. */
export interface ResolvedAnnotation {
  readonly id: string;
  readonly expectedOutcome: Outcome | null;
  readonly expectedLabels: readonly string[];
  readonly spans: readonly AnnotatedSpan[];
}

/** A sample, and how much of the trace's text is in it. */
export interface AnnotatedSample {
  readonly content: SampleContent;
  readonly text: "whole" | "redacted" | "none";
}

/** The sample of a trace whose record has the text that was kept. */
export function sampleOfTrace(
  record: EvaluationRecord,
  targets: readonly ResolvedTarget[],
  group: string | null,
): AnnotatedSample {
  const pieces = textsOf(record);
  const said = saidOf(record, targets);
  const common = {
    ...{ ...emptySample, ...said, group },
    stage: nameOf(stages, record.stage) ?? "input",
    language: languageForm.test(record.language) ? record.language : null,
    source: {
      traceId: record.evaluationId,
      annotationIds: targets.flatMap(({ annotations }) => annotations.map(({ id }) => id)).sort(),
    },
  };
  if (pieces === null) return { content: { ...common, facts: factsOf(record) }, text: "none" };
  const isRedacted = pieces.some(({ known }) => known.whole === undefined);
  const body = bodyOf(pieces);
  const spans = pieces.flatMap((piece, at) => spansOf(piece, at, { record, targets }));
  return {
    content: { ...common, ...body, isRedacted, spans: distinct(spans) },
    text: isRedacted ? "redacted" : "whole",
  };
}

interface Piece {
  readonly segment: RecordedSegment;
  readonly known: KnownText;
}

/** The texts of the trace; null unless there is one of each piece that has any. */
function textsOf(record: EvaluationRecord): Piece[] | null {
  const { segments, textTruncated, pieces: recorded, capture } = record;
  if (textTruncated || !segments.some(({ text }) => text !== "")) return null;
  // A record without facts for replay does not tell its pieces.
  if (recorded.length === 0) {
    return segments.map((segment) => ({
      segment,
      known: capture === CaptureMode.FULL ? { whole: segment.text } : { redacted: segment.text },
    }));
  }
  const known = knownTextsOf(record, recorded);
  const pieces = recorded.flatMap(({ id }, at): Piece[] => {
    const text = known[at];
    const segment = segments.find((each) => each.id === id);
    return text === undefined || segment === undefined ? [] : [{ segment, known: text }];
  });
  const wanted = recorded.filter(({ length }) => length > 0).length;
  return pieces.length < wanted ? null : pieces;
}

const roles: readonly string[] = ["system", "developer", "user", "assistant", "tool"];

function bodyOf(pieces: readonly Piece[]): Pick<SampleContent, "text" | "segments"> {
  const segments = pieces.map(({ segment: { role }, known }) => ({
    role: roles.includes(role) ? role : null,
    text: known.whole ?? known.redacted ?? "",
  }));
  const [only, ...others] = segments;
  const isPlain = only !== undefined && others.length === 0 && (only.role === null || only.role === "user");
  return isPlain ? { text: only.text, segments: [] } : { text: null, segments };
}

const placeholder = /\[([A-Z0-9_]{1,64})_\d{1,9}\]/g;

function spansOf(
  { segment: { id }, known }: Piece,
  at: number,
  { record, targets }: { readonly record: EvaluationRecord; readonly targets: readonly ResolvedTarget[] },
): SpanContent[] {
  if (known.whole === undefined) {
    const categories = new Map(
      record.findings.flatMap(({ segment, category }) => (segment === id ? [[labelOf(category), category]] : [])),
    );
    return [...known.redacted.matchAll(placeholder)].flatMap(({ 0: text, 1: label = "", index }) => {
      const category = categories.get(label);
      return category === undefined ? [] : [{ segment: at, start: index, end: index + text.length, label: category }];
    });
  }
  const { length } = known.whole;
  return targets.flatMap(({ annotations }) =>
    annotations.flatMap(({ spans }) =>
      spans
        .filter(({ segment, end }) => segment === id && end <= length)
        .map(({ start, end, label }) => ({ segment: at, start, end, label })),
    ),
  );
}

function distinct(spans: readonly SpanContent[]): SpanContent[] {
  return [...new Map(spans.map((span) => [JSON.stringify(Object.values(span)), span])).values()];
}

type Said = Pick<SampleContent, "labels" | "expectedOutcome" | "mustMatch" | "mustNotMatch" | "isGray">;

/** What is right, by the marks. */
function saidOf(record: EvaluationRecord, targets: readonly ResolvedTarget[]): Said {
  const rules = targets.filter(({ policy }) => policy !== "");
  const found = new Set(record.findings.map(ruleOf));
  const named = (isWanted: (target: ResolvedTarget) => boolean) => [...new Set(rules.filter(isWanted).map(ruleOf))];
  const isRight = ({ mark }: ResolvedTarget) => mark === AnnotationMark.CORRECT;
  const outcome = outcomeOf(record, targets);
  return {
    labels: [...new Set(targets.flatMap(({ annotations }) => annotations.flatMap((each) => each.expectedLabels)))],
    expectedOutcome: outcome === null ? null : (nameOf(outcomes, outcome) ?? null),
    mustMatch: named(
      (target) => target.mark === AnnotationMark.FALSE_NEGATIVE || (isRight(target) && found.has(ruleOf(target))),
    ),
    mustNotMatch: named(
      (target) => target.mark === AnnotationMark.FALSE_POSITIVE || (isRight(target) && !found.has(ruleOf(target))),
    ),
    isGray: targets.some(({ mark }) => mark === AnnotationMark.ACCEPTABLE),
  };
}

/** The right outcome; null where the marks do not tell. What is said of the trace as a whole goes before its rules. */
function outcomeOf(record: EvaluationRecord, targets: readonly ResolvedTarget[]): Outcome | null {
  const whole = targets.find(({ policy }) => policy === "");
  if (whole !== undefined) {
    const stated = statedOutcome(whole);
    if (whole.mark === AnnotationMark.FALSE_NEGATIVE) return stated ?? Outcome.BLOCK;
    if (whole.mark === AnnotationMark.FALSE_POSITIVE) return stated ?? Outcome.ALLOW;
    return whole.mark === AnnotationMark.CORRECT ? record.outcome : null;
  }
  const missed = targets.filter(({ mark }) => mark === AnnotationMark.FALSE_NEGATIVE);
  if (missed.length > 0) return max(missed.map((target) => statedOutcome(target) ?? Outcome.BLOCK));
  // Wrong findings gone, the others decide: that is certain where somebody has said that those are right.
  const markOf = new Map(targets.map((target) => [ruleOf(target), target.mark]));
  const inEffect = record.findings.filter(({ mode }) => mode === Mode.ENFORCE);
  const rest = inEffect.filter((finding) => markOf.get(ruleOf(finding)) !== AnnotationMark.FALSE_POSITIVE);
  const isCertain =
    record.findingsOmitted === 0 && rest.every((each) => markOf.get(ruleOf(each)) === AnnotationMark.CORRECT);
  return isCertain ? max([Outcome.ALLOW, ...rest.map(({ action }) => action)]) : null;
}

function statedOutcome({ annotations }: ResolvedTarget): Outcome | null {
  return annotations.findLast(({ expectedOutcome }) => expectedOutcome !== null)?.expectedOutcome ?? null;
}

function max(all: readonly Outcome[]): Outcome {
  return Math.max(...all) as Outcome; // one of them
}

function ruleOf({ policy, ruleId }: { readonly policy: string; readonly ruleId: string }): string {
  return `${policy}/${ruleId}`;
}

/** What was recorded, without text and without persons: the keyed hash of a matched text is about one, too. */
function factsOf(record: EvaluationRecord): JsonObject {
  const { userId: _, sessionId: __, metadata: ___, segments: ____, ...rest } = record;
  const bare = {
    ...{ ...rest, userId: "", sessionId: "", segments: [] },
    findings: rest.findings.map((finding) => ({ ...finding, fingerprint: "" })),
  };
  return toJson(EvaluationRecordSchema, bare, { useProtoFieldName: true }) as JsonObject; // a message
}
