import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { leaseLifetimeMs, Quota, type QuotaSource } from "../../../../src/domain/billing/quota.ts";
import { putInForce } from "../../../../src/domain/billing/standing.ts";
import { Usage } from "../../../../src/domain/billing/usage.ts";
import { Ingest } from "../../../../src/domain/fleet/ingest.ts";
import { addUsage } from "../../../../src/store/billing/usage.ts";
import { type Database, openDatabase } from "../../../../src/store/connection/database.ts";
import type { Transaction } from "../../../../src/store/core/transaction.ts";
import { findOrganization, lockBilling, type OrganizationRow } from "../../../../src/store/tenancy/organization.ts";
import { createTestDatabase, type TestDatabase } from "../../../harness/database.ts";
import { createMovedClock } from "../../../harness/moved-clock.ts";
import { testSealer } from "../../../harness/sealer.ts";
import { createWorld, type World } from "../../../harness/vector/world.ts";
import { batchOf, evaluation } from "../telemetry/evaluation.ts";

describe("Quota", () => {
  const clock = createMovedClock();
  let urls: TestDatabase;
  let database: Database;
  let world: World;
  let quota: Quota;

  beforeAll(async () => {
    urls = await createTestDatabase();
    database = await openDatabase({ url: urls.applicationUrl, poolSize: 8, clock });
    quota = new Quota(database, { mode: "off" });
  });

  beforeEach(async () => {
    clock.set(new Date("2026-11-12T10:00:00Z"));
    world = await createWorld(database);
  });

  afterAll(async () => {
    await database.close();
    await urls.drop();
  });

  const runtime = (): QuotaSource => {
    const { orgId, projectId, environment } = world;
    return { orgId, projectId, environment, instanceId: randomUUID() };
  };
  const use = (evaluations: number) =>
    database.systemTransaction(world.orgId, (tx) => addUsage(tx, new Map([["2026-11-01", evaluations]])));
  const change = (fields: Partial<Pick<OrganizationRow, "plan" | "billingBlocked">>) =>
    database.systemTransaction(world.orgId, async (tx: Transaction) => {
      Object.assign(await findOrganization(tx), fields);
    });
  const usage = () => new Usage(database).get(world.caller);
  const report = async (source: QuotaSource, count: number, leaseId: string, at = clock.now()) => {
    const ingest = new Ingest(database, { sealer: testSealer, onResult: () => undefined });
    await ingest.ingest(source, batchOf(Array.from({ length: count }, () => evaluation({ leaseId }, at))));
  };
  const grant = async (source = runtime()) => {
    const session = quota.open(source);
    const { leases, state } = await session.answer([], "now");
    const [lease] = leases;
    if (lease === undefined) throw new Error(`no lease: ${state}`);
    return { source, session, lease };
  };

  it("grants an eighth of an equal share of what is left, and never less than five while there are five", async () => {
    expect((await grant()).lease.size).toBe(1_250);
    expect((await grant()).lease.size).toBe(546);
    await use(8_184);
    expect((await grant()).lease.size).toBe(5);
    expect((await grant()).lease.size).toBe(5);
    expect((await grant()).lease.size).toBe(5);
    expect((await grant()).lease.size).toBe(5);
    expect(await quota.open(runtime()).answer([], "now")).toMatchObject({
      state: "exhausted",
      leases: [],
      limit: 10_000,
      used: 10_000,
      resetsAt: new Date("2026-12-01T00:00:00Z"),
    });
  });

  it("gives two runtimes that ask at the same time no more than there is", async () => {
    await use(9_997);
    const answers = await Promise.all(Array.from({ length: 6 }, () => quota.open(runtime()).answer([], "now")));
    const sizes = answers.flatMap(({ leases }) => leases.map(({ size }) => size));
    expect(sizes).toEqual([3]);
  });

  it("counts what a lease covers as use of the plan, and the rest as overage", async () => {
    const { source, lease } = await grant();
    await report(source, 3, lease.id);
    await report(source, 2, "");
    await report(source, 2, randomUUID());
    await report(runtime(), 1, lease.id);
    expect(await usage()).toMatchObject({ evaluations: 8, overageEvaluations: 5, leasedEvaluations: lease.size - 3 });
  });

  it("counts an evaluation that comes twice once, and spends its lease once", async () => {
    const { source, lease } = await grant();
    const batch = batchOf([evaluation({ leaseId: lease.id }, clock.now())]);
    const ingest = new Ingest(database, { sealer: testSealer, onResult: () => undefined });
    await Promise.all([ingest.ingest(source, batch), ingest.ingest(source, batch)]);
    expect(await usage()).toMatchObject({ evaluations: 1, overageEvaluations: 0, leasedEvaluations: lease.size - 1 });
  });

  it("takes back the unused lease of a lost runtime, and counts its later reports as overage", async () => {
    const { source, lease } = await grant();
    clock.pass(2 * leaseLifetimeMs);
    expect(await usage()).toMatchObject({ leasedEvaluations: 0 });
    const { lease: next } = await grant();
    expect(next.size).toBe(lease.size);
    await report(source, 4, lease.id);
    expect(await usage()).toMatchObject({ overageEvaluations: 4, leasedEvaluations: next.size });
  });

  it("keeps a lease alive as long as its runtime names it", async () => {
    const { session, lease } = await grant();
    for (let i = 0; i < 4; i++) {
      clock.pass(1.5 * leaseLifetimeMs);
      expect((await session.answer([lease.id], undefined)).leases).toMatchObject([{ id: lease.id }]);
    }
    clock.pass(2 * leaseLifetimeMs);
    expect((await session.answer([lease.id], undefined)).leases).toEqual([]);
  });

  it("tells a lease once more whose answer crossed a status", async () => {
    const { session, lease } = await grant();
    expect((await session.answer([], undefined)).leases).toMatchObject([{ id: lease.id }]);
  });

  it("gives nobody another runtime's lease", async () => {
    const { lease } = await grant();
    expect((await quota.open(runtime()).answer([lease.id], undefined)).leases).toEqual([]);
  });

  it("ends leases with the month, and grants those of the next one in its last two minutes", async () => {
    clock.set(new Date("2026-11-30T23:57:59Z"));
    await use(10_000);
    const source = runtime();
    const session = quota.open(source);
    expect(await session.answer([], "next_month")).toMatchObject({ leases: [] });
    clock.set(new Date("2026-11-30T23:58:01Z"));
    expect(await session.answer([], "now")).toMatchObject({ state: "exhausted" });
    const { leases } = await session.answer([], "next_month");
    const startsAt = new Date("2026-12-01T00:00:00Z");
    expect(leases).toMatchObject([{ size: 1_250, startsAt, endsAt: new Date("2027-01-01T00:00:00Z") }]);
    const [lease] = leases;
    // An evaluation counts in the month in which it was made.
    await report(source, 1, lease?.id ?? "", new Date("2026-11-30T23:59:59.999Z"));
    expect(await usage()).toMatchObject({ month: "2026-11", overageEvaluations: 1 });
    await report(source, 1, lease?.id ?? "", startsAt);
    clock.set(startsAt);
    expect(await usage()).toMatchObject({ month: "2026-12", evaluations: 1, overageEvaluations: 0 });
  });

  it("calls leases back when the plan becomes smaller than what is leased, and grants more when it grows", async () => {
    await change({ plan: "growth" });
    await use(9_000);
    const { session, lease } = await grant();
    expect(lease.size).toBe(10_000);
    await change({ plan: "free" });
    expect(await quota.open(runtime()).answer([], "now")).toMatchObject({ state: "exhausted", leases: [] });
    expect((await session.answer([lease.id], undefined)).leases).toEqual([]);
    clock.pass(2 * leaseLifetimeMs);
    expect((await quota.open(runtime()).answer([], "now")).leases).toMatchObject([{ size: 125 }]);
    await change({ plan: "growth" });
    expect((await grant()).lease.size).toBe(10_000);
  });

  it("covers what was made until a recall became known, and counts what was made later as overage", async () => {
    await change({ plan: "growth" });
    const { source, lease } = await grant();
    const recalledAt = clock.now();
    await database.systemTransaction(world.orgId, async (tx) => {
      await lockBilling(tx);
      await putInForce(tx, { plan: "free", evaluationsLimit: null, billingBlocked: false });
    });
    const at = (seconds: number) => new Date(recalledAt.getTime() + seconds * 1_000);
    clock.pass(20_000);
    await report(source, 3, lease.id, at(4));
    expect(await usage()).toMatchObject({ evaluations: 3, overageEvaluations: 0 });
    await report(source, 2, lease.id, at(6));
    expect(await usage()).toMatchObject({ evaluations: 5, overageEvaluations: 2 });
    clock.pass(2 * leaseLifetimeMs);
    await quota.open(runtime()).answer([], "now");
    await report(source, 1, lease.id, at(4));
    expect(await usage()).toMatchObject({ evaluations: 6, overageEvaluations: 3 });
  });

  it("covers what was made without a lease while the plan had no limit", async () => {
    await change({ plan: "enterprise" });
    const source = runtime();
    const endedAt = clock.now();
    await database.systemTransaction(world.orgId, async (tx) => {
      await lockBilling(tx);
      await putInForce(tx, { plan: "growth", evaluationsLimit: null, billingBlocked: false });
    });
    clock.pass(30_000);
    await report(source, 4, "", new Date(endedAt.getTime() + 4_000));
    await report(source, 2, "", new Date(endedAt.getTime() + 6_000));
    expect(await usage()).toMatchObject({ evaluations: 6, overageEvaluations: 2, limit: 250_000 });
  });

  it("tells a runtime that did not ask: it loses what was called back, and gets a lease when there is room", async () => {
    await use(10_000);
    const session = quota.open(runtime());
    expect(await session.answer([], "now")).toMatchObject({ state: "exhausted", leases: [] });
    await change({ plan: "growth" });
    const refreshed = await session.refresh();
    expect(refreshed).toMatchObject({ state: "leased", leases: [{ size: 10_000 }] });
    expect((await session.refresh()).leases.map(({ id }) => id)).toEqual(refreshed.leases.map(({ id }) => id));
    await change({ billingBlocked: true });
    expect(await session.refresh()).toMatchObject({ state: "blocked", leases: [] });
  });

  it("needs no leases under a plan without a limit, and counts no overage there", async () => {
    await change({ plan: "enterprise" });
    expect(await quota.open(runtime()).answer([], "now")).toMatchObject({ state: "unlimited", leases: [] });
    await report(runtime(), 2, "");
    expect(await usage()).toMatchObject({ evaluations: 2, overageEvaluations: 0, limit: null });
  });

  it("grants a blocked organization nothing", async () => {
    await change({ billingBlocked: true });
    expect(await quota.open(runtime()).answer([], "now")).toMatchObject({ state: "blocked", leases: [] });
  });
});
