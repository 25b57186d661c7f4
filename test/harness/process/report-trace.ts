import { fromJson } from "@bufbuild/protobuf";
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
  { text, outcome }: { readonly text: string; readonly outcome: "ALLOW" | "BLOCK" },
): Promise<string> {
  const record = fromJson(EvaluationRecordSchema, {
    evaluationId: newId(),
    createdAt: new Date().toISOString(),
    stage: "STAGE_INPUT",
    outcome: `OUTCOME_${outcome}`,
    wouldBeOutcome: `OUTCOME_${outcome}`,
    capture: "CAPTURE_MODE_FULL",
    segments: [{ id: "s1", role: "user", trust: "TRUST_UNTRUSTED", text }],
  });
  const ingest = new Ingest(plane.database, { sealer: testSealer, onResult: () => undefined });
  const source = { orgId, projectId, environment, instanceId: newId() };
  await ingest.ingest(source, { firstSeq: 1, lastSeq: 1, records: [record] });
  return record.evaluationId;
}
