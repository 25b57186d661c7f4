import type { JsonObject } from "@bufbuild/protobuf";
import pg from "pg";
import { afterAll, beforeAll, expect, it } from "vitest";
import { catalog } from "../../../../runtime/engine/detectors/catalog.ts";
import { ownAnalysis } from "../../../../src/domain/analysis/own-analysis.ts";
import { DetectorCatalog, usedDetectors } from "../../../../src/domain/policy/detector.ts";
import { Policies } from "../../../../src/domain/policy/policy.ts";
import { Organizations } from "../../../../src/domain/tenancy/organization.ts";
import { type Database, openDatabase } from "../../../../src/store/connection/database.ts";
import { createTestDatabase, type TestDatabase } from "../../../harness/database.ts";
import { createMovedClock } from "../../../harness/moved-clock.ts";
import { adminCaller } from "../../../harness/vector/world.ts";

const clock = createMovedClock();
const page = { limit: 50, offset: 0 };
let urls: TestDatabase;
let database: Database;

beforeAll(async () => {
  urls = await createTestDatabase();
  database = await openDatabase({ url: urls.applicationUrl, poolSize: 4, clock });
});

afterAll(async () => {
  await database.close();
  await urls.drop();
});

function documentOf(name: string, rules: readonly JsonObject[], detectors: JsonObject = {}): JsonObject {
  const named = rules.map((rule, index) => ({ id: `rule.r${index}`, stages: ["input"], action: "BLOCK", ...rule }));
  return { apiVersion: "policyguard/v1", kind: "Policy", metadata: { name }, detectors, rules: named };
}

it("counts each organization once, by the newest versions of its policies", async () => {
  const policies = new Policies(database, clock, ownAnalysis());
  const detectors = new DetectorCatalog(database, clock);
  const [one, two] = await Promise.all(
    ["One", "Two"].map(async (name) => adminCaller((await new Organizations(database).create({ name })).id)),
  );
  if (one === undefined || two === undefined) throw new Error("two organizations were made");
  const counts = async () => {
    clock.pass(60_000);
    const [entries] = await detectors.list({}, page);
    return Object.fromEntries(
      entries.flatMap(({ definition: { id }, installCount }) => (installCount > 0 ? [[id, installCount]] : [])),
    );
  };
  const none = await counts();
  expect(none).toEqual({});
  const first = await policies.create(one, { document: documentOf("first", [{ detect: "pii" }]) });
  const second = await policies.create(one, {
    document: documentOf("second", [{ detect: { any: ["pii", "mine"] } }], {
      mine: { use: "keywords", keywords: ["acme"] },
      unused: { use: "regex", patterns: ["a"] },
    }),
  });
  await policies.create(two, { document: documentOf("first", [{ detect: { ref: "pii" } }, { detect: "secrets" }]) });
  expect(await counts()).toEqual({ pii: 2, keywords: 1, secrets: 1 });
  await policies.update(one, second.policy.id, { document: documentOf("second", [{ detect: "secrets" }]) });
  expect(await counts()).toEqual({ pii: 2, secrets: 2 });
  await policies.delete(one, first.policy.id);
  expect(await counts()).toEqual({ pii: 1, secrets: 2 });
});

it("keeps counts for a minute", async () => {
  const detectors = new DetectorCatalog(database, clock);
  const before = await detectors.get("regex");
  const caller = adminCaller((await new Organizations(database).create({ name: "Three" })).id);
  await new Policies(database, clock, ownAnalysis()).create(caller, {
    document: documentOf("three", [{ detect: "mine" }], { mine: { use: "regex", patterns: ["abc"] } }),
  });
  clock.pass(59_999);
  expect((await detectors.get("regex")).installCount).toBe(before.installCount);
  clock.pass(1);
  expect((await detectors.get("regex")).installCount).toBe(before.installCount + 1);
});

it("does not keep a count that failed", async () => {
  const detectors = new DetectorCatalog(database, clock);
  const owner = new pg.Client({ connectionString: urls.migrationUrl });
  await owner.connect();
  await owner.query("alter table policy_detector rename to elsewhere");
  await expect(detectors.get("pii")).rejects.toThrow();
  await owner.query("alter table elsewhere rename to policy_detector");
  await owner.end();
  expect((await detectors.get("pii")).definition.id).toBe("pii");
});

it("lists the whole catalog in pages, in the order of ids", async () => {
  const detectors = new DetectorCatalog(database, clock);
  const ids: string[] = [];
  for (let offset = 0; offset < catalog.length; offset += 2) {
    const [entries, total] = await detectors.list({}, { limit: 2, offset });
    expect(total).toBe(catalog.length);
    ids.push(...entries.map(({ definition }) => definition.id));
  }
  expect(ids).toEqual(catalog.map(({ id }) => id).toSorted());
});

it("narrows by every filter together, and not by an empty one", async () => {
  const detectors = new DetectorCatalog(database, clock);
  const idsOf = async (filter: Parameters<DetectorCatalog["list"]>[0]) =>
    (await detectors.list(filter, page))[0].map(({ definition }) => definition.id);
  expect(await idsOf({ category: "", trustLevel: "", search: " ", detectorType: "" })).toHaveLength(catalog.length);
  expect(await idsOf({ category: "privacy" })).toEqual(
    catalog.filter(({ category }) => category === "privacy").map(({ id }) => id),
  );
  expect(await idsOf({ search: "PERSONAL gdpr" })).toEqual(["pii"]);
  expect(await idsOf({ search: "personal", category: "security" })).toEqual([]);
  expect(await idsOf({ trustLevel: "community" })).toEqual([]);
  expect(await idsOf({ detectorType: "pattern", search: "secrets" })).toContain("secrets");
  expect(await idsOf({ detectorType: "backend", search: "secrets" })).toEqual([]);
});

it("knows a detector by the name that a policy gives it, and each once", () => {
  const detectors = { mine: { use: "keywords", keywords: ["a"] }, pii: { use: "regex", patterns: ["a"] } };
  const rules: JsonObject[] = [
    { detect: { all: ["mine", { ref: "secrets" }] } },
    { detect: "pii" },
    { when: "true" },
    { detect: "mine" },
  ];
  expect(usedDetectors(documentOf("any", rules, detectors))).toEqual(["keywords", "regex", "secrets"]);
});
