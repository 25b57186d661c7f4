// The event of an evaluation that returned BLOCK.

import { getOption } from "@bufbuild/protobuf";
import { wire } from "../../gen/policyguard/options/v1/options_pb.ts";
import type { Finding } from "../../gen/policyguard/policy/v1/evaluation_pb.ts";
import { Mode, Outcome, StageSchema } from "../../gen/policyguard/policy/v1/outcome_pb.ts";
import type { EventData } from "./event.ts";
import type { AcceptedRecord } from "./trace-record.ts";

/** The event's data; undefined for any other outcome. */
export function blockedEvent(
  source: { readonly projectId: string; readonly environment: string },
  { id, agentKey, decidedByRule, bundleVersion, reported }: AcceptedRecord,
): EventData<"evaluation.blocked"> | undefined {
  if (reported.outcome !== Outcome.BLOCK) return undefined;
  const blocking = reported.findings.filter(blocks);
  // A rule that fails closed blocks without a finding.
  const rules = [...blocking.map(({ ruleId }) => ruleId), ...(decidedByRule === null ? [] : [decidedByRule])];
  const stage = StageSchema.value[reported.stage];
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
  };
}

function blocks({ action, mode, exemptedBy }: Finding): boolean {
  return action === Outcome.BLOCK && mode === Mode.ENFORCE && exemptedBy === undefined;
}
