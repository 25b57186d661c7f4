import { randomUUID } from "node:crypto";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SigningKeys } from "../../../../src/domain/bundle/signing-keys.ts";
import { CheckpointSigning } from "../../../../src/domain/telemetry/checkpoint-signing.ts";
import { Evidence } from "../../../../src/domain/telemetry/evidence.ts";
import { EvidenceExports } from "../../../../src/domain/telemetry/evidence-export.ts";
import { EvidenceLog } from "../../../../src/domain/telemetry/evidence-log.ts";
import { EvidenceRetention } from "../../../../src/domain/telemetry/evidence-retention.ts";
import { readTlogProof, verifyCheckpoint, verifyTlogProof } from "../../../../src/kit/evidence/checkpoint.ts";
import { LogVerifier } from "../../../../src/kit/evidence/log-verifier.ts";
import { isConsistent } from "../../../../src/kit/evidence/merkle.ts";
import { readVerifierKey } from "../../../../src/kit/evidence/note.ts";
import { systemClock } from "../../../../src/kit/process/clock.ts";
import { type Database, openDatabase } from "../../../../src/store/connection/database.ts";
import type { Transaction } from "../../../../src/store/core/transaction.ts";
import { createTestDatabase, type TestDatabase } from "../../../harness/database.ts";
import { testSealer } from "../../../harness/sealer.ts";
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
    for (const days of [400, 366, 364, 100, 91, 0]) await changeAgo(world, days);
  });

  async function changeAgo(of: World, days: number): Promise<void> {
    const clock = { now: () => new Date(Date.now() - days * dayMs) };
    const then = await openDatabase({ url: urls.applicationUrl, poolSize: 1, clock });
    const audit = { action: "thing.change", requestId: randomUUID(), address: "" };
    await then.transaction({ ...of.caller, audit }, async (tx) =>
      tx.changed({ resource: `thing/${days}`, before: null, after: { days } }),
    );
    await then.close();
  }

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

  it("leaves every checkpoint, proof and export valid", async () => {
    const keys = new SigningKeys(worker, testSealer);
    const signing = new CheckpointSigning(worker, keys, systemClock);
    const old = await createWorld(database);
    for (const days of [400, 390, 380, 0, 0]) await changeAgo(old, days);
    expect(await signing.sign(old.orgId)).toBe(true);
    const log = new EvidenceLog(database, keys);
    const { checkpoints, verifierKeys } = await log.checkpoints(old.caller, whole);
    const known = verifierKeys.map(readVerifierKey);
    const before = verifyCheckpoint(checkpoints[0]?.note ?? "", known);
    const hash = async (seq: number) => {
      const read = (tx: Transaction) =>
        tx.sql<{ leaf_hash: Buffer }>("select leaf_hash from audit_entry where seq = ?", [seq]);
      return (await database.read(old.orgId, read))[0]?.leaf_hash ?? Buffer.alloc(0);
    };
    const proofOf = async (seq: number) => readTlogProof((await log.proof(old.caller, seq, before.size)).text);
    const [first, last] = [await proofOf(0), await proofOf(before.size - 1)];
    expect(await retention().purge()).toBe(3);
    // Of an entry that is left and of one that went; as they were made before, and as they are made now.
    for (const proof of [first, last, await proofOf(0), await proofOf(before.size - 1)])
      expect(verifyTlogProof(proof, await hash(proof.index), known)).toEqual(before);
    // The entry about what was forgotten continues the log.
    expect(await signing.sign(old.orgId)).toBe(true);
    const { from, to, fromRoot, toRoot, path } = await log.consistency(old.caller, before.size, undefined);
    const [fromHash, toHash] = [Buffer.from(fromRoot, "hex"), Buffer.from(toRoot, "hex")];
    const hashes = path.map((each) => Buffer.from(each, "hex"));
    expect(isConsistent({ from, fromRoot: fromHash, to, toRoot: toHash, path: hashes })).toBe(true);
    expect([before.size, before.root]).toEqual([from, fromHash]);
    const verifier = new LogVerifier(known, { kept: [before] });
    const what = { query: everything, format: "jsonl", treeSize: undefined } as const;
    const exported = await new EvidenceExports(database, keys).open(old.caller, what);
    let text = "";
    for await (const bytes of exported) text += Buffer.from(bytes).toString();
    const lines = text.trimEnd().split("\n");
    for (const line of lines) verifier.add(line);
    const found = { size: to, entries: to - 3, leftOut: { retention: 3, query: 0 }, unproved: 0 };
    expect(verifier.end()).toMatchObject(found);
    // The entry about what was forgotten says how far; that others are past their retention is a claim of the file.
    const leftOut = (from: number, until: number) => `{"left_out":[${from},${until}],"because":"retention"}`;
    const forged = (seq: number) =>
      lines.map((line) => (line.startsWith(`{"seq":${seq},`) ? leftOut(seq, seq + 1) : line));
    const unprovedOf = (some: readonly string[]) => {
      const another = new LogVerifier(known);
      for (const line of some) another.add(line);
      return another.end().unproved;
    };
    expect(unprovedOf(lines)).toBe(0);
    for (const seq of [3, 4]) expect(unprovedOf(forged(seq))).toBe(1);
    // Nor does a file without that entry prove anything.
    expect(unprovedOf(forged(to - 1))).toBe(4);
  });

  it("does not forget because of what it says itself, night after night", async () => {
    const idle = await createWorld(database);
    const then = { now: () => new Date(Date.now() - 400 * dayMs) };
    const past = await openDatabase({ url: urls.applicationUrl, poolSize: 1, clock: then });
    const audit = { action: "evidence.forget", requestId: randomUUID(), address: "" };
    await past.transaction({ ...idle.caller, audit }, async (tx) =>
      tx.changed({ resource: "evidence", before: null, after: { entries: 1 } }),
    );
    await past.close();
    expect(await retention().purge()).toBe(0);
    // With another one it goes, too.
    await changeAgo(idle, 399);
    expect(await retention().purge()).toBe(2);
    const left = await new Evidence(database).list(idle.caller, everything, whole);
    expect(left[0].map(({ action, values }) => [action, values.after])).toEqual([
      ["evidence.forget", { entries: 2, first_kept: 2, made_before: expect.any(String) }],
    ]);
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
