// The span of an evaluation: what the engine decided and how long its detectors took, without anything of the text, the
// rules or the caller.

import { type DescEnum, getOption } from "@bufbuild/protobuf";
import { wire } from "../../gen/policyguard/options/v1/options_pb.ts";
import { OutcomeSchema, type Stage, StageSchema } from "../../gen/policyguard/policy/v1/outcome_pb.ts";
import { beginSpan, type OpenSpan } from "../../src/kit/observability/tracing.ts";
import type { Evaluation } from "../engine/evaluate/evaluation.ts";

/** Takes the time of a detector, in microseconds. */
type DetectorTime = (detector: string, us: number) => void;

/** What the span of an evaluation has to do with it. */
export interface EvaluationSpan {
  /** Takes the times of detectors for the span, and for the metrics where they want them. */
  readonly onDetectorTime: DetectorTime;
  /** Ends it with what was decided. */
  end(stage: Stage, evaluation: Pick<Evaluation, "response" | "findings" | "unjudged">): void;
  /** Ends the span of an evaluation that failed. */
  fail(): void;
}

/** Begins the span of an evaluation; undefined when the trace of its call is not recorded. */
export function beginEvaluationSpan(
  startedAtMs: number,
  measure: DetectorTime | undefined,
): EvaluationSpan | undefined {
  const span = beginSpan("evaluation", "internal", startedAtMs);
  return span && watched(span, measure);
}

function watched(span: OpenSpan, measure: DetectorTime | undefined): EvaluationSpan {
  return {
    onDetectorTime(detector, us) {
      span.event(detector, { "policy_guard.time_us": Math.round(us) });
      measure?.(detector, us);
    },
    end(stage, { response: { outcome, latencyUs, bundle }, findings, unjudged }) {
      span.note({
        "policy_guard.stage": nameOf(StageSchema, stage),
        "policy_guard.outcome": nameOf(OutcomeSchema, outcome),
        "policy_guard.engine_us": latencyUs,
        "policy_guard.findings": findings.length,
        "policy_guard.unjudged": unjudged.length,
        "policy_guard.bundle_version": bundle?.version ?? 0,
      });
      span.end();
    },
    fail: () => span.end("failed"),
  };
}

function nameOf(schema: DescEnum, number: number): string {
  const value = schema.value[number];
  return value === undefined ? String(number) : getOption(value, wire);
}
