import { fromJson, type JsonObject } from "@bufbuild/protobuf";
import { EvaluationRecordSchema } from "../../../gen/policyguard/policy/v1/record_pb.ts";
import { Ingest } from "../../../src/domain/fleet/ingest.ts";
import { newId } from "../../../src/kit/process/id.ts";
import { testSealer } from "../sealer.ts";
import type { World } from "../vector/world.ts";
import type { TestControlPlane } from "./control-plane.ts";

/** Reports an evaluation of this text, as a runtime that captures whole texts does. Returns its id. */
export async function reportTrace(
  plane: TestControlPlane,
  { orgId, projectId, environment }: World,
  {
    text,
    outcome,
    found,
    more = {},
  }: {
    readonly text: string;
    readonly outcome: "ALLOW" | "BLOCK";
    /** What decided: the rule of a policy, which found something near its threshold. */
    readonly found?: { readonly policy: string; readonly ruleId: string; readonly agentId: string };
    /** Further members of the record, as JSON. */
    readonly more?: JsonObject;
  },
): Promise<string> {
  const record = fromJson(EvaluationRecordSchema, {
    evaluationId: newId(),
    createdAt: new Date().toISOString(),
    stage: "STAGE_INPUT",
    outcome: `OUTCOME_${outcome}`,
    wouldBeOutcome: `OUTCOME_${outcome}`,
    capture: "CAPTURE_MODE_FULL",
    ...(found === undefined ? {} : decidedBy(found)),
    segments: [{ id: "s1", role: "user", trust: "TRUST_UNTRUSTED", text }],
    ...more,
  });
  const ingest = new Ingest(plane.database, { sealer: testSealer, onResult: () => undefined });
  const source = { orgId, projectId, environment, instanceId: newId() };
  await ingest.ingest(source, { firstSeq: 1, lastSeq: 1, records: [record] });
  return record.evaluationId;
}

function decidedBy({ policy, ruleId, agentId }: { policy: string; ruleId: string; agentId: string }) {
  const where = { segment: "s1", start: 0, end: 6, fingerprint: "f1", layer: "plain" };
  const scores = { score: 0.52, threshold: 0.5, severity: "SEVERITY_MEDIUM", mode: "MODE_ENFORCE" };
  const what = { ruleId, policy, detector: "injection", category: "injection.override", action: "OUTCOME_BLOCK" };
  return { agentId, decidedByRule: ruleId, decidedByPolicy: policy, findings: [{ ...what, ...scores, ...where }] };
}
