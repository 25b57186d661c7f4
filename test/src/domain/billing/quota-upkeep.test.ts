import pg from "pg";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { Quota } from "../../../../src/domain/billing/quota.ts";
import { PasswordHasher } from "../../../../src/domain/identity/password-hash.ts";
import type { SealedMail } from "../../../../src/domain/job.ts";
import { MailDelivery } from "../../../../src/domain/mail/mail-queue.ts";
import { Operator } from "../../../../src/domain/operator/operator.ts";
import { Projects } from "../../../../src/domain/project/project.ts";
import { newId } from "../../../../src/kit/process/id.ts";
import type { Caller } from "../../../../src/kit/rpc/context.ts";
import type { OutgoingMail } from "../../../../src/platform/mail.ts";
import { createSealer, parseMasterKeys } from "../../../../src/platform/seal.ts";
import { addUsage } from "../../../../src/store/billing/usage.ts";
import { MemberRow } from "../../../../src/store/identity/member.ts";
import { openWebhookWorld, type WebhookWorld } from "../../../harness/net/webhook-world.ts";
import { setPlan } from "../../../harness/vector/plan.ts";

let world: WebhookWorld;
let jobs: pg.Client;
let caller: Caller;

beforeAll(async () => {
  world = await openWebhookWorld();
  jobs = new pg.Client({ connectionString: world.urls.workerUrl });
  await jobs.connect();
});

afterAll(async () => {
  await jobs.end();
  await world.close();
});

beforeEach(async () => {
  world.clock.set(new Date("2026-11-20T12:00:00Z"));
  await jobs.query("delete from graphile_worker._private_jobs");
  caller = await world.newCaller();
  await addMember("owner", "ada@example.com");
  await addMember("admin", "grace@example.com");
  await addMember("editor", "edsger@example.com");
});

const notify = () => world.jobServices.quotas.notify();
const use = (evaluations: number) =>
  world.database.systemTransaction(caller.orgId, (tx) =>
    addUsage(tx, new Map([[`${tx.now.toISOString().slice(0, 7)}-01`, evaluations]])),
  );

function addMember(role: MemberRow["role"], email: string): Promise<void> {
  return world.database.systemTransaction(caller.orgId, async (tx) => {
    tx.em.create(MemberRow, {
      ...{ orgId: tx.orgId, id: newId(), accountId: null, email, emailKey: email, role, state: "active" },
      ...{ createdAt: tx.now, updatedAt: tx.now },
    });
  });
}

/** Somebody who may hold leases. */
async function runtime() {
  const { id: projectId } = await new Projects(world.database).create(caller, { name: "Shop" });
  return { orgId: caller.orgId, projectId, environment: "prod", instanceId: newId() };
}

/** The mails that wait for the worker, opened. */
async function mails(): Promise<OutgoingMail[]> {
  const sent: OutgoingMail[] = [];
  const sealer = createSealer({ masterKeys: parseMasterKeys(world.masterKey) });
  const transport = { send: async (mail: OutgoingMail) => void sent.push(mail) };
  const delivery = new MailDelivery({ sealer, clock: world.clock, transport });
  const { rows } = await jobs.query<{ payload: SealedMail }>(
    `select j.payload from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id
     where t.identifier = 'send-mail' order by j.id`,
  );
  for (const { payload } of rows) await delivery.deliver(payload);
  return sent;
}

async function alerts(): Promise<unknown[]> {
  const rows = await world.database.read(caller.orgId, (tx) =>
    tx.sql<{ body: string }>(
      "select body from event where org_id = ? and name = 'alert.triggered' order by created_at",
      [caller.orgId],
    ),
  );
  return rows.map(({ body }) => JSON.parse(body).data);
}

describe("notices of use", () => {
  it("go to owners and admins by mail at 80 % and at 100 %, once each, and on the free plan to nobody else", async () => {
    await use(7_999);
    expect(await notify()).toBe(0);
    await use(1);
    expect([await notify(), await notify()]).toEqual([1, 0]);
    expect((await mails()).map(({ to, subject }) => [to, subject])).toEqual([
      ["ada@example.com", "Test has used 80 % of this month's evaluations"],
      ["grace@example.com", "Test has used 80 % of this month's evaluations"],
    ]);
    await use(2_000);
    expect([await notify(), await notify()]).toEqual([1, 0]);
    const [first] = (await mails()).slice(2);
    expect(first?.subject).toBe("The evaluations of Test are used up for this month");
    expect(first?.text).toContain(
      "10000 are used or granted to runtimes. The next month begins at 2026-12-01 00:00 UTC.",
    );
    expect(await alerts()).toEqual([]);
  });

  it("are alerts too on a paid plan, the larger one alone when both are passed at once", async () => {
    await setPlan(world.database, caller.orgId, "growth");
    await use(250_000);
    expect([await notify(), await notify()]).toEqual([1, 0]);
    expect(await alerts()).toMatchObject([
      { alert_rule_id: null, state: "triggered", metric: "plan_usage", value: 250_000, threshold: 250_000 },
    ]);
    expect((await alerts())[0]).toMatchObject({ window_seconds: 30 * 86_400, project_id: null, webhook_id: null });
  });

  it("count leased evaluations, and start again with another limit and another month", async () => {
    const source = await runtime();
    await use(7_900);
    await new Quota(world.database, { mode: "off" }).open(source).answer([], "now");
    expect(await notify()).toBe(1);
    await setPlan(world.database, caller.orgId, "growth");
    expect(await notify()).toBe(0);
    await use(200_000);
    expect(await notify()).toBe(1);
    world.clock.set(new Date("2026-12-01T00:00:00Z"));
    expect(await notify()).toBe(0);
    await use(230_000);
    expect(await notify()).toBe(1);
  });

  it("are about the limit that the operator has set", async () => {
    const operator = new Operator(world.database, new PasswordHasher(), {
      actor: "operator:ada",
      isDryRun: false,
      defaultPlan: "free",
      graceMs: 0,
    });
    await operator.setPlan(caller.orgId, "growth", { evaluations: 400_000 });
    await use(319_999);
    expect(await notify()).toBe(0);
    await use(1);
    expect(await notify()).toBe(1);
    expect(await alerts()).toMatchObject([{ value: 320_000, threshold: 320_000 }]);
  });

  it("are never about a plan without a limit", async () => {
    await setPlan(world.database, caller.orgId, "enterprise");
    await use(9_000_000);
    expect(await notify()).toBe(0);
  });
});

describe("the end of a month", () => {
  it("takes back what was leased of it and not used, once the lease has ended", async () => {
    const source = await runtime();
    await new Quota(world.database, { mode: "off" }).open(source).answer([], "now");
    const leases = () =>
      world.database.read(caller.orgId, (tx) => tx.sql("select id from quota_lease where org_id = ?", [caller.orgId]));
    world.clock.set(new Date("2026-12-01T00:10:00Z"));
    expect(await leases()).toHaveLength(1);
    await world.jobServices.quotas.closeMonth();
    expect(await leases()).toHaveLength(0);
  });
});
