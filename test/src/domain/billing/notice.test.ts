// What admins are told by mail and in the summary: of payments, blocks and plans, whoever changed them, and of unusual
// use.

import pg from "pg";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { Billing, type BillingOptions } from "../../../../src/domain/billing/billing.ts";
import { LocalPages } from "../../../../src/domain/billing/local-page.ts";
import { PasswordHasher } from "../../../../src/domain/identity/password-hash.ts";
import type { NoticeMail, SealedMail } from "../../../../src/domain/job.ts";
import { MailDelivery, MailQueue } from "../../../../src/domain/mail/mail-queue.ts";
import { Operator } from "../../../../src/domain/operator/operator.ts";
import { Projects } from "../../../../src/domain/project/project.ts";
import { createLog } from "../../../../src/kit/observability/log.ts";
import { newId } from "../../../../src/kit/process/id.ts";
import type { Caller } from "../../../../src/kit/rpc/context.ts";
import type { OutgoingMail } from "../../../../src/platform/mail.ts";
import { createSealer, parseMasterKeys } from "../../../../src/platform/seal.ts";
import { MemberRow } from "../../../../src/store/identity/member.ts";
import { billingTerms, openWebhookWorld, type WebhookWorld } from "../../../harness/net/webhook-world.ts";
import { pageOf } from "../../../harness/vector/billing-step.ts";
import { setPlan } from "../../../harness/vector/plan.ts";

const dayMs = 86_400_000;
const audit = { action: "billing.portal", requestId: "test", address: "" };
let world: WebhookWorld;
let jobs: pg.Client;
let caller: Caller;
let options: BillingOptions;

beforeAll(async () => {
  world = await openWebhookWorld();
  jobs = new pg.Client({ connectionString: world.urls.workerUrl });
  await jobs.connect();
  options = {
    mode: "stub",
    ...billingTerms,
    mailer: new MailQueue(world.database, { sealer: sealer(), log: createLog({ name: "test", level: "silent" }) }),
    publicUrl: "https://guard.example.com",
  };
});

afterAll(async () => {
  await jobs.end();
  await world.close();
});

beforeEach(async () => {
  world.clock.set(new Date("2026-11-20T12:00:00Z"));
  await jobs.query("delete from graphile_worker._private_jobs");
  caller = await world.newCaller();
  await world.database.systemTransaction(caller.orgId, async (tx) => {
    for (const [role, email] of [["owner", "ada@example.com"] as const, ["editor", "edsger@example.com"] as const])
      tx.em.create(MemberRow, {
        ...{ orgId: tx.orgId, id: newId(), accountId: null, email, emailKey: email, role, state: "active" },
        ...{ createdAt: tx.now, updatedAt: tx.now },
      });
    await tx.sql("update organization set billing_email = 'bills@example.com' where id = ?", [tx.orgId]);
  });
});

function sealer() {
  return createSealer({ masterKeys: parseMasterKeys(world.masterKey) });
}

async function waiting<T>(task: string): Promise<T[]> {
  const { rows } = await jobs.query<{ payload: T }>(
    `delete from graphile_worker._private_jobs j using graphile_worker._private_tasks t
     where t.id = j.task_id and t.identifier = $1 returning j.payload, j.id`,
    [task],
  );
  return rows.map(({ payload }) => payload);
}

/** The mails that wait for the worker, opened, and the worker's own work before. */
async function mails(): Promise<OutgoingMail[]> {
  const sent: OutgoingMail[] = [];
  for (const notice of await waiting<NoticeMail>("mail-notice")) {
    await world.jobServices.notices.mail(notice);
    // A job may run twice.
    await world.jobServices.notices.mail(notice);
  }
  const transport = { send: async (mail: OutgoingMail) => void sent.push(mail) };
  const delivery = new MailDelivery({ sealer: sealer(), clock: world.clock, transport });
  for (const mail of await waiting<SealedMail>("send-mail")) await delivery.deliver(mail);
  return sent;
}

const subjects = async () => (await mails()).map(({ to, subject }) => `${to}: ${subject}`).sort();
const both = (subject: string) => [`ada@example.com: Test: ${subject}`, `bills@example.com: Test: ${subject}`];

describe("a mail goes to the admins and the address for bills", () => {
  it("when a payment failed, a day before the grace time ends, at the block and when it is open again", async () => {
    const billing = new Billing(world.database, options);
    const pages = new LocalPages(world.database, options);
    const upkeep = world.jobServices.billing;
    const inPortal = async (action: "pay_invoices" | "decline_payments") =>
      pages.act(pageOf((await billing.openPortal(caller, {})).url), action, audit);
    const at = async (moment: string) => {
      world.clock.set(new Date(moment));
      await upkeep.advance();
      await upkeep.advance();
      return subjects();
    };
    await pages.confirm(pageOf((await billing.checkout(caller, { plan: "growth" })).url), "paid", audit);
    expect(await subjects()).toEqual(both("the plan is Growth now"));
    await inPortal("decline_payments");
    expect(await at("2026-12-20T12:00:00Z")).toEqual(both("a payment failed"));
    expect(await at("2026-12-26T11:59:00Z")).toEqual([]);
    expect(await at("2026-12-26T12:00:00Z")).toEqual(both("a payment is missing, and tomorrow everything stops"));
    expect(await at("2026-12-27T12:00:00Z")).toEqual(both("blocked until the bill is settled"));
    await inPortal("pay_invoices");
    expect(await subjects()).toEqual(both("open again"));
    const { notices } = await billing.summary(caller);
    expect(notices.map(({ kind }) => kind).sort()).toEqual(
      ["blocked", "grace_ending", "payment_failed", "unblocked"].sort(),
    );
  });

  it("when the operator changed the plan, blocked or opened it: the worker sends it, once", async () => {
    const operator = new Operator(world.database, new PasswordHasher(), {
      ...{ actor: "operator:ada", isDryRun: false, defaultPlan: "free", graceMs: 0 },
    });
    await operator.setPlan(caller.orgId, "enterprise");
    expect(await subjects()).toEqual(both("the plan is Enterprise now"));
    world.clock.pass(1);
    await operator.block(caller.orgId, "no payment");
    expect(await subjects()).toEqual(both("blocked until the bill is settled"));
    world.clock.pass(1);
    await operator.unblock(caller.orgId, "paid");
    expect(await subjects()).toEqual(both("open again"));
  });
});

describe("a day of unusual use", () => {
  // A Friday; the job runs on the Saturday.
  const day = "2026-11-20";
  const find = () => world.jobServices.usageAnomalies.find(new Date("2026-11-21T03:17:00Z"));
  let projectId: string;

  beforeEach(async () => {
    projectId = (await new Projects(world.database).create(caller, { name: "Shop\nBilling: ok" })).id;
  });

  const use = (on: string, evaluations: number, agent = "") =>
    world.database.systemTransaction(caller.orgId, (tx) =>
      tx.sql(
        `insert into usage_day (org_id, day, project_id, environment, agent_key, stage, evaluations, overage)
         values (?, ?, ?, 'prod', ?, 1, ?, 0)`,
        [tx.orgId, on, projectId, agent, evaluations],
      ),
    );
  const usual = async (...counts: readonly number[]) => {
    for (const [week, count] of counts.entries())
      await use(new Date(Date.parse(day) - 7 * (week + 1) * dayMs).toISOString().slice(0, 10), count);
  };

  it("is told by mail once for a project and week, and as an alert on a paid plan", async () => {
    await setPlan(world.database, caller.orgId, "growth");
    // The median of 100, 300, 500 and 9,000 is 400.
    await usual(300, 9_000, 100, 500);
    await use(day, 1_000, "a");
    await use(day, 201, "b");
    expect([await find(), await find()]).toEqual([1, 0]);
    const [mail] = await mails();
    expect(mail).toMatchObject({ subject: "Test: a project uses far more evaluations than usual" });
    expect(mail?.text).toContain("The project Shop Billing: ok has made 1201 evaluations on 2026-11-20");
    const { notices } = await new Billing(world.database, options).summary(caller);
    expect(notices).toMatchObject([{ kind: "usage_anomaly", projectId, value: 1_201 }]);
    const alerts = await world.database.read(caller.orgId, (tx) =>
      tx.sql<{ body: string }>("select body from event where org_id = ? and name = 'alert.triggered'", [tx.orgId]),
    );
    expect(alerts.map(({ body }) => JSON.parse(body).data)).toMatchObject([
      { metric: "usage_anomaly", value: 1_201, threshold: 1_200, project_id: projectId, window_seconds: 86_400 },
    ]);
    // The Saturday of the same week, and the Monday after it.
    await use("2026-11-21", 50_000);
    expect(await world.jobServices.usageAnomalies.find(new Date("2026-11-22T03:17:00Z"))).toBe(0);
    await use("2026-11-23", 50_000);
    expect(await world.jobServices.usageAnomalies.find(new Date("2026-11-24T03:17:00Z"))).toBe(1);
  });

  it.each([
    ["three times the usual", [400, 400, 400, 400], 1_200],
    ["less than 1,000", [0, 0, 0, 0], 999],
  ] as const)("is not one of %s", async (_title, before, evaluations) => {
    await usual(...before);
    await use(day, evaluations);
    expect(await find()).toBe(0);
  });

  it("is told a day late when the job of the day did not run", async () => {
    await use(day, 1_000);
    expect(await world.jobServices.usageAnomalies.find(new Date("2026-11-22T03:17:00Z"))).toBe(1);
  });
});
