// Guard packs applied at the same time, and what other organizations see of them.

import pg from "pg";
import { afterAll, beforeAll, expect, it } from "vitest";
import { readPackLibrary } from "../../../../runtime/engine/authoring/pack/library.ts";
import { packSource } from "../../../../runtime/engine/authoring/pack/source.ts";
import { ownAnalysis } from "../../../../src/domain/analysis/own-analysis.ts";
import { type PackApplication, PackApplications } from "../../../../src/domain/policy/pack-apply.ts";
import { Policies } from "../../../../src/domain/policy/policy.ts";
import { Organizations } from "../../../../src/domain/tenancy/organization.ts";
import { readPackFiles } from "../../../../src/kit/process/pack-file.ts";
import { type Database, openDatabase } from "../../../../src/store/connection/database.ts";
import { createTestDatabase, type TestDatabase } from "../../../harness/database.ts";
import { createMovedClock } from "../../../harness/moved-clock.ts";
import { adminCaller } from "../../../harness/vector/world.ts";

const clock = createMovedClock();
const library = readPackLibrary(readPackFiles(undefined, { only: "secrets" }));
let urls: TestDatabase;
let database: Database;
let client: pg.Client;

beforeAll(async () => {
  urls = await createTestDatabase();
  database = await openDatabase({ url: urls.applicationUrl, poolSize: 4, clock });
  client = new pg.Client({ connectionString: urls.applicationUrl });
  await client.connect();
});

afterAll(async () => {
  await client.end();
  await database.close();
  await urls.drop();
});

const newCaller = async () => adminCaller((await new Organizations(database).create({ name: "Acme" })).id);
const application = (more: Partial<PackApplication> = {}): PackApplication => ({
  packId: "secrets",
  target: {},
  conflict: "fail",
  dryRun: false,
  ...more,
});

it("two at once make one policy, and the second changes nothing", async () => {
  const caller = await newCaller();
  const packs = new PackApplications(library, { database, clock, analysis: ownAnalysis() });
  const applied = await Promise.all(
    ["FLAG", "FLAG", "FLAG"].map((action) => packs.apply(caller, application({ parameters: { action } }))),
  );
  expect(applied.map(({ change }) => change).toSorted()).toEqual(["created", "unchanged", "unchanged"]);
  expect(new Set(applied.map(({ policyId }) => policyId)).size).toBe(1);
  expect(applied.map(({ policyVersion }) => policyVersion)).toEqual([1, 1, 1]);
});

it("two at once with other values are two versions of one policy, one after the other", async () => {
  const caller = await newCaller();
  const packs = new PackApplications(library, { database, clock, analysis: ownAnalysis() });
  const policies = new Policies(database, clock, ownAnalysis({ packs: packSource(library) }));
  const actions = ["FLAG", "BLOCK"];
  const applied = await Promise.all(
    actions.map((action) => packs.apply(caller, application({ parameters: { action } }))),
  );
  const [first, last] = applied.toSorted((a, b) => (a.policyVersion ?? 0) - (b.policyVersion ?? 0));
  expect([first?.policyVersion, last?.policyVersion]).toEqual([1, 2]);
  expect(first?.policyId).toBe(last?.policyId);
  const { policy, current } = await policies.get(caller, first?.policyId ?? "");
  expect([policy.version, current.document]).toEqual([2, last?.made.document]);
});

it("another organization neither sees nor changes what was applied, nor can it write there", async () => {
  const [owner, other] = [await newCaller(), await newCaller()];
  const { policyId } = await new PackApplications(library, { database, clock, analysis: ownAnalysis() }).apply(
    owner,
    application(),
  );
  const as = async (orgId: string, sql: string) => {
    await client.query("begin");
    try {
      await client.query("select set_config('app.org_id', $1, true)", [orgId]);
      return (await client.query(sql)).rowCount;
    } finally {
      await client.query("rollback");
    }
  };
  const all = "select policy_id from policy_pack";
  expect(await as(owner.orgId, all)).toBe(1);
  expect(await as(other.orgId, all)).toBe(0);
  expect(await as("", all)).toBe(0);
  expect(await as(other.orgId, "update policy_pack set pack_version = '9.9.9'")).toBe(0);
  expect(await as(other.orgId, "delete from policy_pack")).toBe(0);
  const forged = `insert into policy_pack (org_id, policy_id, pack_id, pack_version, parameters, mode, applied_at, document)
    values ('${owner.orgId}', '${policyId}', 'rag', '1.0.0', '{}', 'off', now(), '{}')`;
  await expect(as(other.orgId, forged)).rejects.toThrow(/row-level security/);
});
