// Jobs that look after all organizations, where something is wrong with some of them: the others are looked after as
// ever, and the job fails with the names of those that failed.

import type pg from "pg";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { Quota } from "../../../../src/domain/billing/quota.ts";
import type { UsageDifference } from "../../../../src/domain/billing/usage-reconciliation.ts";
import { Projects } from "../../../../src/domain/project/project.ts";
import { newId } from "../../../../src/kit/process/id.ts";
import type { Caller } from "../../../../src/kit/rpc/context.ts";
import { addUsage } from "../../../../src/store/billing/usage.ts";
import { openWebhookWorld, type WebhookWorld } from "../../../harness/net/webhook-world.ts";

let world: WebhookWorld;
let witness: pg.Client;
/** The first and the last fail. */
let organizations: readonly [Caller, Caller, Caller];
const projects = new Map<string, string>();

beforeAll(async () => {
  world = await openWebhookWorld();
  witness = await world.urls.openWitness();
});

afterAll(async () => {
  await witness.end();
  await world.close();
});

beforeEach(async () => {
  world.clock.set(new Date("2026-11-20T12:00:00Z"));
  organizations = [await world.newCaller(), await world.newCaller(), await world.newCaller()];
  for (const caller of organizations) {
    projects.set(caller.orgId, (await new Projects(world.database).create(caller, { name: "Shop" })).id);
  }
});

const broken = () => [organizations[0].orgId, organizations[2].orgId];
const whole = () => organizations[1].orgId;

/** Runs the work while the database refuses changes of a table for the broken organizations. */
async function whileRefused(table: string, work: () => Promise<unknown>): Promise<void> {
  const list = broken().map((id) => `'${id}'`);
  await witness.query(`create function refuse_it() returns trigger language plpgsql as $$ begin
    if coalesce(new.org_id, old.org_id) in (${list.join(", ")}) then raise exception 'refused'; end if;
    return coalesce(new, old); end $$`);
  await witness.query(
    `create trigger refuse_it before insert or update or delete on ${table} for each row execute function refuse_it()`,
  );
  try {
    await expect(work()).rejects.toThrow(/^failed for 2 of \d+: /);
    await work().catch((error: Error) => {
      for (const id of broken()) expect(error.message).toContain(id);
    });
  } finally {
    await witness.query("drop function refuse_it() cascade");
  }
}

async function countOf(table: string, orgId: string): Promise<number> {
  const { rows } = await witness.query(`select count(*)::int as n from ${table} where org_id = $1`, [orgId]);
  return rows[0].n;
}

it("a month that is nearly used up is told to the others", async () => {
  for (const { orgId } of organizations) {
    await world.database.systemTransaction(orgId, (tx) => addUsage(tx, new Map([["2026-11-01", 8_500]])));
  }
  await whileRefused("usage_notice", () => world.jobServices.quotas.notify());
  expect(await countOf("usage_notice", whole())).toBe(1);
});

it("a month that is over is closed for the others", async () => {
  for (const { orgId } of organizations) {
    const source = { orgId, projectId: projects.get(orgId) ?? "", environment: "prod", instanceId: newId() };
    await new Quota(world.database, { mode: "off" }).open(source).answer([], "now");
  }
  world.clock.set(new Date("2026-12-01T00:10:00Z"));
  await whileRefused("quota_lease", () => world.jobServices.quotas.closeMonth());
  expect(await countOf("quota_lease", whole())).toBe(0);
});

it("unusual use is told to the others", async () => {
  for (const { orgId } of organizations) {
    await witness.query(
      `insert into usage_day (org_id, day, project_id, environment, agent_key, stage, evaluations, overage)
       values ($1, '2026-11-20', $2, 'prod', '', 1, 5000, 0)`,
      [orgId, projects.get(orgId)],
    );
  }
  const find = () => world.jobServices.usageAnomalies.find(new Date("2026-11-21T03:17:00Z"));
  await whileRefused("billing_notice", find);
  expect(await countOf("billing_notice", whole())).toBe(1);
});

it("counts that differ are told of the others", async () => {
  for (const { orgId } of organizations) {
    await world.database.systemTransaction(orgId, (tx) => addUsage(tx, new Map([["2026-11-01", 7]])));
  }
  for (const orgId of broken()) {
    await witness.query(
      `insert into stat_delta (org_id, id, project_id, environment, created_at, tally)
       values ($1, gen_random_uuid(), $2, 'prod', now(), '\\xff')`,
      [orgId, projects.get(orgId)],
    );
  }
  const found: UsageDifference[] = [];
  const compare = () =>
    world.jobServices.usageReconciliation.compare(world.clock.now(), (difference) => found.push(difference));
  await expect(compare()).rejects.toThrow(/^failed for 2 of /);
  expect(found).toContainEqual({
    orgId: whole(),
    month: "2026-11-01",
    byMonth: { evaluations: 7, overage: 0 },
    byDay: { evaluations: 0, overage: 0 },
  });
  await witness.query("delete from stat_delta where org_id = any($1)", [broken()]);
});
