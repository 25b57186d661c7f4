// What a burst must not make slow: the statements on the way of a delivery read the rows that they are about, however
// many others the organization has, and whatever the planner's statistics say. Counted by PostgreSQL itself, not by the
// clock.

import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newId } from "../../../../src/kit/process/id.ts";
import { type Database, openDatabase } from "../../../../src/store/connection/database.ts";
import type { Transaction } from "../../../../src/store/core/transaction.ts";
import { OrganizationRow } from "../../../../src/store/tenancy/organization.ts";
import { recordAttempts } from "../../../../src/store/webhook/attempt.ts";
import {
  type ClaimedDelivery,
  claimDue,
  lastDeliveries,
  releaseClaims,
} from "../../../../src/store/webhook/delivery.ts";
import { createTestDatabase, type TestDatabase } from "../../../harness/database.ts";

/** Deliveries of an organization: reading all of them would not go unnoticed. */
const backlog = 8_000;
const claimed = 16;
/** Rows that are read for each one that is claimed, recorded or given back: itself, more than once, and its event. */
const mostReadEach = 5;

let urls: TestDatabase;
let database: Database;
let owner: pg.Client;

beforeAll(async () => {
  urls = await createTestDatabase();
  database = await openDatabase({ url: urls.workerUrl, poolSize: 2 });
  owner = new pg.Client({ connectionString: urls.migrationUrl });
  await owner.connect();
});

afterAll(async () => {
  await Promise.all([owner.end(), database.close()]);
  await urls.drop();
});

/** A new organization with a webhook that has a backlog, due for an hour. */
async function organization() {
  const target = { orgId: newId(), webhookId: newId() };
  const { orgId, webhookId } = target;
  await database.systemTransaction(orgId, async (tx) => {
    const now = new Date();
    const due = new Date(now.getTime() - 3_600_000);
    tx.em.create(OrganizationRow, {
      id: orgId,
      name: "Burst",
      plan: "enterprise",
      billingBlocked: false,
      createdAt: now,
      updatedAt: now,
    });
    await tx.em.flush();
    await tx.sql(
      `insert into webhook (org_id, id, url, events, is_active, created_at, updated_at)
       values (?, ?, 'https://example.com/', '{evaluation.blocked}', true, ?, ?)`,
      [orgId, webhookId, now, now],
    );
    await tx.sql(
      `with added as (
         insert into event (org_id, id, name, body, created_at)
         select ?, 'evt_' || gen_random_uuid(), 'evaluation.blocked', repeat('x', 500), ? from generate_series(1, ?)
         returning org_id, id)
       insert into webhook_delivery (org_id, id, webhook_id, event_id, event, state, attempts, next_attempt_at, created_at)
       select org_id, gen_random_uuid(), ?, id, 'evaluation.blocked', 'pending', 0, ?, ? from added`,
      [orgId, due, backlog, webhookId, due, due],
    );
  });
  return target;
}

/** Rows of deliveries and events that the work reads. */
async function rowsRead(tx: Transaction, work: () => Promise<unknown>): Promise<number> {
  const count = async () => {
    const [row] = await tx.sql<{ read: string }>(
      `select coalesce(sum(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0)), 0)::text as read
       from pg_stat_xact_user_tables where relname in ('webhook_delivery', 'event')`,
    );
    return Number(row?.read);
  };
  const before = await count();
  await work();
  return (await count()) - before;
}

function delivered({ id, claim_id }: ClaimedDelivery) {
  const now = new Date();
  return {
    claim: { id, claim_id },
    state: "delivered" as const,
    attempts: 1,
    startedAt: now,
    durationMs: 1,
    statusCode: 204,
    error: null,
    answer: "",
    nextAttemptAt: null,
    firstAttemptAt: now,
  };
}

const statistics: readonly { name: string; prepare: typeof organization }[] = [
  { name: "have never been gathered", prepare: organization },
  {
    name: "are from before the organization had anything",
    // The planner takes the backlog for a few rows, which it would read as readily as those that are needed.
    prepare: async () => {
      await organization();
      await owner.query("analyze");
      return organization();
    },
  },
  {
    name: "are fresh",
    prepare: async () => {
      const target = await organization();
      await owner.query("analyze");
      return target;
    },
  },
];

// In their order: nobody gathers statistics before the second.
describe.each(statistics)("a backlog, when the statistics of the tables $name,", ({ prepare }) => {
  it("costs no claim, record or return of a few deliveries more than those", async () => {
    const { orgId, webhookId } = await prepare();
    const most = claimed * mostReadEach;
    await database.systemTransaction(orgId, async (tx) => {
      let claims: ClaimedDelivery[] = [];
      const claim = (own: readonly string[]) =>
        claimDue(tx, webhookId, { limit: claimed, until: new Date(tx.now.getTime() + 30_000), own });
      const first = async () => {
        claims = (await claim([])) ?? [];
      };
      expect(await rowsRead(tx, first)).toBeLessThanOrEqual(most);
      expect(claims).toHaveLength(claimed);
      expect(claims[0]?.body).toHaveLength(500);
      expect(await claim([newId()])).toBeUndefined();
      expect(await rowsRead(tx, () => claim([newId()]))).toBeLessThanOrEqual(most);
      const half = claimed / 2;
      const record = () => recordAttempts(tx, claims.slice(0, half).map(delivered));
      expect(await rowsRead(tx, record)).toBeLessThanOrEqual(most);
      expect(await rowsRead(tx, () => releaseClaims(tx, claims.slice(half)))).toBeLessThanOrEqual(most);
      const rows = await tx.sql<{ state: string; count: number }>(
        "select state, count(*)::int from webhook_delivery where org_id = ? and claim_id is null group by state order by 1",
        [orgId],
      );
      expect(rows).toEqual([
        { state: "delivered", count: half },
        { state: "pending", count: backlog - half },
      ]);
    });
  });

  it("costs the list of webhooks one row of each", async () => {
    const { orgId, webhookId } = await prepare();
    await database.systemTransaction(orgId, async (tx) => {
      const look = () => lastDeliveries(tx, [webhookId, newId()]);
      const found = await look();
      expect([...found].map(([id, { state }]) => [id, state])).toEqual([[webhookId, "pending"]]);
      expect(await rowsRead(tx, look)).toBeLessThanOrEqual(mostReadEach);
    });
  });

  it("costs a sweep one row of each webhook", async () => {
    const { orgId, webhookId } = await prepare();
    await database.systemTransaction(orgId, async (tx) => {
      const sweep = () =>
        tx.sql<{ webhook_id: string }>("select * from app.overdue_webhooks(?, ?, 100)", [tx.now, tx.now]);
      const found = await sweep();
      expect(found.map(({ webhook_id }) => webhook_id)).toContain(webhookId);
      expect(await rowsRead(tx, sweep)).toBeLessThanOrEqual(found.length * mostReadEach);
    });
  });
});
