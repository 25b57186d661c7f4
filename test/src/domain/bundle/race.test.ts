// Checks of a release hold nothing: others may publish, and change policies, while they run.

import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Reason } from "../../../../gen/policyguard/common/v1/reason_pb.ts";
import type { Analysis } from "../../../../src/domain/analysis/analysis.ts";
import type { JobName } from "../../../../src/domain/analysis/jobs.ts";
import { ownAnalysis } from "../../../../src/domain/analysis/own-analysis.ts";
import { shippedPacks } from "../../../../src/domain/analysis/shipped-packs.ts";
import { SigningKeys } from "../../../../src/domain/bundle/signing-keys.ts";
import { Lists } from "../../../../src/domain/policy/list.ts";
import { PackApplications } from "../../../../src/domain/policy/pack-apply.ts";
import { Policies } from "../../../../src/domain/policy/policy.ts";
import { createSealer, parseMasterKeys } from "../../../../src/platform/seal.ts";
import { type Database, openDatabase } from "../../../../src/store/connection/database.ts";
import { bundlesOf } from "../../../harness/bundles.ts";
import { createTestDatabase, type TestDatabase } from "../../../harness/database.ts";
import { createRunningClock } from "../../../harness/moved-clock.ts";
import { createWorld, type World } from "../../../harness/vector/world.ts";

const documentOf = (description: string) => ({
  ...{ apiVersion: "policyguard/v1", kind: "Policy", metadata: { name: "raced", description } },
  rules: [{ id: "r", stages: ["input"], detect: "secrets", action: "BLOCK" }],
});

/** Runs jobs here, and before each of this name something else. */
function disturbed(name: JobName, disturb: (run: number) => Promise<unknown>): Analysis & { runs: number } {
  const own = ownAnalysis();
  const analysis = {
    runs: 0,
    run: (async (job, input, asker) => {
      if (job === name) await disturb(++analysis.runs);
      return own.run(job, input, asker);
    }) as Analysis["run"],
  };
  return analysis;
}

describe("while a release is checked", () => {
  const clock = createRunningClock();
  const masterKey = randomBytes(32).toString("base64");
  let urls: TestDatabase;
  let database: Database;
  let world: World;
  let policies: Policies;
  let policyId: string;

  beforeAll(async () => {
    urls = await createTestDatabase();
    database = await openDatabase({ url: urls.applicationUrl, poolSize: 4, clock });
    policies = new Policies(database, clock, ownAnalysis());
  });

  afterAll(async () => {
    await database.close();
    await urls.drop();
  });

  const fresh = async () => {
    world = await createWorld(database);
    policyId = (await policies.create(world.caller, { document: documentOf("first") })).policy.id;
    return { projectId: world.projectId, environment: world.environment };
  };
  const change = (run: number) => policies.update(world.caller, policyId, { document: documentOf(`change ${run}`) });
  const bundlesWith = (analysis: Analysis) =>
    bundlesOf(database, new SigningKeys(database, createSealer({ masterKeys: parseMasterKeys(masterKey) })), {
      analysis,
    });

  it("another one of the same environment is published, and the one that expected to be first is told", async () => {
    const path = await fresh();
    const quick = bundlesWith(ownAnalysis());
    const slow = bundlesWith(disturbed("checkRelease", () => quick.publish(world.caller, path, { activate: true })));
    const publishing = slow.publish(world.caller, path, { activate: true, expectedVersion: 0 });
    await expect(publishing).rejects.toMatchObject({ reason: Reason.BUNDLE_VERSION_CONFLICT });
    const { bundle } = await slow.publish(world.caller, path, { activate: false });
    // The one that came in between has its number.
    expect(bundle.version).toBe(3);
  });

  it("a policy that changes is checked again, so that only checked policies are signed", async () => {
    const path = await fresh();
    const analysis = disturbed("checkRelease", async (run) => run === 1 && change(run));
    const { bundle } = await bundlesWith(analysis).publish(world.caller, path, { activate: false });
    expect([analysis.runs, bundle.version]).toEqual([2, 1]);
    expect(bundle.policies).toEqual([{ policy_id: policyId, name: "raced", version: 2 }]);
  });

  it("a list that appears is checked again; its items may change", async () => {
    const path = await fresh();
    const lists = new Lists(database);
    const { id } = await lists.create(world.caller, { name: "own", items: ["a"] });
    const items = disturbed("checkRelease", () => lists.update(world.caller, id, { items: ["b"] }));
    await bundlesWith(items).publish(world.caller, path, { activate: false });
    const another = disturbed(
      "checkRelease",
      async (run) => run === 1 && lists.create(world.caller, { name: "more", items: ["a"] }),
    );
    await bundlesWith(another).publish(world.caller, path, { activate: false });
    expect([items.runs, another.runs]).toEqual([1, 2]);
  });

  it("policies that never stop changing are a conflict, and nothing is published", async () => {
    const path = await fresh();
    const analysis = disturbed("checkRelease", change);
    const bundles = bundlesWith(analysis);
    const publishing = bundles.publish(world.caller, path, { activate: false });
    await expect(publishing).rejects.toMatchObject({ reason: Reason.CONFLICT });
    expect(analysis.runs).toBe(5);
    expect(await bundles.list(world.caller, path, { limit: 9, offset: 0 })).toEqual([[], 0]);
  });

  it("an active version that changes is promoted as it is by then", async () => {
    const path = await fresh();
    const quick = bundlesWith(ownAnalysis());
    await quick.publish(world.caller, path, { activate: true });
    const analysis = disturbed(
      "retestBundle",
      async (run) => run === 1 && quick.publish(world.caller, path, { activate: true }),
    );
    const target = path.environment === "prod" ? "staging" : "prod";
    const { bundle } = await bundlesWith(analysis).promote(world.caller, path, { target, activate: false });
    expect([analysis.runs, bundle.source]).toEqual([2, `promote:${path.environment}@2`]);
  });

  it("a policy that changes while a pack is applied to it is merged as it is by then", async () => {
    await fresh();
    const library = shippedPacks();
    const input = { packId: "pii-eu", target: {}, conflict: "merge" as const, dryRun: false };
    const apply = (analysis: Analysis, parameters = {}) =>
      new PackApplications(library, { database, clock, analysis }).apply(world.caller, { ...input, parameters });
    const applied = await apply(ownAnalysis());
    policyId = applied.policyId ?? "";
    const { current } = await policies.get(world.caller, policyId);
    const edited = { ...current.document, metadata: { ...(current.document.metadata as object), description: "ours" } };
    const analysis = disturbed(
      "planPack",
      async (run) => run === 1 && policies.update(world.caller, policyId, { document: edited }),
    );
    const again = await apply(analysis, { action: "BLOCK" });
    expect([analysis.runs, again.change, again.policyVersion]).toEqual([2, "updated", 3]);
    expect((await policies.get(world.caller, policyId)).current.document).toMatchObject({
      metadata: { description: "ours" },
    });
  });
});
