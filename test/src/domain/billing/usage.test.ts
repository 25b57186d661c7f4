import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Usage } from "../../../../src/domain/billing/usage.ts";
import { addPlaygroundUsage, addUsage } from "../../../../src/store/billing/usage.ts";
import { type Database, openDatabase } from "../../../../src/store/connection/database.ts";
import type { Transaction } from "../../../../src/store/core/transaction.ts";
import { findOrganization } from "../../../../src/store/tenancy/organization.ts";
import { createTestDatabase } from "../../../harness/database.ts";
import { createMovedClock } from "../../../harness/moved-clock.ts";
import { createWorld, type World } from "../../../harness/vector/world.ts";

const clock = createMovedClock(new Date("2026-12-31T23:59:59.900Z"));
let database: Database;
let close: () => Promise<void>;
let world: World;

beforeAll(async () => {
  const urls = await createTestDatabase();
  database = await openDatabase({ url: urls.applicationUrl, poolSize: 4, clock });
  close = async () => {
    await database.close();
    await urls.drop();
  };
  world = await createWorld(database);
  await change((tx) => addUsage(tx, new Map([["2026-12-01", 10_003]])));
});

afterAll(() => close());

function change(work: (tx: Transaction) => Promise<void>): Promise<void> {
  return database.systemTransaction(world.orgId, work);
}

function usage() {
  return new Usage(database).get(world.caller);
}

describe("Usage", () => {
  it("shows what went beyond the plan, and never less than nothing left", async () => {
    const resetsAt = new Date("2027-01-01T00:00:00Z");
    expect(await usage()).toMatchObject({
      month: "2026-12",
      evaluations: 10_003,
      limit: 10_000,
      remaining: 0,
      resetsAt,
    });
  });

  it("counts the playground too, and says how much of it there is", async () => {
    await change(addPlaygroundUsage);
    expect(await usage()).toMatchObject({ evaluations: 10_004, playgroundEvaluations: 1 });
  });

  it.each([
    ["growth", 250_000, 239_996],
    ["enterprise", null, null],
  ] as const)("has the limit of the plan %s", async (plan, limit, remaining) => {
    await change(async (tx) => {
      (await findOrganization(tx)).plan = plan;
    });
    expect(await usage()).toMatchObject({ plan, limit, remaining, evaluations: 10_004 });
  });

  it("begins at 0 with the first moment of the next month in UTC", async () => {
    clock.pass(100);
    const resetsAt = new Date("2027-02-01T00:00:00Z");
    expect(await usage()).toMatchObject({ month: "2027-01", evaluations: 0, playgroundEvaluations: 0, resetsAt });
  });

  it("is an organization's own", async () => {
    clock.set(new Date("2026-12-31T12:00:00Z"));
    const other = await createWorld(database);
    expect(await new Usage(database).get(other.caller)).toMatchObject({ month: "2026-12", evaluations: 0 });
  });
});
