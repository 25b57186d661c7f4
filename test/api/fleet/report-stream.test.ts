import { randomUUID } from "node:crypto";
import { connect } from "node:net";
import { createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import pg from "pg";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { CredentialKind } from "../../../gen/policyguard/options/v1/options_pb.ts";
import { ReportingService } from "../../../gen/policyguard/runtime/v1/reporting_service_pb.ts";
import { Tokens } from "../../../src/domain/identity/token.ts";
import { Traces } from "../../../src/domain/telemetry/trace.ts";
import { tokenDigest } from "../../../src/kit/crypto/token.ts";
import { listGaps } from "../../../src/store/fleet/reporting-gap.ts";
import { findInstance } from "../../../src/store/fleet/runtime-instance.ts";
import { sharedAnalysis } from "../../harness/analysis.ts";
import { startTestControlPlane, type TestControlPlane } from "../../harness/process/control-plane.ts";
import { testSealer } from "../../harness/sealer.ts";
import { createWorld, type World } from "../../harness/vector/world.ts";
import { blockedEvaluation, evaluation } from "../../src/domain/telemetry/evaluation.ts";
import { bearer, RuntimeStream, reportingClient } from "./runtime.ts";

const within = { timeout: 30_000, interval: 10 };

describe("ReportingService", () => {
  let plane: TestControlPlane;
  let world: World;
  const streams: RuntimeStream[] = [];

  beforeAll(async () => {
    plane = await startTestControlPlane();
  });

  beforeEach(async () => {
    world = await createWorld(plane.database);
  });

  afterEach(async () => {
    for (const stream of streams) stream.abort();
    await Promise.all(streams.splice(0).map(({ ended }) => ended));
  });

  afterAll(() => plane.stop());

  const open = (options: { instanceId?: string; firstSeq?: number } = {}, token = world.tokens.runtime) => {
    const stream = new RuntimeStream(plane.baseUrl, token, options);
    streams.push(stream);
    return stream;
  };
  const connected = async () => {
    const stream = open().hello();
    await expect.poll(() => stream.tokens, within).toBeDefined();
    return stream;
  };
  const enrol = (token: string | undefined) =>
    reportingClient(plane.baseUrl).enrol(
      { instanceId: randomUUID(), softwareVersion: "1.0.0" },
      { headers: bearer(token) },
    );
  const traces = () =>
    new Traces({ database: plane.database, sealer: testSealer, analysis: sharedAnalysis() }).list(
      world.caller,
      {},
      { limit: 200, offset: 0 },
    );
  const keyOf = ({ instanceId }: RuntimeStream) => ({
    projectId: world.projectId,
    environment: world.environment,
    instanceId,
  });

  describe("Enrol", () => {
    it("tells a runtime its place, the signing keys, the live tokens and the organization's own fingerprint key", async () => {
      const first = await enrol(world.tokens.runtime);
      expect(first).toMatchObject({ orgId: world.orgId, projectId: world.projectId, environment: "dev" });
      expect(first.keys).toMatchObject([{ kty: "OKP", crv: "Ed25519", alg: "EdDSA", use: "sig" }]);
      const digest = tokenDigest(world.tokens.runtime ?? "");
      expect(first.tokens.find(({ sha256 }) => digest.equals(sha256))).toMatchObject({
        kind: CredentialKind.RUNTIME,
        projectId: world.projectId,
        environment: "dev",
      });
      expect(first.tokens).toHaveLength(3);
      expect(first.fingerprintKey).toHaveLength(32);
      expect((await enrol(world.tokens.runtime)).fingerprintKey).toEqual(first.fingerprintKey);
      const other = await createWorld(plane.database);
      expect((await enrol(other.tokens.runtime)).fingerprintKey).not.toEqual(first.fingerprintKey);
    });

    it("gives runtimes that ask at the same time the same key", async () => {
      const answers = await Promise.all(Array.from({ length: 8 }, () => enrol(world.tokens.runtime)));
      expect(new Set(answers.map(({ fingerprintKey }) => Buffer.from(fingerprintKey).toString("hex"))).size).toBe(1);
    });

    it.each([
      ["ci", "permission_denied"],
      ["admin", "permission_denied"],
      ["revoked", "unauthenticated"],
    ] as const)("refuses a token of kind %s", async (persona, code) => {
      await expect(enrol(world.tokens[persona])).rejects.toThrow(code);
    });
  });

  describe("Report", () => {
    it("acknowledges a batch when it is committed, and an evaluation that comes twice is one trace", async () => {
      const stream = open().hello();
      const records = [evaluation(), blockedEvaluation("secrets.any", { agentId: "bot" })];
      const lastSeq = stream.report(records);
      await expect.poll(() => stream.acked, within).toBe(lastSeq);
      expect((await traces()).traces.map(({ id }) => id).sort()).toEqual(records.map((r) => r.evaluationId).sort());
      stream.abort();
      const again = open({ instanceId: stream.instanceId }).hello();
      again.report(records);
      again.report([evaluation()]);
      await expect.poll(() => again.acked, within).toBe(3);
      expect((await traces()).total).toBe(3);
      again.finish();
      expect(await again.ended).toBe("end");
    });

    it("is not held up by a record that cannot be stored", async () => {
      const stream = open().hello();
      stream.report([evaluation(), evaluation({ evaluationId: "x" }), evaluation()]);
      await expect.poll(() => stream.acked, within).toBe(3);
      expect((await traces()).total).toBe(2);
      const gaps = await plane.database.read(world.orgId, (tx) => listGaps(tx, keyOf(stream)));
      expect(gaps).toMatchObject([{ firstSeq: 2, lastSeq: 2, count: 1, reason: "invalid" }]);
    });

    it("keeps gaps and the runtime's latest status", async () => {
      const stream = open().hello();
      stream.send({ case: "gap", value: { firstSeq: 1, lastSeq: 40, count: 40, reason: "spool_full" } });
      for (let depth = 0; depth < 50; depth += 1) {
        stream.send({
          case: "status",
          value: { bundleVersion: 7, activationSeq: 9, rejection: "digest", spoolDepth: depth },
        });
      }
      await expect.poll(() => stream.acked, within).toBe(40);
      stream.finish();
      await stream.ended;
      const [gaps, instance] = await plane.database.read(world.orgId, async (tx) => [
        await listGaps(tx, keyOf(stream)),
        await findInstance(tx, keyOf(stream)),
      ]);
      expect(gaps).toMatchObject([{ firstSeq: 1, lastSeq: 40, count: 40, reason: "spool_full" }]);
      expect(instance).toMatchObject({ softwareVersion: "1.0.0", bundleVersion: 7, activationSeq: 9, spoolDepth: 49 });
    });

    it("refuses a stream that does not begin with a hello, and a second hello", async () => {
      const silent = open();
      silent.report([evaluation()]);
      expect(await silent.ended).toContain("hello");
      const twice = open().hello().hello();
      expect(await twice.ended).toContain("one hello");
      expect((await traces()).total).toBe(0);
    });

    it("tells connected runtimes of an activation, and those that connect later too", async () => {
      const stream = await connected();
      await plane.database.systemTransaction(world.orgId, async (tx) => {
        await tx.sql("update environment set activation_seq = 5 where project_id = ? and name = 'dev'", [
          world.projectId,
        ]);
        await tx.notify("bundles", { project_id: world.projectId, environment: "dev", activation_seq: 5 });
        await tx.notify("bundles", { project_id: world.projectId, environment: "prod", activation_seq: 9 });
      });
      await expect.poll(() => stream.activationSeq, within).toBe(5);
      const later = open().hello();
      await expect.poll(() => later.activationSeq, within).toBe(5);
    });

    it("tells connected runtimes of a new token, and ends the stream of a revoked one at once", async () => {
      const stream = await connected();
      const foreign = await createWorld(plane.database);
      const bystander = open({}, foreign.tokens.runtime).hello();
      await expect.poll(() => bystander.tokens, within).toBeDefined();
      const tokens = new Tokens(plane.database);
      const issued = await tokens.issue(world.caller, "admin", { name: "another" });
      const hasIt = () => stream.tokens?.some(({ sha256 }) => tokenDigest(issued.value).equals(sha256));
      await expect.poll(hasIt, within).toBe(true);
      const [rows] = await tokens.list(world.caller, { limit: 50, offset: 0 });
      const own = rows.find(({ kind }) => kind === "runtime")?.id ?? "";
      await tokens.revoke(world.caller, own);
      expect(await stream.ended).toContain("unauthenticated");
      bystander.report([evaluation()]);
      await expect.poll(() => bystander.acked, within).toBe(1);
    });

    it("tells runtimes what changed while the process could not hear notifications", async () => {
      const stream = await connected();
      const client = new pg.Client({ connectionString: plane.urls.applicationUrl });
      await client.connect();
      const killed = await client.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where application_name = 'policy-guard-notifications' and datname = current_database()`,
      );
      expect(killed.rowCount).toBe(1);
      await plane.database.systemTransaction(world.orgId, (tx) =>
        tx.sql("update environment set activation_seq = 6 where project_id = ? and name = 'dev'", [world.projectId]),
      );
      await expect.poll(() => stream.activationSeq, within).toBe(6);
      await client.end();
    });
  });

  it("ends a stream after some ten minutes, and brings its runtime to another connection", async () => {
    let aheadMs = 0;
    const clock = { now: () => new Date(Date.now() + aheadMs) };
    const aging = await startTestControlPlane({ clock });
    const home = await createWorld(aging.database);
    const { hostname: host, port } = new URL(aging.baseUrl);
    let connections = 0;
    const createConnection = () => {
      connections += 1;
      return connect({ host, port: Number(port) });
    };
    const transport = createGrpcTransport({ baseUrl: aging.baseUrl, nodeOptions: { createConnection } });
    const client = createClient(ReportingService, transport);
    const stream = new RuntimeStream(aging.baseUrl, home.tokens.runtime, { client }).hello();
    const { instanceId } = stream;
    // The stream is open, so its age counts from here.
    stream.report([evaluation()]);
    await expect.poll(() => stream.acked, within).toBe(1);
    aheadMs = 7 * 60_000;
    stream.report([evaluation()]);
    await expect.poll(() => stream.acked, within).toBe(2);
    aheadMs = 12 * 60_000;
    const lastSeq = stream.report([evaluation()]);
    expect(await stream.ended).toBe("end");
    expect([stream.acked, connections]).toEqual([lastSeq, 1]);
    stream.finish();
    const next = new RuntimeStream(aging.baseUrl, home.tokens.runtime, { client, instanceId, firstSeq: 4 }).hello();
    next.report([evaluation()]);
    await expect.poll(() => next.acked, within).toBe(4);
    expect(connections).toBe(2);
    next.finish();
    await next.ended;
    await aging.stop();
  });

  it("at shutdown commits and acknowledges the batch in hand, and ends the stream cleanly", async () => {
    const stopping = await startTestControlPlane();
    const home = await createWorld(stopping.database);
    const stream = new RuntimeStream(stopping.baseUrl, home.tokens.runtime).hello();
    await expect.poll(() => stream.tokens, within).toBeDefined();
    const locker = new pg.Client({ connectionString: stopping.urls.migrationUrl });
    await locker.connect();
    await locker.query("begin; lock table trace_rollup in access exclusive mode");
    const lastSeq = stream.report([evaluation(), evaluation()]);
    const inHand = "select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()";
    const isInHand = () => stopping.database.read(home.orgId, async (tx) => (await tx.sql(inHand)).length);
    await expect.poll(isInHand, within).toBe(1);
    const stopped = stopping.stop();
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(stream.acked).toBe(0);
    await locker.query("rollback");
    await locker.end();
    expect(await stream.ended).toBe("end");
    expect(stream.acked).toBe(lastSeq);
    await stopped;
  });
});
