// Steps of vectors about the fleet: what runtimes say over their streams, which no unary call can.

import { randomBytes } from "node:crypto";
import { Outcome } from "../../../gen/policyguard/policy/v1/outcome_pb.ts";
import { Candidates } from "../../../src/domain/bundle/candidate.ts";
import { SigningKeys } from "../../../src/domain/bundle/signing-keys.ts";
import { etagOf } from "../../../src/kit/bundle/entity-tag.ts";
import { newId } from "../../../src/kit/process/id.ts";
import { createSealer, parseMasterKeys } from "../../../src/platform/seal.ts";
import { addUsage } from "../../../src/store/billing/usage.ts";
import { addGaps } from "../../../src/store/fleet/reporting-gap.ts";
import { type RuntimeModel, touchInstance, writeInstanceStatus } from "../../../src/store/fleet/runtime-instance.ts";
import type { TestControlPlane } from "../process/control-plane.ts";
import type { SceneStep } from "./scene-step.ts";

// What is compared is not signed: any key will do.
const unusedSealer = createSealer({ masterKeys: parseMasterKeys(randomBytes(32).toString("base64")) });

/** A runtime compares a candidate in twelve evaluations, of which two come out otherwise. Returns the id of one. */
export async function compareCandidate(
  { database }: Pick<TestControlPlane, "database">,
  place: { readonly orgId: string; readonly projectId: string; readonly environment: string },
  { now, ...candidate }: { version: number; digest: string; loadFailure: string; now: Date },
): Promise<string> {
  const evaluationId = newId();
  const [active, other] = [Outcome.ALLOW, Outcome.BLOCK];
  await new Candidates(database, new SigningKeys(database, unusedSealer)).note(place, {
    ...{ ...candidate, skipped: 3, failed: 1 },
    pairs: [
      { active, candidate: active, count: 10 },
      { active, candidate: other, count: 2 },
    ],
    samples: [{ evaluationId, active, candidate: other, rule: "word", createdAt: now }],
  });
  return evaluationId;
}

/** Steps about runtimes; see scene.ts. */
export const runtimeSteps: Readonly<Record<string, SceneStep>> = {
  $compare: async ({ project_id, environment, version, digest, load_failure }, { plane, clock }, { orgId }) => {
    const place = { orgId, projectId: String(project_id), environment: String(environment) };
    const candidate = { version: Number(version), digest: String(digest), loadFailure: String(load_failure ?? "") };
    return { id: await compareCandidate(plane, place, { ...candidate, now: clock.now() }) };
  },
  $etag: async ({ digest, activation_seq }) => ({ tag: etagOf(String(digest), Number(activation_seq)) }),
  $use: async ({ evaluations }, { plane }, { orgId }) => {
    await plane.database.systemTransaction(orgId, (tx) =>
      addUsage(tx, new Map([[`${tx.now.toISOString().slice(0, 7)}-01`, Number(evaluations)]])),
    );
    return {};
  },
  $runtime: async ({ project_id, environment, lost, ...said }, { plane }, { orgId }) => {
    const key = { projectId: String(project_id), environment: String(environment), instanceId: newId() };
    const status = {
      bundleVersion: Number(said.bundle_version ?? 0),
      activationSeq: Number(said.activation_seq ?? 0),
      rejection: String(said.rejection ?? ""),
      refusedBackends: Array.isArray(said.refused_backends) ? said.refused_backends.map(String) : [],
      models: Array.isArray(said.models) ? said.models.map(modelOf) : [],
      labels: (said.labels ?? {}) as Readonly<Record<string, string>>,
      spoolDepth: Number(said.spool_depth ?? 0),
      witnessedSize: Number(said.witnessed_size ?? 0),
      witnessedEpoch: Number(said.witnessed_epoch ?? 0),
      isEvidenceForked: said.evidence_forked === true,
    };
    const count = Number(lost ?? 0);
    await plane.database.systemTransaction(orgId, async (tx) => {
      await touchInstance(tx, key, "1.0.0");
      await writeInstanceStatus(tx, key, status);
      if (count > 0) await addGaps(tx, key, [{ firstSeq: 1, lastSeq: count, count, reason: "spool_full" }]);
    });
    return { id: key.instanceId };
  },
};

/** A model as a runtime says it. */
function modelOf(said: unknown): RuntimeModel {
  const { name, state, digest } = said as Readonly<Record<string, unknown>>;
  return { name: String(name), state: String(state), digest: String(digest ?? "") };
}
