import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Candidates } from "../../../../src/domain/bundle/candidate.ts";
import { KeyRotation } from "../../../../src/domain/bundle/key-rotation.ts";
import { SigningKeys } from "../../../../src/domain/bundle/signing-keys.ts";
import { statementKids } from "../../../../src/kit/crypto/statement.ts";
import { systemClock } from "../../../../src/kit/process/clock.ts";
import { createSealer, parseMasterKeys } from "../../../../src/platform/seal.ts";
import { type Database, openDatabase } from "../../../../src/store/connection/database.ts";
import { bundlesOf } from "../../../harness/bundles.ts";
import { createTestDatabase, type TestDatabase } from "../../../harness/database.ts";
import { createWorld, type World } from "../../../harness/vector/world.ts";

describe("the manifest of a candidate", () => {
  let urls: TestDatabase;
  let database: Database;
  let world: World;
  let candidates: Candidates;
  let keys: KeyRotation;
  let path: { readonly projectId: string; readonly environment: string };

  beforeAll(async () => {
    urls = await createTestDatabase();
    database = await openDatabase({ url: urls.applicationUrl, poolSize: 4, clock: systemClock });
    world = await createWorld(database);
    const sealer = createSealer({ masterKeys: parseMasterKeys(randomBytes(32).toString("base64")) });
    const signingKeys = new SigningKeys(database, sealer);
    const bundles = bundlesOf(database, signingKeys);
    candidates = new Candidates(database, signingKeys);
    keys = new KeyRotation(database, signingKeys);
    path = { projectId: world.projectId, environment: world.environment };
    await bundles.publish(world.caller, path, { activate: true });
    await bundles.publish(world.caller, path, { activate: false });
  });

  afterAll(async () => {
    await database.close();
    await urls.drop();
  });

  const start = () => candidates.start(world.caller, path, { version: 2, percent: 100, hours: 1 });
  const kids = async () => statementKids((await candidates.bundle({ orgId: world.orgId, ...path })).manifest);
  const live = async () =>
    (await keys.list(world.caller, "bundle")).filter(({ state }) => state !== "revoked").map(({ kid }) => kid);
  const replaceKeys = async () => {
    const old = await live();
    await keys.rotate(world.caller, "bundle");
    for (const kid of old) await keys.revoke(world.caller, kid);
    expect(await live()).not.toEqual(expect.arrayContaining(old));
  };

  it("is signed by the keys that are believed when it starts, although it was published under one that is revoked", async () => {
    await replaceKeys();
    await start();
    expect(await kids()).toEqual(await live());
  });

  it("is signed again when keys change while it is compared, with the same manifest", async () => {
    const { candidate } = await start();
    const { payload } = (await candidates.bundle({ orgId: world.orgId, ...path })).manifest;
    await replaceKeys();
    expect(await kids()).toEqual(await live());
    expect((await candidates.bundle({ orgId: world.orgId, ...path })).manifest.payload).toBe(payload);
    expect((await candidates.get(world.caller, path)).candidate.digest).toBe(candidate.digest);
  });

  it("that a runtime could not load leaves the reason with the candidate, until another one is started", async () => {
    const { candidate } = await start();
    const tally = { version: 2, digest: candidate.digest, skipped: 0, failed: 0, pairs: [], samples: [] };
    const scope = { orgId: world.orgId, ...path };
    const reason = async () => (await candidates.get(world.caller, path)).candidate.loadFailure;
    await candidates.note(scope, { ...tally, loadFailure: "runtime_too_old: 9.0.0\0" });
    await candidates.note(scope, { ...tally, loadFailure: "" });
    expect(await reason()).toBe("runtime_too_old: 9.0.0");
    await start();
    expect(await reason()).toBeNull();
  });
});
