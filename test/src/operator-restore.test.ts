// `operator after-restore` as operators start it, for an installation of which one organization cannot be brought out.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type pg from "pg";
import { afterAll, beforeAll, expect, it } from "vitest";
import { SigningKeys } from "../../src/domain/bundle/signing-keys.ts";
import { type Database, openDatabase } from "../../src/store/connection/database.ts";
import { createTestDatabase, type TestDatabase } from "../harness/database.ts";
import { testMasterKey, testSealer } from "../harness/sealer.ts";
import { createWorld, type World } from "../harness/vector/world.ts";

let urls: TestDatabase;
let database: Database;
let witness: pg.Client;
let worlds: readonly [World, World, World];

beforeAll(async () => {
  urls = await createTestDatabase();
  database = await openDatabase({ url: urls.applicationUrl, poolSize: 2 });
  witness = await urls.openWitness();
  worlds = [await createWorld(database), await createWorld(database), await createWorld(database)];
  const keys = new SigningKeys(database, testSealer);
  for (const { orgId } of worlds) await keys.published(orgId);
  // As after a restore: the database is another than the installation worked on.
  await witness.query("update installation set database_identity = '1/00000001'");
});

afterAll(async () => {
  await Promise.all([database.close(), witness.end()]);
  await urls.drop();
});

async function afterRestore(...args: string[]) {
  const env = {
    ...{ PATH: process.env.PATH, DATABASE_URL: urls.applicationUrl, DATABASE_WORKER_URL: urls.workerUrl },
    POLICY_GUARD_MASTER_KEY: testMasterKey,
  };
  const words = ["src/operator.ts", "after-restore", "--reason", "the backup of Monday", "--json", ...args];
  const child = spawn(process.execPath, words, { env });
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "exit")]);
  return { code: child.exitCode, stderr, answer: stdout === "" ? undefined : JSON.parse(stdout) };
}

const isAccepted = async () => {
  const { rows } = await witness.query("select database_identity = app.database_identity() as same from installation");
  return rows[0].same;
};

it("one organization that fails does not stop the others, and the command goes on with it alone", async () => {
  const [good, bad, other] = worlds.map(({ orgId }) => orgId) as [string, string, string];
  const { rows } = await witness.query<{ sealed: Buffer }>(
    "update signing_key set private_sealed = '\\x00' where org_id = $1 returning private_sealed as sealed",
    [bad],
  );
  expect(rows).toHaveLength(1);
  const first = await afterRestore("--rotate", "ci");
  expect(first).toMatchObject({ code: 1, stderr: "" });
  const idsOf = (some: readonly { readonly org_id: string }[]) => some.map(({ org_id: id }) => id).sort();
  // The world has another organization beside these.
  expect(idsOf(first.answer.organizations)).toEqual(expect.arrayContaining([good, other]));
  expect(idsOf(first.answer.organizations)).not.toContain(bad);
  expect(first.answer.failed).toEqual([{ org_id: bad, message: expect.stringMatching(/./) }]);
  // The new values are shown, as nothing shows them again.
  const tokens = first.answer.organizations.flatMap(({ tokens: some }: { tokens: { value: string | null }[] }) => some);
  expect(tokens.filter(({ value }: { value: string | null }) => value !== null)).not.toHaveLength(0);
  expect(first.answer.is_accepted).toBe(false);
  expect(await isAccepted()).toBe(false);

  // Without it, everybody else goes on.
  const without = await afterRestore("--continue", "--leave-out", bad, "--dry-run");
  expect(without).toMatchObject({ code: 0, answer: { organizations: [], failed: [], is_accepted: false } });
  expect(without.answer.brought_out_before.toSorted()).toEqual(idsOf(first.answer.organizations));

  await witness.query("delete from signing_key where org_id = $1", [bad]);
  await witness.query("delete from key_set where org_id = $1", [bad]);
  const again = await afterRestore("--continue", "--rotate", "ci");
  expect(again).toMatchObject({ code: 0, stderr: "", answer: { failed: [], is_accepted: true } });
  expect(idsOf(again.answer.organizations)).toEqual([bad]);
  expect(await isAccepted()).toBe(true);
});

it("a key that nobody has, and a ledger of which a page is missing, are said before anything is changed", async () => {
  const key = await afterRestore("--revoke-keys", "no-such-key");
  expect([key.code, key.stderr]).toEqual([1, expect.stringContaining("there is no key no-such-key")]);
  const path = join(tmpdir(), `ledger-${process.pid}.json`);
  const entry = { id: "1", org_id: worlds[0].orgId, created_at: "2026-03-02T00:00:00.000Z", reason: "asked" };
  const page = { total: 2, limit: 1, offset: 0, erasures: [{ ...entry, subject_kind: "user", subject_digests: [] }] };
  writeFileSync(path, JSON.stringify(page));
  try {
    const { code, stderr } = await afterRestore("--erasures", path, "--erasures", path);
    expect([code, stderr]).toEqual([1, expect.stringContaining("has 2 erasures, and 1 of them were given")]);
  } finally {
    rmSync(path);
  }
});
