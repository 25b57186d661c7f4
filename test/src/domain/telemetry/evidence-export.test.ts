// Exports of long logs: everything of them is verified, and memory does not grow with the log.

import { randomBytes, randomUUID } from "node:crypto";
import { createWriteStream, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import pg from "pg";
import { afterAll, beforeAll, expect, it } from "vitest";
import { reportProgress, reportSample, sampleOf } from "../../../../scripts/assurance/sample.ts";
import { verifyFile } from "../../../../src/cli/evidence/verify-file.ts";
import { SigningKeys } from "../../../../src/domain/bundle/signing-keys.ts";
import { CheckpointSigning } from "../../../../src/domain/telemetry/checkpoint-signing.ts";
import { EvidenceExports, type EvidenceFormat } from "../../../../src/domain/telemetry/evidence-export.ts";
import { EvidenceLog } from "../../../../src/domain/telemetry/evidence-log.ts";
import { leafHash, leafText, newOpening } from "../../../../src/kit/evidence/leaf.ts";
import { readVerifierKey } from "../../../../src/kit/evidence/note.ts";
import { systemClock } from "../../../../src/kit/process/clock.ts";
import { createSealer, parseMasterKeys } from "../../../../src/platform/seal.ts";
import { type Database, openDatabase } from "../../../../src/store/connection/database.ts";
import { runBound } from "../../../../src/store/core/bulk.ts";
import { createTestDatabase, type TestDatabase } from "../../../harness/database.ts";
import { createMemoryMeter } from "../../../harness/memory-meter.ts";
import { createWorld, type World } from "../../../harness/vector/world.ts";

const sealer = createSealer({ masterKeys: parseMasterKeys(randomBytes(32).toString("base64")) });
const rowsAtOnce = 1_000;
/** What an export and its verification may hold beside what the process has anyway. */
const maxHeldBytes = 64 << 20;
/** Time between two looks at what is held. */
const lookMs = 3_000;

let urls: TestDatabase;
let database: Database;
let worker: Database;
let folder: string;

beforeAll(async () => {
  urls = await createTestDatabase();
  database = await openDatabase({ url: urls.applicationUrl, poolSize: 2 });
  worker = await openDatabase({ url: urls.workerUrl, poolSize: 2 });
  folder = mkdtempSync(join(tmpdir(), "evidence-export-"));
});

afterAll(async () => {
  await Promise.all([database.close(), worker.close()]);
  await urls.drop();
  rmSync(folder, { recursive: true });
});

/** An entry of a kind that the files of a ZIP tell, or of none. */
function changeAt(seq: number): readonly [string, string, object] {
  if (seq % 100 === 1) return ["annotation.create", `annotation/${randomUUID()}`, { mark: "correct", revision: 1 }];
  if (seq % 100 === 2)
    return ["bundle.publish", `bundle/${randomUUID()}`, { digest: `sha256:${randomBytes(32).toString("hex")}` }];
  if (seq % 100 === 3) {
    const document = {
      metadata: { name: `p${seq % 50}` },
      rules: [{ id: "r", detect: "pii" }],
      tests: [{ name: "t" }],
    };
    return ["policy.update", `policy/${seq % 50}`, { version: seq, document }];
  }
  return ["environment.update", "environment/1", { name: "prod", required_approvals: seq % 3 }];
}

/** Entries as the service writes them, many at once. */
async function fill({ orgId }: World, from: number, count: number): Promise<void> {
  const rows = Array.from({ length: count }, (_, i) => {
    const seq = from + i;
    const [action, resource, after] = changeAt(seq);
    const createdAt = new Date(Date.UTC(2026, 0, 1) + seq * 1_000);
    const openings = {
      ...{ actor: newOpening("ada@example.com"), address: newOpening("192.0.2.7") },
      ...{ before: newOpening(null), after: newOpening(JSON.parse(JSON.stringify(after))) },
    };
    const facts = { seq, orgId, createdAt, action, resource, credential: "c", requestId: `r${seq}` };
    return { ...facts, leaf: leafText(facts, openings), openings };
  });
  const of = <T>(each: (row: (typeof rows)[number]) => T) => rows.map(each);
  await database.systemTransaction(orgId, async (tx) => {
    await runBound(
      tx,
      `insert into audit_entry (org_id, seq, leaf, leaf_hash, action, resource, created_at)
       select $1, * from unnest($2::bigint[], $3::text[], $4::bytea[], $5::text[], $6::text[], $7::timestamptz[])`,
      [
        ...[orgId, of(({ seq }) => seq), of(({ leaf }) => leaf), of(({ leaf }) => leafHash(leaf))],
        ...[of(({ action }) => action), of(({ resource }) => resource), of(({ createdAt }) => createdAt)],
      ],
    );
    await runBound(
      tx,
      `insert into audit_opening (org_id, seq, actor, actor_salt, address, address_salt, before, before_salt, after, after_salt)
       select $1, s, 'ada@example.com', a, '192.0.2.7', d, b, bs, v, vs
       from unnest($2::bigint[], $3::bytea[], $4::bytea[], $5::text[], $6::bytea[], $7::text[], $8::bytea[])
         as o (s, a, d, b, bs, v, vs)`,
      [
        ...[orgId, of(({ seq }) => seq), of(({ openings }) => openings.actor.salt)],
        ...[of(({ openings }) => openings.address.salt), of(({ openings }) => openings.before.value)],
        ...[of(({ openings }) => openings.before.salt), of(({ openings }) => openings.after.value)],
        of(({ openings }) => openings.after.salt),
      ],
    );
    await runBound(
      tx,
      `insert into audit_head (org_id, size) values ($1, $2) on conflict (org_id) do update set size = $2`,
      [orgId, from + count],
    );
  });
}

it("holds a part of a log at a time, however long the log is", { timeout: 7_200_000 }, async () => {
  const { n } = sampleOf({ n: 2_000, seed: 23 });
  const world = await createWorld(database);
  for (let from = 0; from < n; from += rowsAtOnce) {
    await fill(world, from, Math.min(rowsAtOnce, n - from));
    reportProgress(from);
  }
  // As the server does by itself for tables that grow over months; the test's tables grow in minutes.
  const owner = new pg.Client({ connectionString: urls.migrationUrl });
  await owner.connect();
  await owner.query("analyze audit_entry, audit_opening").finally(() => owner.end());
  const keys = () => new SigningKeys(worker, sealer);
  await new CheckpointSigning(worker, keys(), systemClock).sign(world.orgId);
  const log = new EvidenceLog(database, new SigningKeys(database, sealer));
  const { verifierKeys } = await log.checkpoints(world.caller, { limit: 1, offset: 0 });
  const exports = new EvidenceExports(database, new SigningKeys(database, sealer));
  const query = { action: undefined, actor: undefined, resource: undefined, since: undefined, until: undefined };
  const figures: Record<string, number> = {};
  for (const format of ["jsonl", "zip"] satisfies EvidenceFormat[]) {
    const file = join(folder, `log.${format}`);
    const meter = createMemoryMeter({ everyMs: lookMs });
    const startedAt = performance.now();
    const parts = await exports.open(world.caller, { query, format, treeSize: n });
    const looking = async function* () {
      for await (const part of parts) {
        meter.look();
        yield part;
      }
    };
    await pipeline(Readable.from(looking()), createWriteStream(file));
    figures[`${format} seconds`] = Math.round((performance.now() - startedAt) / 100) / 10;
    figures[`${format} MB`] = Math.round(statSync(file).size / 1e5) / 10;
    const timer = setInterval(meter.look, 200);
    const cpuBefore = process.cpuUsage();
    const verified = await verifyFile(file, { keys: verifierKeys.map(readVerifierKey), kept: [] });
    clearInterval(timer);
    const { user, system } = process.cpuUsage(cpuBefore);
    figures[`${format} verify CPU seconds`] = Math.round((user + system) / 1e5) / 10;
    figures[`${format} MiB held`] = Math.round(meter.grownBytes() / 2 ** 20);
    expect(verified).toMatchObject({ size: n, entries: n, erased: 0 });
    expect(meter.grownBytes()).toBeLessThan(maxHeldBytes);
  }
  // In ranges of time, each under the same checkpoint, and together all of it.
  const middle = new Date(Date.UTC(2026, 0, 1) + Math.floor(n * 0.75) * 1_000);
  const entries: number[] = [];
  for (const range of [{ until: middle }, { since: middle }]) {
    const file = join(folder, "range.zip");
    const startedAt = performance.now();
    const part = { query: { ...query, ...range }, format: "zip", treeSize: n } as const;
    await pipeline(Readable.from(await exports.open(world.caller, part)), createWriteStream(file));
    figures.range_seconds = Math.round((performance.now() - startedAt) / 100) / 10;
    const verified = await verifyFile(file, { keys: verifierKeys.map(readVerifierKey), kept: [] });
    expect(verified).toMatchObject({ size: n, leftOut: { query: n - verified.entries, retention: 0 } });
    entries.push(verified.entries);
  }
  expect(entries).toEqual([Math.floor(n * 0.75), n - Math.floor(n * 0.75)]);
  reportSample({ n, failures: 0, figures });
});
