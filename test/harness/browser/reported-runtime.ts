import { Enrolment } from "../../../src/domain/fleet/enrolment.ts";
import type { TestControlPlane } from "../process/control-plane.ts";
import { testSealer } from "../sealer.ts";
import type { World } from "../vector/world.ts";

/** What it tells. */
interface ReportedRuntime {
  readonly instanceId: string;
  readonly software: string;
  readonly rejection: string;
  readonly labels?: Readonly<Record<string, string>>;
}

/** A runtime of the world's environment tells its state, which counts as silent when that is some time ago. */
export async function hearOfRuntime(
  { database }: TestControlPlane,
  { orgId, projectId, environment }: World,
  { instanceId, software, rejection, labels = {} }: ReportedRuntime,
): Promise<void> {
  const publishedKeys = () => Promise.reject(new Error("a status asks for no keys"));
  const enrolment = new Enrolment({ database, sealer: testSealer, publishedKeys });
  const witness = { witnessedSize: 0, witnessedEpoch: 0, isEvidenceForked: false };
  const status = {
    bundleVersion: 0,
    activationSeq: 0,
    refusedBackends: [],
    models: [],
    labels,
    spoolDepth: 7,
    ...witness,
  };
  await enrolment.noteStatus({ orgId, projectId, environment, instanceId }, software, { ...status, rejection });
}
