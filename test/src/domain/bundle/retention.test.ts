import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ownAnalysis } from "../../../../src/domain/analysis/own-analysis.ts";
import type { Bundles } from "../../../../src/domain/bundle/bundle.ts";
import { Candidates } from "../../../../src/domain/bundle/candidate.ts";
import { BundleRetention } from "../../../../src/domain/bundle/retention.ts";
import { SigningKeys } from "../../../../src/domain/bundle/signing-keys.ts";
import { Policies } from "../../../../src/domain/policy/policy.ts";
import { createSealer, parseMasterKeys } from "../../../../src/platform/seal.ts";
import { type Database, openDatabase } from "../../../../src/store/connection/database.ts";
import { bundlesOf } from "../../../harness/bundles.ts";
import { createTestDatabase, type TestDatabase } from "../../../harness/database.ts";
import { createMovedClock } from "../../../harness/moved-clock.ts";
import { createWorld, type World } from "../../../harness/vector/world.ts";

const day = 86_400_000;

function policyOf(keyword: string): string {
  return `apiVersion: policyguard/v1
kind: Policy
metadata: {name: words}
detectors: {words: {use: keywords, keywords: [${keyword}]}}
rules: [{id: word, stages: [input], detect: words, action: BLOCK}]
`;
}

describe("BundleRetention", () => {
  const clock = createMovedClock(new Date("2026-06-01T00:00:00Z"));
  let urls: TestDatabase;
  let database: Database;
  let world: World;
  let bundles: Bundles;
  let candidates: Candidates;
  let retention: BundleRetention;

  beforeAll(async () => {
    urls = await createTestDatabase();
    database = await openDatabase({ url: urls.applicationUrl, poolSize: 4, clock });
    world = await createWorld(database);
    const keys = new SigningKeys(
      database,
      createSealer({ masterKeys: parseMasterKeys(randomBytes(32).toString("base64")) }),
    );
    bundles = bundlesOf(database, keys);
    candidates = new Candidates(database, keys);
    retention = new BundleRetention(database, clock);
  });

  afterAll(async () => {
    await database.close();
    await urls.drop();
  });

  it("keeps what is active, newest, compared, or was active or published in the last 90 days, and removes the rest", async () => {
    const { caller, projectId, environment } = world;
    const path = { projectId, environment };
    const policies = new Policies(database, clock, ownAnalysis());
    const { id } = (await policies.create(caller, { document: policyOf("word1"), scope: { appId: projectId } })).policy;
    const publish = async (n: number, activate: boolean) => {
      if (n > 1) await policies.update(caller, id, { document: policyOf(`word${n}`) });
      return bundles.publish(caller, path, { activate });
    };
    await publish(1, true);
    await publish(2, false);
    await publish(3, true);
    // Refreshed as the job does: version 3 is active until day 60.
    clock.pass(60 * day);
    await database.systemTransaction(world.orgId, (tx) =>
      tx.sql("update activation set issued_at = ? where version = 3", [clock.now()]),
    );
    await publish(4, true);
    await publish(5, false);
    await candidates.start(caller, path, { version: 2, percent: 100, hours: 24 });
    clock.pass(60 * day);
    const states = async () => {
      const [views] = await bundles.list(caller, path, { limit: 50, offset: 0 });
      return Object.fromEntries(views.map(({ bundle }) => [bundle.version, bundle.purgedAt == null]));
    };
    const parts = async () => {
      const [row] = await database.read(world.orgId, (tx) =>
        tx.sql<{ n: number }>("select count(*)::int as n from bundle_part where org_id = ?", [world.orgId]),
      );
      return row?.n;
    };
    expect(await parts()).toBe(5);
    expect(await retention.purgeOrganization(world.orgId)).toEqual({ bundles: 1, parts: 1 });
    expect(await states()).toEqual({ 1: false, 2: true, 3: true, 4: true, 5: true });
    await candidates.drop(caller, path);
    // As after a restore, which leaves numbers out.
    await database.systemTransaction(world.orgId, (tx) =>
      tx.sql("update environment set latest_version = latest_version + 1000000 where name = ?", [environment]),
    );
    clock.pass(400 * day);
    expect(await retention.purgeOrganization(world.orgId)).toEqual({ bundles: 2, parts: 2 });
    expect(await states()).toEqual({ 1: false, 2: false, 3: false, 4: true, 5: true });
    expect(await parts()).toBe(2);
    expect(await retention.purgeOrganization(world.orgId)).toEqual({ bundles: 0, parts: 0 });
    // The log of evidence says so, once for each time that something went.
    const told = await database.read(world.orgId, (tx) =>
      tx.sql<{ after: string }>(
        `select o.after from audit_entry e join audit_opening o using (org_id, seq)
         where e.org_id = ? and e.action = 'retention.remove' order by e.seq`,
        [world.orgId],
      ),
    );
    expect(told.map(({ after }) => JSON.parse(after).versions)).toEqual([1, 2]);
  });

  it("leaves a version that it purged in the list, and says why it cannot be activated, promoted or compared", async () => {
    const { caller, projectId, environment } = world;
    const path = { projectId, environment };
    await expect(bundles.activate(caller, path, 1)).rejects.toThrow("was deleted after 90 days");
    await expect(bundles.promote(caller, path, { target: "staging", version: 1, activate: true })).rejects.toThrow(
      "was deleted after 90 days",
    );
    await expect(candidates.start(caller, path, { version: 1, percent: 100, hours: 1 })).rejects.toThrow(
      "was deleted after 90 days",
    );
    expect((await bundles.activate(caller, path, 4)).isActive).toBe(true);
  });
});
