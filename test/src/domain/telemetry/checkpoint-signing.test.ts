// Checkpoints: what is signed over, what refuses to be, and proofs that verify against what was signed.

import { randomBytes, randomUUID } from "node:crypto";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SigningKeys } from "../../../../src/domain/bundle/signing-keys.ts";
import { CheckpointSigning } from "../../../../src/domain/telemetry/checkpoint-signing.ts";
import { EvidenceLog } from "../../../../src/domain/telemetry/evidence-log.ts";
import { readTlogProof, verifyCheckpoint, verifyTlogProof } from "../../../../src/kit/evidence/checkpoint.ts";
import { leafHash } from "../../../../src/kit/evidence/leaf.ts";
import { isConsistent } from "../../../../src/kit/evidence/merkle.ts";
import { readVerifierKey } from "../../../../src/kit/evidence/note.ts";
import { systemClock } from "../../../../src/kit/process/clock.ts";
import { createSealer, parseMasterKeys } from "../../../../src/platform/seal.ts";
import { type Database, openDatabase } from "../../../../src/store/connection/database.ts";
import { acceptDatabase } from "../../../../src/store/core/database-identity.ts";
import { createTestDatabase, type TestDatabase } from "../../../harness/database.ts";
import { createWorld, type World } from "../../../harness/vector/world.ts";
import { plainRoot } from "../../kit/evidence/tree.ts";

const page = { limit: 50, offset: 0 };

describe("CheckpointSigning", () => {
  const sealer = createSealer({ masterKeys: parseMasterKeys(randomBytes(32).toString("base64")) });
  let urls: TestDatabase;
  let database: Database;
  let worker: Database;
  let owner: pg.Client;

  beforeAll(async () => {
    urls = await createTestDatabase();
    database = await openDatabase({ url: urls.applicationUrl, poolSize: 4 });
    worker = await openDatabase({ url: urls.workerUrl, poolSize: 4 });
    owner = new pg.Client({ connectionString: urls.migrationUrl });
    await owner.connect();
  });

  afterAll(async () => {
    await Promise.all([database.close(), worker.close(), owner.end()]);
    await urls.drop();
  });

  const signing = () => new CheckpointSigning(worker, new SigningKeys(worker, sealer), systemClock);
  const log = () => new EvidenceLog(database, new SigningKeys(database, sealer));
  /** The one key of the log. */
  const keyOf = async ({ caller }: World) => {
    const [text = ""] = (await log().checkpoints(caller, page)).verifierKeys;
    return readVerifierKey(text);
  };

  async function change(world: World, times: number): Promise<void> {
    for (let i = 0; i < times; i++) {
      const audit = { action: "thing.change", requestId: randomUUID(), address: "" };
      await database.transaction({ ...world.caller, audit }, async (tx) =>
        tx.changed({ resource: "thing/1", before: null, after: { i } }),
      );
    }
  }

  /** As the owner of the tables, past the trigger and within the organization's rows. */
  async function tamper(world: World, text: string, parameters: readonly unknown[] = []): Promise<void> {
    await owner.query("alter table audit_entry disable trigger user");
    await owner.query("select set_config('app.org_id', $1, false)", [world.orgId]);
    await owner.query(text, [...parameters]);
    await owner.query("alter table audit_entry enable trigger user");
  }

  const hashes = (world: World) =>
    database.read(world.orgId, async (tx) => {
      const rows = await tx.sql<{ leaf_hash: Buffer }>("select leaf_hash from audit_entry order by seq");
      return rows.map(({ leaf_hash }) => leaf_hash);
    });

  it("signs what is committed, and each checkpoint continues the one before", async () => {
    const world = await createWorld(database);
    await change(world, 3);
    expect(await signing().sign(world.orgId)).toBe(true);
    expect(await signing().sign(world.orgId)).toBe(false);
    await change(world, 4);
    await signing().sign(world.orgId);
    const { checkpoints, origin, total } = await log().checkpoints(world.caller, page);
    expect(total).toBe(2);
    expect(origin).toMatch(new RegExp(`^policy-guard/[0-9a-f-]{36}/${world.orgId}$`));
    const [newer, older] = checkpoints;
    const key = await keyOf(world);
    const [to, from] = [newer?.note ?? "", older?.note ?? ""].map((note) => verifyCheckpoint(note, [key]));
    const all = await hashes(world);
    expect(to?.root).toEqual(plainRoot(all));
    const proof = await log().consistency(world.caller, from?.size ?? 0, undefined);
    const path = proof.path.map((hash) => Buffer.from(hash, "hex"));
    if (from === undefined || to === undefined) throw new Error("two checkpoints were expected");
    const claim = { from: from.size, fromRoot: from.root, to: to.size, toRoot: to.root, path };
    expect(isConsistent(claim)).toBe(true);
    for (const [seq, hash] of all.entries()) {
      const { text } = await log().proof(world.caller, seq, undefined);
      expect(verifyTlogProof(readTlogProof(text), hash, [key]).size).toBe(all.length);
    }
  });

  it("signs by itself for all organizations with news, and goes on after one that cannot be signed", async () => {
    const [good, bad] = [await createWorld(database), await createWorld(database)];
    for (const world of [good, bad]) await change(world, 2);
    await tamper(bad, "update audit_entry set leaf = replace(leaf, 'thing/1', 'thing/2') where seq = 1");
    const failure = await signing()
      .signAll()
      .catch((error: unknown) => error);
    expect(String(failure)).toContain(bad.orgId);
    expect((await log().checkpoint(good.caller)).size).toBeGreaterThan(1);
    await expect(log().checkpoint(bad.caller)).rejects.toThrow("no such checkpoint");
    await database.systemTransaction(bad.orgId, (tx) => tx.sql("delete from organization where id = ?", [bad.orgId]));
    expect(await signing().signAll()).toBe(0);
  });

  it("signs nothing as long as a leaf has another form than 2", async () => {
    const world = await createWorld(database);
    await change(world, 3);
    const former = JSON.stringify({ seq: 1, org_id: world.orgId, actor: "ada@example.com" });
    const [kept] = (await hashes(world)).slice(1);
    const leaf = await database.read(world.orgId, async (tx) => {
      const [row] = await tx.sql<{ leaf: string }>("select leaf from audit_entry where seq = 1");
      return row?.leaf ?? "";
    });
    const rewrite = "update audit_entry set leaf = $1, leaf_hash = $2 where seq = 1";
    await tamper(world, rewrite, [former, leafHash(former)]);
    await expect(signing().sign(world.orgId)).rejects.toThrow("entry 1 is no leaf of form 2");
    await expect(log().checkpoint(world.caller)).rejects.toThrow("no such checkpoint");
    await tamper(world, rewrite, [leaf, kept]);
    expect(await signing().sign(world.orgId)).toBe(true);
  });

  it.each([
    ["an entry that is missing", "delete from audit_entry where seq = 1", "entry 1 is missing"],
    ["a head that went back", "update audit_head set size = 1", "has 1 entries and had 3"],
    [
      "tiles that were changed",
      "update audit_tile set hashes = set_byte(hashes, 5, 255 - get_byte(hashes, 5))",
      "does not continue the checkpoint over 3",
    ],
    ["a checkpoint that was removed", "delete from audit_checkpoint", "the newest checkpoint is missing"],
  ])("refuses %s", async (title, text, message) => {
    const world = await createWorld(database);
    await change(world, 3);
    if (!title.includes("entry")) await signing().sign(world.orgId);
    await tamper(world, text);
    if (!title.includes("head")) await change(world, 1);
    await expect(signing().sign(world.orgId)).rejects.toThrow(message);
  });

  it("signs nothing on connections that are suddenly to a restored database, before the operator's word", async () => {
    const world = await createWorld(database);
    await change(world, 2);
    await signing().sign(world.orgId);
    await change(world, 1);
    const witness = await urls.openWitness();
    const setIdentity = (identity: string) =>
      witness.query("update installation set database_identity = $1", [identity]);
    try {
      const { rows } = await witness.query<{ known: string }>("select app.database_identity() as known");
      const [cluster = "", timeline = "", number = ""] = rows[0]?.known.split("/") ?? [];
      const follow = new SigningKeys(worker, sealer, undefined, { newTimeline: "follow" });
      await setIdentity(`${cluster}1/${timeline}/${number}`);
      await expect(signing().sign(world.orgId)).rejects.toThrow("nothing is signed: this is another cluster");
      await expect(new CheckpointSigning(worker, follow, systemClock).sign(world.orgId)).rejects.toThrow("cluster");
      const bundleKeys = database.systemTransaction(world.orgId, (tx) => new SigningKeys(database, sealer).signing(tx));
      await expect(bundleKeys).rejects.toThrow("after-restore");
      // As where a dump was loaded into the cluster that it is from.
      await setIdentity(`${cluster}/${timeline}/1`);
      await expect(signing().sign(world.orgId)).rejects.toThrow("another database of the cluster");
      await setIdentity(`${cluster}/0000FFFF/${number}`);
      await expect(signing().sign(world.orgId)).rejects.toThrow(`timeline ${timeline} of the database`);
      expect((await log().checkpoints(world.caller, page)).total).toBe(1);
      // A replica that lacks nothing may be followed to its own timeline.
      expect(await new CheckpointSigning(worker, follow, systemClock).sign(world.orgId)).toBe(true);
      await change(world, 1);
      await acceptDatabase(worker);
      expect(await signing().sign(world.orgId)).toBe(true);
    } finally {
      await acceptDatabase(worker);
      await witness.end();
    }
  });

  it("lets the logins neither change nor remove a checkpoint", async () => {
    const world = await createWorld(database);
    await change(world, 1);
    await signing().sign(world.orgId);
    for (const text of ["update audit_checkpoint set note = ''", "delete from audit_checkpoint"])
      await expect(worker.systemTransaction(world.orgId, (tx) => tx.sql(text))).rejects.toThrow(/permission denied/);
  });

  it("is asked for by every thousandth entry", async () => {
    const world = await createWorld(database);
    await change(world, 1);
    await tamper(world, "update audit_head set size = 999");
    await change(world, 1);
    const login = new pg.Client({ connectionString: urls.workerUrl });
    await login.connect();
    const text = "select key from graphile_worker._private_jobs where key = 'sign-checkpoints'";
    const { rows } = await login.query(text).finally(() => login.end());
    expect(rows).toEqual([{ key: "sign-checkpoints" }]);
  });
});
