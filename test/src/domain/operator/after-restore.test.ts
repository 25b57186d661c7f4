// What the operator's `after-restore` does to an organization. That runtimes follow is shown in test/e2e/restore.test.ts.

import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { ownAnalysis } from "../../../../src/domain/analysis/own-analysis.ts";
import { ActivationHistory } from "../../../../src/domain/bundle/activation-history.ts";
import { trialSigner } from "../../../../src/domain/bundle/external-signer.ts";
import { SigningKeys } from "../../../../src/domain/bundle/signing-keys.ts";
import { AfterRestore, type RestoreInput } from "../../../../src/domain/operator/after-restore.ts";
import { Policies } from "../../../../src/domain/policy/policy.ts";
import { CheckpointSigning } from "../../../../src/domain/telemetry/checkpoint-signing.ts";
import { readActivation, readKeySet } from "../../../../src/kit/bundle/statement-payload.ts";
import { type SignedStatement, statementKids } from "../../../../src/kit/crypto/statement.ts";
import { tokenDigest } from "../../../../src/kit/crypto/token.ts";
import { readOrigin } from "../../../../src/kit/evidence/origin.ts";
import { systemClock } from "../../../../src/kit/process/clock.ts";
import { insertLease } from "../../../../src/store/billing/quota-lease.ts";
import { addUsage, readUsage } from "../../../../src/store/billing/usage.ts";
import { type Database, openDatabase } from "../../../../src/store/connection/database.ts";
import { lookUpToken } from "../../../../src/store/identity/token.ts";
import { bundlesOf } from "../../../harness/bundles.ts";
import { createTestDatabase, type TestDatabase } from "../../../harness/database.ts";
import { testSealer } from "../../../harness/sealer.ts";
import { createWorld, type World } from "../../../harness/vector/world.ts";

const policy = `apiVersion: policyguard/v1
kind: Policy
metadata: {name: words}
detectors: {words: {use: keywords, keywords: [forbidden]}}
rules: [{id: word, stages: [input], detect: words, action: BLOCK}]
`;
const reason = "the backup of Monday";
const unexpected = (): never => {
  throw new Error("nothing but the keys made here is used");
};

describe("after a restore", () => {
  let urls: TestDatabase;
  let database: Database;
  let worker: Database;
  let keys: SigningKeys;

  beforeAll(async () => {
    urls = await createTestDatabase();
    database = await openDatabase({ url: urls.applicationUrl, poolSize: 4 });
    worker = await openDatabase({ url: urls.workerUrl, poolSize: 2 });
    keys = new SigningKeys(database, testSealer);
  });

  afterAll(async () => {
    await Promise.all([database.close(), worker.close()]);
    await urls.drop();
  });

  /** An organization whose first version is in force. */
  async function worldInForce(): Promise<World> {
    const world = await createWorld(database);
    const { caller, projectId, environment } = world;
    await new Policies(database, systemClock, ownAnalysis()).create(caller, {
      document: policy,
      scope: { appId: projectId },
    });
    await bundlesOf(database, keys).publish(caller, { projectId, environment }, { activate: true });
    return world;
  }
  const restore = ({ orgId }: World, input: Partial<RestoreInput> = {}, isDryRun = false) =>
    new AfterRestore({ database, keys, actor: "operator:ada", isDryRun, restoreId: "restore-1" }).restore(orgId, {
      reason,
      revokeKeys: [],
      rotate: [],
      ...input,
    });
  const payloadOf = ({ payload }: { readonly payload: string }) =>
    JSON.parse(Buffer.from(payload, "base64url").toString("utf8"));
  const serialOf = async ({ orgId }: World) => readKeySet(payloadOf((await keys.published(orgId)).statement)).serial;
  const numbersOf = async ({ orgId }: World) =>
    database.read(orgId, async (tx) => {
      const [row] = await tx.sql<{ activation: number; version: number; serial: number; origin: string }>(
        `select e.activation_seq as activation, e.latest_version as version, k.serial, l.origin
         from environment e join key_set k using (org_id) join audit_log l using (org_id)
         where e.org_id = ? and e.active_version is not null`,
        [orgId],
      );
      if (row === undefined) throw new Error("nothing is in force");
      return { ...row, epoch: readOrigin(row.origin)?.epoch ?? 0 };
    });
  /** As a restore of the database does. */
  const setNumbers = (
    { orgId }: World,
    { activation, version, serial, origin }: Awaited<ReturnType<typeof numbersOf>>,
  ) =>
    database.systemTransaction(orgId, async (tx) => {
      const where = "where org_id = ?";
      await tx.sql(
        `update environment set activation_seq = ?, latest_version = ? ${where} and active_version is not null`,
        [activation, version, orgId],
      );
      await tx.sql(`update key_set set serial = ? ${where}`, [serial, orgId]);
      await tx.sql(`update audit_log set origin = ? ${where}`, [origin, orgId]);
    });
  const isLive = async (value: string | undefined) =>
    (await lookUpToken(database, tokenDigest(value ?? ""))) !== undefined;
  const newest = async ({ orgId }: World) => {
    const [row] = await database.read(orgId, (tx) =>
      tx.sql<{ statement: SignedStatement }>(
        "select statement from activation where org_id = ? order by activation_seq desc limit 1",
        [orgId],
      ),
    );
    if (row === undefined) throw new Error("nothing is in force");
    return { ...readActivation(payloadOf(row.statement)), kids: statementKids(row.statement) };
  };

  it("leaves out numbers that runtimes may have seen, and signs what is in force with a new key too", async () => {
    const world = await worldInForce();
    const { caller, projectId, environment } = world;
    const [before, serial] = [await newest(world), await serialOf(world)];
    const done = await restore(world);
    const after = await newest(world);
    expect(done?.environments).toEqual([{ name: environment, version: 1, activationSeq: after.activation_seq }]);
    expect(after).toMatchObject({ version: 1, digest: before.digest });
    expect(after.activation_seq).toBeGreaterThan(before.activation_seq + 999_999);
    expect(await serialOf(world)).toBeGreaterThan(serial + 999_999);
    expect(after.keys_serial).toBe(await serialOf(world));
    // A runtime that knows only the former key follows.
    expect(after.kids).toEqual([done?.keys.made.kid, ...before.kids]);
    const place = { projectId, environment };
    const [told] = await new ActivationHistory(database).list(caller, place, { limit: 9, offset: 0 });
    expect(told).toMatchObject([
      ...[{ cause: "restore", activationSeq: after.activation_seq, version: 1, previousVersion: 1, isInForce: true }],
      ...[{ cause: "publish", activationSeq: before.activation_seq, version: 1, isInForce: false }],
    ]);
    // The newest version is the one that is there, whatever number comes next.
    const bundles = bundlesOf(database, keys);
    await expect(bundles.republish(caller, place, { activate: false, expectedVersion: 2 })).rejects.toMatchObject({
      extra: { current_version: 1 },
    });
    const next = await bundles.republish(caller, place, { activate: true, expectedVersion: 1 });
    expect(next.bundle.version).toBeGreaterThan(1_000_000);
    // There is no end of keys: where there are as many as there may be, the oldest goes.
    const gone: unknown[] = [];
    for (let i = 0; i < 4; i++) gone.push((await restore(world))?.keys.madeRoom?.kid);
    expect(gone).toEqual([undefined, undefined, before.kids[0], done?.keys.made.kid]);
    expect((await keys.published(world.orgId)).keys).toHaveLength(4);
  });

  it("goes on above all that was seen when the same backup is restored again later", async () => {
    const world = await worldInForce();
    const { orgId, caller, projectId, environment } = world;
    await new CheckpointSigning(worker, keys, systemClock).sign(orgId);
    const backup = await numbersOf(world);
    let seen = backup;
    for (const days of [1, 2, 30]) {
      const clock = { now: () => new Date(Date.now() + days * 86_400_000) };
      const later = await openDatabase({ url: urls.applicationUrl, poolSize: 2, clock });
      const laterKeys = new SigningKeys(later, testSealer);
      const parts = { database: later, keys: laterKeys, actor: "operator:ada", isDryRun: false, restoreId: "later" };
      await new AfterRestore(parts).restore(orgId, { reason, revokeKeys: [], rotate: [] }).finally(() => later.close());
      const restored = await numbersOf(world);
      for (const name of ["activation", "version", "serial", "epoch"] as const)
        expect(restored[name]).toBeGreaterThan(seen[name]);
      for (let i = 0; i < 3; i++)
        await bundlesOf(database, keys).publish(caller, { projectId, environment }, { activate: true });
      seen = await numbersOf(world);
      await setNumbers(world, backup);
    }
  });

  it("lists the tokens that work again, revokes and renews those that it is told to", async () => {
    const world = await createWorld(database);
    const { admin, ci, runtime } = world.tokens;
    const kept = await restore(world);
    expect(kept?.tokens.every(({ state, value }) => state === "kept" && value === undefined)).toBe(true);
    expect(await Promise.all([admin, ci, runtime].map(isLive))).toEqual([true, true, true]);
    const rotated = await restore(world, { rotate: ["admin", "ci"] });
    expect(await Promise.all([admin, ci, runtime].map(isLive))).toEqual([false, false, true]);
    const values = rotated?.tokens.flatMap(({ row, value }) =>
      value === undefined ? [] : [[row.kind, value] as const],
    );
    expect(new Set(values?.map(([kind]) => kind))).toEqual(new Set(["admin", "ci"]));
    for (const [, value] of values ?? []) expect(await isLive(value)).toBe(true);
    await restore(world, { revokeCreatedBefore: new Date(Date.now() - 86_400_000) });
    expect(await isLive(runtime)).toBe(true);
    await restore(world, { revokeCreatedBefore: new Date(Date.now() + 1_000) });
    expect(await isLive(runtime)).toBe(false);
  });

  it("ends sessions, calls leases back, and counts months anew by their days", async () => {
    const world = await createWorld(database);
    const { orgId, projectId, environment } = world;
    const { access_token: accessToken } = await world.person("owner");
    const session = async () =>
      (await database.lookup<object>("find_session", [tokenDigest(accessToken), new Date()])).length;
    expect(await session()).toBe(1);
    const month = `${new Date().toISOString().slice(0, 7)}-01`;
    await database.systemTransaction(orgId, async (tx) => {
      // Counted in a month, and in no day of it: as if the two were of different moments.
      await addUsage(tx, new Map([[month, 500]]));
      const lease = { id: randomUUID(), month, size: 100, expiresAt: new Date(Date.now() + 600_000) };
      await insertLease(tx, { projectId, environment, instanceId: randomUUID() }, lease);
    });
    expect(await restore(world)).toMatchObject({ members: 1, recounted: [month] });
    expect(await session()).toBe(0);
    const open = await database.read(orgId, async (tx) => ({
      usage: await readUsage(tx, month),
      leases: await tx.sql("select id from quota_lease where org_id = ? and closed_at is null", [orgId]),
    }));
    expect(open).toEqual({ usage: 0, leases: [] });
  });

  it("tells the log of evidence, which begins an epoch and names the head that it still knows", async () => {
    const world = await worldInForce();
    const signing = new CheckpointSigning(worker, new SigningKeys(worker, testSealer), systemClock);
    expect((await restore(world))?.epoch).toBeUndefined();
    await signing.sign(world.orgId);
    const done = await restore(world);
    expect(done?.keys.live.map(({ use, state }) => [use, state])).toEqual([
      ["bundle", "active"],
      ["bundle", "retiring"],
      ["bundle", "retiring"],
      ["log", "active"],
    ]);
    const epoch = done?.epoch?.epoch;
    expect(epoch).toBeGreaterThan(1);
    const told = await database.read(world.orgId, (tx) =>
      tx.sql<{ action: string; before: string; after: string }>(
        `select e.action, o.before, o.after from audit_entry e join audit_opening o using (org_id, seq)
         where e.org_id = ? order by e.seq desc limit 3`,
        [world.orgId],
      ),
    );
    const entries = told.map(({ action, before, after }) => [action, JSON.parse(before), JSON.parse(after)]);
    expect(entries).toEqual([
      [
        "organization.after_restore",
        null,
        expect.objectContaining({
          ...{ reason, epoch, signing_key: done?.keys.made.kid, key_revoked: null },
        }),
      ],
      [
        "evidence.begin_epoch",
        expect.objectContaining({
          epoch: 1,
          tree_size: expect.any(Number),
          root_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
        }),
        expect.objectContaining({ epoch, reason }),
      ],
      [
        "environment.activate_anew",
        expect.objectContaining({ active_version: 1 }),
        {
          ...{ active_version: 1, activation_seq: done?.environments[0]?.activationSeq },
          statement: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
        },
      ],
    ]);
  });

  it("revokes again what was revoked after the backup, and says who has to pin keys anew", async () => {
    const world = await worldInForce();
    await new CheckpointSigning(worker, keys, systemClock).sign(world.orgId);
    const [bundleKey = "", logKey = ""] = await database.read(world.orgId, async (tx) =>
      (await keys.live(tx)).map(({ kid }) => kid),
    );
    const log = await restore(world, { revokeKeys: [logKey] });
    expect(log?.keys.revoked.map(({ kid }) => kid)).toEqual([logKey]);
    // The log signs on with a key of its own, and runtimes know a key of bundles.
    expect(log?.keys.live.map(({ use, state }) => `${use} ${state}`)).toEqual([
      ...["bundle active", "bundle retiring", "log active"],
    ]);
    expect(log?.keys.areAllNew).toBe(false);
    expect((await keys.published(world.orgId)).logKeys.map(({ kid }) => kid)).not.toContain(logKey);
    const both = await restore(world, { revokeKeys: [bundleKey, log?.keys.made.kid ?? ""] });
    expect(both?.keys.areAllNew).toBe(true);
    expect((await newest(world)).kids).toEqual([both?.keys.made.kid]);
    const told = await database.read(world.orgId, (tx) =>
      tx.sql<{ resource: string }>(
        "select resource from audit_entry where org_id = ? and action = 'signing_key.revoke' order by seq",
        [world.orgId],
      ),
    );
    expect(told.map(({ resource }) => resource).sort()).toEqual(
      [`log_key/${logKey}`, `signing_key/${bundleKey}`, `signing_key/${log?.keys.made.kid}`].sort(),
    );
  });

  it("knows whom it brought out of the same restore before", async () => {
    const [done, other] = [await worldInForce(), await worldInForce()];
    await restore(done);
    const work = (restoreId: string) =>
      new AfterRestore({ database, keys, actor: "operator:ada", isDryRun: false, restoreId });
    expect(await work("restore-1").isDone(done.orgId)).toBe(true);
    expect(await work("restore-1").isDone(other.orgId)).toBe(false);
    expect(await work("restore-2").isDone(done.orgId)).toBe(false);
  });

  it("makes no key at an external signer in a dry run, and signs with the keys that it has", async () => {
    const real = trialSigner({ createKey: unexpected, keyOf: unexpected });
    const made = vi.spyOn(real, "createKey");
    const world = await createWorld(database);
    const kept = await new SigningKeys(database, testSealer, real).published(world.orgId);
    expect(made).toHaveBeenCalledTimes(1);
    const trial = new SigningKeys(database, testSealer, trialSigner(real));
    const parts = { database, keys: trial, actor: "operator:ada", isDryRun: true, restoreId: "trial" };
    const tried = await new AfterRestore(parts).restore(world.orgId, { reason, revokeKeys: [], rotate: [] });
    expect(tried?.keys.live.map(({ kid }) => kid)).toEqual([tried?.keys.made.kid, ...kept.keys.map(({ kid }) => kid)]);
    expect(made).toHaveBeenCalledTimes(1);
  });

  it("changes nothing in a dry run, and knows no other organization", async () => {
    const world = await worldInForce();
    const before = await newest(world);
    const tried = await restore(world, { rotate: ["admin"] }, true);
    expect(tried?.environments).toHaveLength(1);
    const rotated = tried?.tokens.filter(({ state }) => state === "rotated");
    expect(rotated).not.toHaveLength(0);
    expect(rotated?.every(({ value }) => value === undefined)).toBe(true);
    expect(await newest(world)).toEqual(before);
    expect(await isLive(world.tokens.admin)).toBe(true);
    expect(await restore({ ...world, orgId: randomUUID() })).toBeUndefined();
  });
});
