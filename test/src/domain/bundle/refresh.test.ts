// Activations are signed anew every day, in every organization, whatever is wrong with one of them.

import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ActivationRefresh } from "../../../../src/domain/bundle/activation-refresh.ts";
import { BundleRetention } from "../../../../src/domain/bundle/retention.ts";
import { SigningKeys } from "../../../../src/domain/bundle/signing-keys.ts";
import { createSealer, parseMasterKeys } from "../../../../src/platform/seal.ts";
import { findActivation } from "../../../../src/store/bundle/bundle.ts";
import { type Database, openDatabase } from "../../../../src/store/connection/database.ts";
import { findEnvironment } from "../../../../src/store/project/environment.ts";
import { bundlesOf } from "../../../harness/bundles.ts";
import { createTestDatabase, type TestDatabase } from "../../../harness/database.ts";
import { createMovedClock } from "../../../harness/moved-clock.ts";
import { createWorld, type World } from "../../../harness/vector/world.ts";

const dayMs = 86_400_000;

describe("with one organization whose key does not open", () => {
  const clock = createMovedClock(new Date("2026-06-01T00:00:00Z"));
  let urls: TestDatabase;
  let database: Database;
  /** The jobs' own connection: only theirs sees every organization. */
  let jobs: Database;
  let worlds: World[];
  let activations: ActivationRefresh;

  beforeAll(async () => {
    urls = await createTestDatabase();
    database = await openDatabase({ url: urls.applicationUrl, poolSize: 4, clock });
    jobs = await openDatabase({ url: urls.workerUrl, poolSize: 2, clock });
    const sealer = createSealer({ masterKeys: parseMasterKeys(randomBytes(32).toString("base64")) });
    const publisher = bundlesOf(database, new SigningKeys(database, sealer));
    activations = new ActivationRefresh(jobs, new SigningKeys(jobs, sealer));
    worlds = [];
    for (let i = 0; i < 3; i++) {
      const world = await createWorld(database);
      const { projectId, environment, caller } = world;
      await publisher.publish(caller, { projectId, environment }, { activate: true });
      worlds.push(world);
    }
  });

  afterAll(async () => {
    await jobs.close();
    await database.close();
    await urls.drop();
  });

  const issuedAt = ({ orgId, projectId, environment }: World) =>
    database.read(orgId, async (tx) => {
      const place = await findEnvironment(tx, projectId, environment);
      return place && (await findActivation(tx, place.id, place.activationSeq))?.issuedAt.getTime();
    });

  it("the activations of all others are signed again, with a new time and the same number", async () => {
    const [first, broken, last] = await Promise.all(
      worlds.map(async (world) => ({ world, before: await issuedAt(world) })),
    );
    if (first === undefined || broken === undefined || last === undefined) throw new Error("there are three");
    const { orgId } = broken.world;
    const sealed = Buffer.from("what no master key opens");
    await database.systemTransaction(orgId, (tx) =>
      tx.sql("update signing_key set private_sealed = ? where org_id = ?", [sealed, orgId]),
    );
    clock.pass(dayMs + 10_000);
    const before = new Date(clock.now().getTime() - dayMs);
    await expect(activations.refresh(before)).rejects.toThrow(
      new RegExp(`^failed for 1 of 3: environment \\S+ of organization ${orgId}$`),
    );
    expect(await issuedAt(first.world)).toBe(clock.now().getTime());
    expect(await issuedAt(last.world)).toBe(clock.now().getTime());
    expect(await issuedAt(broken.world)).toBe(broken.before);
    await expect(activations.refresh(before)).rejects.toThrow("failed for 1 of 1");
  });

  it("fresh activations are left as they are", async () => {
    expect(await activations.refresh(new Date(clock.now().getTime() - 30 * dayMs))).toBe(0);
  });

  it("old content is removed in all others as well", async () => {
    const visited: string[] = [];
    const [, broken] = worlds;
    class Broken extends BundleRetention {
      override async purgeOrganization(orgId: string) {
        visited.push(orgId);
        if (orgId === broken?.orgId) throw new Error("a row is locked");
        return super.purgeOrganization(orgId);
      }
    }
    await expect(new Broken(jobs, clock).purge()).rejects.toThrow(`organization ${broken?.orgId}`);
    expect(visited).toEqual(expect.arrayContaining(worlds.map(({ orgId }) => orgId)));
  });
});
