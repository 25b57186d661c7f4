import { randomUUID } from "node:crypto";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Evidence } from "../../../../src/domain/telemetry/evidence.ts";
import { EvidenceRetention } from "../../../../src/domain/telemetry/evidence-retention.ts";
import { systemClock } from "../../../../src/kit/process/clock.ts";
import { type Database, openDatabase } from "../../../../src/store/connection/database.ts";
import { createTestDatabase, type TestDatabase } from "../../../harness/database.ts";
import { createWorld, type World } from "../../../harness/vector/world.ts";

const dayMs = 86_400_000;
const whole = { limit: 200, offset: 0 };
const everything = { action: undefined, actor: undefined, resource: undefined, since: undefined, until: undefined };

describe("EvidenceRetention", () => {
  let urls: TestDatabase;
  let database: Database;
  let worker: Database;
  let owner: pg.Client;
  let world: World;
  const retention = () => new EvidenceRetention(worker, systemClock, { partition: "month" });

  beforeAll(async () => {
    urls = await createTestDatabase();
    database = await openDatabase({ url: urls.applicationUrl, poolSize: 4 });
    worker = await openDatabase({ url: urls.workerUrl, poolSize: 2 });
    owner = new pg.Client({ connectionString: urls.migrationUrl });
    await owner.connect();
    world = await createWorld(database);
    // Entries that were written so many days ago.
    for (const days of [400, 366, 364, 100, 91, 0]) {
      const clock = { now: () => new Date(Date.now() - days * dayMs) };
      const then = await openDatabase({ url: urls.applicationUrl, poolSize: 1, clock });
      const audit = { action: "thing.change", requestId: randomUUID(), address: "" };
      await then.transaction({ ...world.caller, audit }, async (tx) =>
        tx.changed({ resource: `thing/${days}`, before: null, after: { days } }),
      );
      await then.close();
    }
  });

  afterAll(async () => {
    await Promise.all([database.close(), worker.close(), owner.end()]);
    await urls.drop();
  });

  const entries = async () => (await new Evidence(database).list(world.caller, everything, whole))[0];
  const kept = async () =>
    (await entries()).map(({ resource }) => resource).filter((name) => name.startsWith("thing/"));
  const hashes = () =>
    database.read(world.orgId, (tx) =>
      tx.sql<{ hash: string }>("select encode(leaf_hash, 'hex') as hash from audit_entry order by seq"),
    );

  it("forgets entries past the plan's days or those that were set, and keeps every hash", async () => {
    const before = await hashes();
    const [first] = (await entries()).filter(({ resource }) => resource === "thing/400");
    expect(await retention().purge()).toBe(2);
    expect(await kept()).toEqual(["thing/0", "thing/91", "thing/100", "thing/364"]);
    expect((await hashes()).slice(0, before.length)).toEqual(before);
    await expect(new Evidence(database).get(world.caller, first?.seq ?? -1)).rejects.toThrow("no such entry");
    const openings = await database.read(world.orgId, (tx) =>
      tx.sql("select 1 as one from audit_opening where seq = ?", [first?.seq]),
    );
    expect(openings).toEqual([]);

    await database.systemTransaction(world.orgId, (tx) => tx.sql("update organization set evidence_days = 95"));
    expect(await retention().purge()).toBe(2);
    expect(await kept()).toEqual(["thing/0", "thing/91"]);
    expect(await retention().purge()).toBe(0);
    const told = (await entries()).filter(({ action }) => action === "evidence.forget");
    expect(told.map(({ values }) => values.after)).toMatchObject([{ entries: 2 }, { entries: 2 }]);
  });

  it("cannot be brought to forget what is younger than ninety days, by anybody", async () => {
    const forget = (days: number) =>
      worker.systemTransaction(world.orgId, (tx) =>
        tx.sql<{ forgotten: number }>("select forgotten from app.forget_entries(now() - ? * interval '1 day', 100)", [
          days,
        ]),
      );
    expect(await forget(-1)).toEqual([{ forgotten: 1 }]);
    expect(await kept()).toEqual(["thing/0"]);
    await expect(database.read(world.orgId, (tx) => tx.sql("select app.forget_entries(now(), 100)"))).rejects.toThrow(
      "permission denied",
    );
    await owner.query("select set_config('app.org_id', $1, false)", [world.orgId]);
    const erase = "update audit_entry set leaf = null, action = null, resource = null where resource = 'thing/0'";
    await expect(owner.query(erase)).rejects.toThrow("never changed");
    await owner.query("select set_config('app.org_id', '', false)");
  });
});
