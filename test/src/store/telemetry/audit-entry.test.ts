// The log of evidence in its tables: what opens an entry, who may change it, and how entries of earlier releases come
// over.

import { randomBytes } from "node:crypto";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SigningKeys } from "../../../../src/domain/bundle/signing-keys.ts";
import { Environments } from "../../../../src/domain/project/environment.ts";
import { CheckpointSigning } from "../../../../src/domain/telemetry/checkpoint-signing.ts";
import { Evidence } from "../../../../src/domain/telemetry/evidence.ts";
import { EvidenceLog } from "../../../../src/domain/telemetry/evidence-log.ts";
import { leafHash, wrongOpenings } from "../../../../src/kit/evidence/leaf.ts";
import { systemClock } from "../../../../src/kit/process/clock.ts";
import { createSealer, parseMasterKeys } from "../../../../src/platform/seal.ts";
import { type Database, openDatabase } from "../../../../src/store/connection/database.ts";
import { migrateDatabase } from "../../../../src/store/connection/migrate.ts";
import { type FoundEntry, findEvidence } from "../../../../src/store/telemetry/evidence.ts";
import { createTestDatabase, type TestDatabase } from "../../../harness/database.ts";
import { testSealer } from "../../../harness/sealer.ts";
import { createWorld, type World } from "../../../harness/vector/world.ts";

import { plainRoot } from "../../kit/evidence/tree.ts";

let urls: TestDatabase;
let database: Database;
let owner: pg.Client;

beforeAll(async () => {
  urls = await createTestDatabase();
  database = await openDatabase({ url: urls.applicationUrl, poolSize: 4 });
  owner = new pg.Client({ connectionString: urls.migrationUrl });
  await owner.connect();
});

afterAll(async () => {
  await owner.end();
  await database.close();
  await urls.drop();
});

const noFilter = { action: undefined, actor: undefined, resource: undefined, since: undefined, until: undefined };
const page = { limit: 50, offset: 0 };

/** An organization in whose log somebody has taken the approvals of prod away. */
async function changedWorld(): Promise<World> {
  const world = await createWorld(database);
  const sealer = createSealer({ masterKeys: parseMasterKeys(randomBytes(32).toString("base64")) });
  const environments = new Environments(database, new SigningKeys(database, sealer));
  const caller = {
    ...world.caller,
    audit: { action: "environment.update", requestId: "r-1", address: "192.0.2.7" },
  };
  for (const requiredApprovals of [1, 0]) {
    await environments.update(caller, world.projectId, "prod", { requiredApprovals });
  }
  return world;
}

function entryOf({ orgId }: World, seq: number): Promise<FoundEntry> {
  return database.read(orgId, async (tx) => {
    const found = await findEvidence(tx, seq);
    if (found === undefined) throw new Error(`no entry ${seq}`);
    return found;
  });
}

/** Of an entry read in full, where nothing is left out. */
function wrongOf({ leaf, openings }: FoundEntry) {
  const given = Object.entries(openings).flatMap(([field, { salt, value }]) =>
    value === undefined ? [] : [[field, { salt, value }] as const],
  );
  return wrongOpenings(leaf, Object.fromEntries(given));
}

/** As the owner of the tables, within the organization's rows. */
async function asOwner(orgId: string, text: string, parameters: readonly unknown[] = []) {
  await owner.query("select set_config('app.org_id', $1, false)", [orgId]);
  return owner.query(text, [...parameters]);
}

describe("an entry", () => {
  it("says before and after in full, and opens what its leaf commits to", async () => {
    const world = await changedWorld();
    const entry = await new Evidence(database).get(world.caller, 1);
    expect(entry).toMatchObject({
      action: "environment.update",
      requestId: "r-1",
      values: {
        actor: world.caller.credential.label,
        address: "192.0.2.7",
        before: { name: "prod", required_approvals: 1 },
        after: { name: "prod", required_approvals: 0 },
      },
      digestOnly: [],
      omitted: [],
    });
    const found = await entryOf(world, 1);
    expect(leafHash(found.leaf).toString("hex")).toBe(entry.leafHash);
    expect(Object.keys(found.openings)).toHaveLength(4);
    expect(wrongOf(found)).toEqual([]);
  });

  it("shows an opening that somebody with the database has altered", async () => {
    const world = await changedWorld();
    for (const [column, value] of [
      ["actor", "mallory@example.com"],
      ["address", "203.0.113.9"],
      ["before", '{"required_approvals":0}'],
      ["after_salt", Buffer.alloc(16)],
    ] as const) {
      await asOwner(world.orgId, `update audit_opening set ${column} = $1 where seq = 1`, [value]);
    }
    expect(wrongOf(await entryOf(world, 1))).toEqual(["actor", "address", "before", "after"]);
    expect(wrongOf(await entryOf(world, 0))).toEqual([]);
  });

  it("loses an erased opening and nothing else", async () => {
    const world = await changedWorld();
    await asOwner(world.orgId, "update audit_opening set actor = null, actor_salt = null where seq = 1");
    const entry = await new Evidence(database).get(world.caller, 1);
    expect(entry.values.actor).toBeUndefined();
    expect(entry.salts.actor).toBeUndefined();
    expect(entry.omitted).toEqual([]);
    expect(entry.values.after).toMatchObject({ required_approvals: 0 });
    expect(wrongOf(await entryOf(world, 1))).toEqual([]);
    const byActor = { ...noFilter, actor: world.caller.credential.label };
    expect((await new Evidence(database).list(world.caller, byActor, page))[0].map(({ seq }) => seq)).toEqual([0]);
  });

  it("is found by each filter, and by several that all match", async () => {
    const world = await changedWorld();
    const evidence = new Evidence(database);
    const [[newest]] = await evidence.list(world.caller, noFilter, page);
    if (newest === undefined) throw new Error("an entry was expected");
    const matching = {
      ...{ action: newest.action, actor: world.caller.credential.label, resource: newest.resource },
      ...{ since: newest.createdAt, until: new Date(newest.createdAt.getTime() + 1) },
    };
    const seqs = async (filter: object) =>
      (await evidence.list(world.caller, { ...noFilter, ...filter }, page))[0].map(({ seq }) => seq);
    for (const name of ["action", "actor", "resource"] as const)
      expect(await seqs({ [name]: matching[name] })).toEqual([1, 0]);
    expect(await seqs(matching)).toContain(1);
    for (const name of ["action", "actor", "resource"] as const) {
      expect(await seqs({ ...matching, [name]: "another" }), name).toEqual([]);
    }
    expect(await seqs({ ...matching, since: matching.until, until: undefined })).toEqual([]);
    expect(await seqs({ ...matching, since: undefined, until: new Date(0) })).toEqual([]);
  });
});

describe("the table of entries", () => {
  it("refuses its own owner a change, a deletion and a truncation", async () => {
    const world = await changedWorld();
    const refused = /never changed/;
    await expect(asOwner(world.orgId, "update audit_entry set action = 'none'")).rejects.toThrow(refused);
    await expect(asOwner(world.orgId, "delete from audit_entry")).rejects.toThrow(refused);
    await expect(asOwner(world.orgId, "truncate audit_entry cascade")).rejects.toThrow(refused);
    expect(wrongOf(await entryOf(world, 1))).toEqual([]);
  });

  it("lets an organization's entries go with it, openings included", async () => {
    const [gone, other] = [await changedWorld(), await changedWorld()];
    await database.systemTransaction(gone.orgId, (tx) => tx.sql("delete from organization where id = ?", [gone.orgId]));
    for (const table of ["audit_entry", "audit_opening"]) {
      expect((await asOwner(gone.orgId, `select from ${table}`)).rowCount, table).toBe(0);
    }
    expect(wrongOf(await entryOf(other, 1))).toEqual([]);
  });
});

describe("openings", () => {
  it("are out of reach for changes by the logins, and for other organizations altogether", async () => {
    const [world, other] = [await changedWorld(), await changedWorld()];
    const login = new pg.Client({ connectionString: urls.workerUrl });
    await login.connect();
    try {
      await login.query("select set_config('app.org_id', $1, false)", [other.orgId]);
      const { rows } = await login.query("select distinct org_id from audit_opening");
      expect(rows).toEqual([{ org_id: other.orgId }]);
      for (const text of ["update audit_opening set actor = ''", "delete from audit_opening"]) {
        await expect(login.query(text)).rejects.toThrow(/permission denied/);
      }
      const planted = "insert into audit_opening (org_id, seq) values ($1, 7)";
      await expect(login.query(planted, [world.orgId])).rejects.toThrow(/row-level security/);
    } finally {
      await login.end();
    }
  });
});

describe("entries of form 1", () => {
  it("become entries of form 2 that commit to the digests, in every organization", async () => {
    const [world, other] = [await createWorld(database), await createWorld(database)];
    await backToForm1();
    const digest = `sha256:${"ab".repeat(32)}`;
    for (const { orgId } of [world, other]) {
      for (const [seq, before] of [null, digest].entries()) await addForm1(orgId, seq, before, digest);
    }
    // Over leaves of form 1 nothing is ever signed.
    const worker = await openDatabase({ url: urls.workerUrl, poolSize: 1 });
    const keys = new SigningKeys(worker, testSealer);
    const sign = ({ orgId }: World) => new CheckpointSigning(worker, keys, systemClock).sign(orgId);
    for (const each of [world, other]) {
      await asOwner(
        each.orgId,
        "insert into audit_head (org_id, size) values ($1, 2) on conflict (org_id) do update set size = 2",
        [each.orgId],
      );
      await expect(sign(each)).rejects.toThrow("entry 0 is no leaf of form 2");
    }
    await migrateDatabase(urls);
    for (const each of [world, other]) expect(await sign(each)).toBe(true);
    await worker.close();
    const signed = await new EvidenceLog(database, keys).checkpoint(world.caller);
    const leaves = [await entryOf(world, 0), await entryOf(world, 1)].map((found) => found.leafHash);
    expect([signed.size, signed.root]).toEqual([2, plainRoot(leaves).toString("hex")]);
    for (const { orgId } of [world, other]) {
      const [entries, total] = await new Evidence(database).list({ ...world.caller, orgId }, noFilter, page);
      expect(total).toBe(2);
      expect(entries.map(({ values }) => values)).toEqual([
        { actor: "ada@example.com", address: "192.0.2.7", before: digest, after: digest },
        { actor: "ada@example.com", address: "192.0.2.7", before: null, after: digest },
      ]);
      expect(entries.map(({ digestOnly }) => digestOnly)).toEqual([["before", "after"], ["after"]]);
      expect(entries[0]).toMatchObject({
        ...{ seq: 1, orgId, action: "webhook.update", resource: "webhook/1", credential: "c", requestId: "r" },
        createdAt: new Date("2026-01-02T03:04:05.678Z"),
      });
      for (const { seq } of entries) expect(wrongOf(await entryOf({ ...world, orgId }, seq))).toEqual([]);
      expect((await asOwner(orgId, "select from audit_entry where leaf ~ 'ada@'")).rowCount).toBe(0);
    }
  });

  /** The tables as release 0003 left them. */
  async function backToForm1(): Promise<void> {
    await owner.query("drop trigger audit_entry_unchanging on audit_entry");
    await owner.query("drop trigger audit_entry_kept on audit_entry");
    await owner.query("drop table audit_opening");
    // Row-level security is forced: nothing is deleted of organizations that the session does not reach.
    await owner.query("alter table audit_entry no force row level security");
    await owner.query("delete from audit_entry");
    await owner.query("alter table audit_entry force row level security");
    await owner.query("alter table audit_entry add column actor text not null");
    for (const name of ["action", "resource", "created"]) await owner.query(`drop index audit_entry_${name}`);
    await owner.query("delete from schema_migration where name like '%open-evidence'");
  }

  async function addForm1(orgId: string, seq: number, before: string | null, after: string): Promise<void> {
    const createdAt = "2026-01-02T03:04:05.678Z";
    const open = { action: "webhook.update", actor: "ada@example.com", resource: "webhook/1" };
    const rest = { credential: "c", address: "192.0.2.7", request_id: "r", before, after };
    const leaf = JSON.stringify({ seq, org_id: orgId, created_at: createdAt, ...open, ...rest });
    await asOwner(
      orgId,
      `insert into audit_entry (org_id, seq, leaf, leaf_hash, action, actor, resource, created_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8)`,
      [orgId, seq, leaf, leafHash(leaf), open.action, open.actor, open.resource, createdAt],
    );
  }
});
