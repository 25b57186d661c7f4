import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Outcome } from "../../../gen/policyguard/policy/v1/outcome_pb.ts";
import { Candidates } from "../../../src/domain/bundle/candidate.ts";
import { judgeCandidate } from "../../../src/domain/bundle/gate/candidate-gate.ts";
import { SigningKeys } from "../../../src/domain/bundle/signing-keys.ts";
import { createSealer, parseMasterKeys } from "../../../src/platform/seal.ts";
import { startTestControlPlane, type TestControlPlane } from "../../harness/process/control-plane.ts";
import { createWorld, type World } from "../../harness/vector/world.ts";

let plane: TestControlPlane;
beforeAll(async () => {
  plane = await startTestControlPlane();
});
afterAll(() => plane.stop());

const requirement = { maxNewlyBlocked: 0.01, alpha: 0.05, minHours: 2 };
const fine = { evaluations: 1_000, newlyBlocked: 0, skipped: 0, failed: 0, hours: 3 };
const judged = (counts: Partial<typeof fine>) =>
  judgeCandidate({ ...fine, ...counts }, requirement, { isExpired: false });

test("a candidate passes only with evidence enough, long enough, and with next to nothing left out", () => {
  expect(judged({}).state).toBe("passed");
  expect(judged({ hours: 1.9 })).toMatchObject({ state: "pending", reason: expect.stringContaining("1.9 of 2 hours") });
  expect(judged({ evaluations: 100 })).toMatchObject({ state: "pending", details: { needed_n: 449 } });
  expect(judged({ skipped: 30, failed: 22 }).state).toBe("passed");
  expect(judged({ skipped: 30, failed: 23 })).toMatchObject({
    state: "pending",
    reason: expect.stringContaining("53 more were skipped or failed"),
  });
  expect(judged({ newlyBlocked: 30, hours: 0 }).state).toBe("failed");
});

/** Calls of a world by REST. */
function callsOf(world: World) {
  const env = `/v1/orgs/${world.orgId}/projects/${world.projectId}/envs/${world.environment}`;
  return async (method: string, path: string, body?: object) => {
    const answer = await fetch(`${plane.baseUrl}${path.startsWith("/v1") ? path : env + path}`, {
      method,
      headers: { authorization: `Bearer ${world.tokens.admin}`, "content-type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: answer.status, body: await answer.json(), retryAfter: answer.headers.get("retry-after") };
  };
}

const gate = { id: "no-surprises", kind: "candidate", candidate: { max_newly_blocked: 0.01 } };

test("a gate is missing, pending and passed as its candidate is compared; what it refuses makes nothing", async () => {
  const world = await createWorld(plane.database);
  const call = callsOf(world);
  await call("POST", "/bundles/publish", { activate: true });
  await call("POST", "/bundles/publish", {});
  expect((await call("PUT", "/gates", { gates: [gate] })).status).toBe(200);

  const missing = await call("POST", "/bundles/publish", { activate: true });
  expect(missing).toMatchObject({ status: 409, retryAfter: "30" });
  expect(missing.body.detail).toMatchObject({ error: "gate_pending", retry_after: 30 });
  expect(missing.body.detail.gates).toEqual([
    expect.objectContaining({ gate: "no-surprises", kind: "candidate", state: "missing", run_id: null }),
  ]);
  expect((await call("GET", "/bundles")).body).toMatchObject({ total: 2 });

  const { body: started } = await call("POST", "/bundles/2/candidate", {});
  expect(started.version).toBe(2);
  const pending = await call("POST", "/bundles/2/activate", {});
  expect(pending.body.detail.gates[0]).toMatchObject({ state: "pending", details: { evaluations: 0, needed_n: 449 } });

  const { body: second } = await call("GET", "/bundles/2");
  const [active, candidate] = [Outcome.ALLOW, Outcome.ALLOW];
  // What is compared is not signed: any key will do.
  const sealer = createSealer({ masterKeys: parseMasterKeys(randomBytes(32).toString("base64")) });
  await new Candidates(plane.database, new SigningKeys(plane.database, sealer)).note(
    { orgId: world.orgId, projectId: world.projectId, environment: world.environment },
    {
      ...{ version: 2, digest: second.digest, skipped: 0, failed: 0, loadFailure: "", samples: [] },
      pairs: [{ active, candidate, count: 449 }],
    },
  );
  expect((await call("GET", "/bundles/2")).body.gates.at(-1)).toMatchObject({ passed: true, state: "passed" });
  const activated = await call("POST", "/bundles/2/activate", {});
  expect(activated).toMatchObject({ status: 200, body: { state: "active", gates: [{ state: "passed" }] } });
  // The comparison ended with the activation, and version 1 may come back all the same.
  expect(await call("POST", "/bundles/1/activate", {})).toMatchObject({ status: 200, body: { state: "active" } });
});

test("an override has an entry of its own in the log of evidence, and only where it went past something", async () => {
  const world = await createWorld(plane.database);
  const call = callsOf(world);
  await call("POST", "/bundles/publish", {});
  await call("PUT", "/gates", { gates: [gate] });
  const override = { gates: ["no-surprises"], reason: "the attack is going on now" };
  const activated = await call("POST", "/bundles/1/activate", { override });
  expect(activated.body.gates).toEqual([expect.objectContaining({ state: "overridden", passed: true })]);
  // By now it is a roll-back, which passes anyway.
  expect((await call("POST", "/bundles/1/activate", { override })).status).toBe(200);
  const { body } = await call("GET", `/v1/orgs/${world.orgId}/evidence?action=gate.override`);
  expect(body.total).toBe(1);
  expect(body.evidence[0].after).toMatchObject({
    reason: "the attack is going on now",
    version: 1,
    gates: [{ gate: "no-surprises", state: "missing", kind: "candidate" }],
  });
});
