// The event of an evaluation that returned BLOCK.

import { getOption } from "@bufbuild/protobuf";
import { wire } from "../../../gen/policyguard/options/v1/options_pb.ts";
import type { Finding } from "../../../gen/policyguard/policy/v1/evaluation_pb.ts";
import { Mode, Outcome, StageSchema } from "../../../gen/policyguard/policy/v1/outcome_pb.ts";
import { CaptureMode, CaptureModeSchema, type EvaluationRecord } from "../../../gen/policyguard/policy/v1/record_pb.ts";
import type { EventData } from "../event/event.ts";
import type { AcceptedRecord } from "./trace-record.ts";

/** Text of an event, in UTF-16 code units. */
export const textLimit = 4_096;

/** The event's data; undefined for any other outcome. */
export function blockedEvent(
  source: { readonly projectId: string; readonly environment: string },
  { id, agentKey, decidedByRule, bundleVersion, reported }: AcceptedRecord,
): EventData<"evaluation.blocked"> | undefined {
  if (reported.outcome !== Outcome.BLOCK) return undefined;
  const blocking = reported.findings.filter(blocks);
  // A rule that fails closed blocks without a finding, so there may be none.
  const rules = [...blocking.map(({ ruleId }) => ruleId), ...(decidedByRule === null ? [] : [decidedByRule])];
  const stage = StageSchema.value[reported.stage];
  const capture = CaptureModeSchema.value[reported.capture];
  return {
    trace_id: id,
    evaluation_id: reported.evaluationId,
    project_id: source.projectId,
    environment: source.environment,
    agent_id: agentKey,
    stage: stage === undefined ? "" : getOption(stage, wire),
    rule_ids: [...new Set(rules)],
    categories: [...new Set(blocking.map(({ category }) => category))],
    bundle_version: bundleVersion,
    capture: capture === undefined ? "none" : getOption(capture, wire),
    text: capturedText(reported),
  };
}

// The text that the runtime was allowed to keep: with "redacted", it has replaced every finding.
function capturedText({ capture, segments }: EvaluationRecord): string | null {
  if (capture !== CaptureMode.REDACTED && capture !== CaptureMode.FULL) return null;
  if (segments.length === 0) return null;
  const text = segments.map((segment) => segment.text).join("\n");
  // A surrogate pair that would be cut is left out.
  return text.slice(0, textLimit).replace(/[\uD800-\uDBFF]$/, "");
}

function blocks({ action, mode, exemptedBy }: Finding): boolean {
  return action === Outcome.BLOCK && mode === Mode.ENFORCE && exemptedBy === undefined;
}
