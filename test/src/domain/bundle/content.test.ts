import { Buffer } from "node:buffer";
import { create } from "@bufbuild/protobuf";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Reason } from "../../../../gen/policyguard/common/v1/reason_pb.ts";
import { BundleReferenceSchema, EvaluateRequestSchema } from "../../../../gen/policyguard/policy/v1/evaluation_pb.ts";
import { Outcome, Stage } from "../../../../gen/policyguard/policy/v1/outcome_pb.ts";
import { agentKeysOf, compileBundle } from "../../../../runtime/bundle/compile.ts";
import type { VerifiedBundle } from "../../../../runtime/bundle/verify.ts";
import { patternKey } from "../../../../runtime/engine/pattern/pattern-facts.ts";
import type { PackSource } from "../../../../runtime/engine/policy/extend.ts";
import { type PatternPart, patternPartPath } from "../../../../runtime/engine/policy-plan/pattern-part.ts";
import type { Analysis } from "../../../../src/domain/analysis/analysis.ts";
import { ownAnalysis } from "../../../../src/domain/analysis/own-analysis.ts";
import { requireContentSize, storedParts } from "../../../../src/domain/bundle/content.ts";
import { SigningKeys } from "../../../../src/domain/bundle/signing-keys.ts";
import { Playground } from "../../../../src/domain/playground/playground.ts";
import { Lists } from "../../../../src/domain/policy/list.ts";
import { Policies } from "../../../../src/domain/policy/policy.ts";
import { maxContentBytes } from "../../../../src/kit/bundle/bundle-size.ts";
import { createSealer, parseMasterKeys } from "../../../../src/platform/seal.ts";
import type { BundleRow } from "../../../../src/store/bundle/bundle.ts";
import { type Database, openDatabase } from "../../../../src/store/connection/database.ts";
import { listAgents, touchAgents } from "../../../../src/store/project/agent.ts";
import { bundlesOf } from "../../../harness/bundles.ts";
import { createTestDatabase, type TestDatabase } from "../../../harness/database.ts";
import { createRunningClock } from "../../../harness/moved-clock.ts";
import { createWorld, type World } from "../../../harness/vector/world.ts";

const head = "apiVersion: policyguard/v1\nkind: Policy\n";
const listing = `${head}metadata: {name: listing}
lists: {own: {named: true}}
rules:
  # A comment that people wrote.
  - {id: mail, stages: [input], detect: {ref: pii, entities: [EMAIL]}, unless: finding.domain in lists.own, action: BLOCK}
`;

/** A pack whose word changes with its minor version. */
const packWith =
  (word: string): PackSource =>
  ({ id, version }) =>
    id === "words"
      ? {
          version: `${version}.0.0`,
          digest: `sha256:${word}`,
          document: {
            apiVersion: "policyguard/v1",
            kind: "Policy",
            metadata: { name: "words" },
            detectors: { w: { use: "keywords", keywords: [word] } },
            rules: [{ id: "word", stages: ["input"], detect: "w", action: "BLOCK", locked: true }],
          },
        }
      : { problem: `there is no pack ${id}` };

describe("the content of a bundle", () => {
  test("may have fifty megabytes, and is a 422 with one byte more", () => {
    const half = { size: maxContentBytes / 2 };
    expect(maxContentBytes).toBe(50 * 2 ** 20);
    expect(() => requireContentSize([half, half])).not.toThrow();
    expect(() => requireContentSize([half, half, { size: 1 }])).toThrow(
      expect.objectContaining({
        reason: Reason.VALIDATION_FAILED,
        message: expect.stringContaining("has 52,428,801 bytes, and 52,428,800 are allowed"),
      }),
    );
  });

  const clock = createRunningClock();
  let files: TestDatabase;
  let database: Database;

  beforeAll(async () => {
    files = await createTestDatabase();
    database = await openDatabase({ url: files.applicationUrl, poolSize: 4, clock });
  });

  afterAll(async () => {
    await database.close();
    await files.drop();
  });

  const masterKey = Buffer.alloc(32, 7).toString("base64");
  const bundlesWith = (packs?: PackSource, analysis: Analysis = ownAnalysis({ packs })) =>
    bundlesOf(database, new SigningKeys(database, createSealer({ masterKeys: parseMasterKeys(masterKey) })), {
      analysis,
    });
  /** How often an analysis was asked for something. */
  function countedAnalysis() {
    const own = ownAnalysis();
    const counted = { runs: 0 };
    const analysis: Analysis = {
      run: (...call) => {
        counted.runs++;
        return own.run(...call);
      },
    };
    return { analysis, counted };
  }
  const environmentOf = (world: World) => ({ projectId: world.projectId, environment: world.environment });

  /** What a runtime makes of a stored bundle: the outcome of a text. */
  async function outcomeBy(world: World, bundle: BundleRow, text: string): Promise<Outcome> {
    const parts = await database.read(world.orgId, (tx) => storedParts(tx, bundle.parts));
    const manifest = { environment: world.environment, project_id: world.projectId };
    // The runtime verifies the rest; compiling reads no more of it.
    const engine = compileBundle({
      manifest,
      parts: new Map(parts.map(({ path, data }) => [path, data])),
    } as unknown as VerifiedBundle);
    const { response } = engine.evaluate(create(EvaluateRequestSchema, { text }), {
      stage: Stage.INPUT,
      now: clock.now(),
      evaluationId: "e",
      fingerprintKey: new Uint8Array(32),
      bundle: create(BundleReferenceSchema),
      elapsedUs: () => 0,
    });
    return response.outcome;
  }

  test("is refused before anybody analyses it when its policies have more than a bundle carries", async () => {
    const world = await createWorld(database);
    const { analysis, counted } = countedAnalysis();
    await database.systemTransaction(world.orgId, (tx) =>
      tx.sql(
        `with made as (
           insert into policy (org_id, id, name, app_id, agent_id, env, version, created_at, updated_at)
           select ?, gen_random_uuid(), 'p' || n, '*', '*', '*', 1, now(), now() from generate_series(1, 80) n
           returning org_id, id)
         insert into policy_version (org_id, policy_id, version, document, author, created_at)
         select org_id, id, 1, jsonb_build_object('filler', repeat('a', 1000000)), 'somebody', now() from made`,
        [world.orgId],
      ),
    );
    const publishing = bundlesWith(undefined, analysis).publish(world.caller, environmentOf(world), {
      activate: false,
    });
    await expect(publishing).rejects.toMatchObject({
      reason: Reason.VALIDATION_FAILED,
      message: expect.stringContaining("more than 52,428,800 bytes"),
    });
    expect(counted.runs).toBe(0);
  });

  test("bounds the lists that the playground reads as well", async () => {
    const world = await createWorld(database);
    const { analysis, counted } = countedAnalysis();
    await database.systemTransaction(world.orgId, (tx) =>
      tx.sql(
        `insert into list
           (org_id, id, name, app_id, agent_id, env, items, item_count, revision, created_at, updated_at)
         select ?, gen_random_uuid(), 'l' || n, '*', '*', '*', jsonb_build_array(repeat('a', 10000000)), 1, 1, now(), now()
           from generate_series(1, 6) n`,
        [world.orgId],
      ),
    );
    const explaining = new Playground(database, clock, { analysis, mode: "off" }).explain(world.caller, {
      document: listing,
      stage: Stage.INPUT,
      request: create(EvaluateRequestSchema, { text: "x@b.dev" }),
    });
    await expect(explaining).rejects.toMatchObject({
      reason: Reason.VALIDATION_FAILED,
      message: expect.stringContaining("more than 52,428,800 bytes"),
    });
    expect(counted.runs).toBe(0);
  });

  test("has the lists that its policies read, as a part of their own; a change takes effect with the next republish", async () => {
    const world = await createWorld(database);
    const [policies, lists, bundles] = [
      new Policies(database, clock, ownAnalysis()),
      new Lists(database),
      bundlesWith(),
    ];
    await policies.create(world.caller, { document: listing });
    await expect(bundles.publish(world.caller, environmentOf(world), { activate: false })).rejects.toMatchObject({
      extra: {
        problems: [{ path: "lists.own", message: expect.stringContaining("which does not exist in its scope") }],
      },
    });
    const list = await lists.create(world.caller, { name: "own", items: ["a.dev"] });
    await lists.create(world.caller, { name: "unread", items: ["b.dev"] });
    await lists.create(world.caller, { name: "own", scope: { env: "staging" }, items: ["c.dev"] });
    const { bundle } = await bundles.publish(world.caller, environmentOf(world), { activate: false });
    expect(bundle.parts.map(({ path }) => path.split("/")[0])).toEqual(["lists", "lists", "policies"]);
    expect(await outcomeBy(world, bundle, "x@a.dev")).toBe(Outcome.ALLOW);
    expect(await outcomeBy(world, bundle, "x@b.dev")).toBe(Outcome.BLOCK);
    expect(await outcomeBy(world, bundle, "x@c.dev")).toBe(Outcome.BLOCK);
    await lists.update(world.caller, list.id, { items: ["b.dev"] });
    expect(await outcomeBy(world, bundle, "x@a.dev")).toBe(Outcome.ALLOW);
    const next = await bundles.republish(world.caller, environmentOf(world), { activate: false });
    expect(next.bundle.policies).toEqual(bundle.policies);
    expect(await outcomeBy(world, next.bundle, "x@a.dev")).toBe(Outcome.BLOCK);
    expect(await outcomeBy(world, next.bundle, "x@b.dev")).toBe(Outcome.ALLOW);
    const { explanation } = await new Playground(database, clock, { analysis: ownAnalysis(), mode: "off" }).explain(
      world.caller,
      {
        document: listing,
        stage: Stage.INPUT,
        request: create(EvaluateRequestSchema, { text: "x@b.dev" }),
      },
    );
    expect(explanation.response?.outcome).toBe(Outcome.ALLOW);
  });

  const rules = "rules: [{id: key, stages: [input], detect: secrets, action: BLOCK}]";
  test.each<[string, string, object, string[]]>([
    [
      "all that a condition may ask for",
      rules.replace("}]", ", unless: 'request.agent_id == \"shop\"'}]"),
      {},
      ["desk-1", "desk-2", "shop"],
    ],
    [
      "all that a roll-out draws by",
      rules.replace("}]", ", rollout: {percent: 10, by: agent_id}}]"),
      {},
      ["desk-1", "desk-2", "shop"],
    ],
    ["those that a policy matches", `match: {agents: ["desk-*"]}\n${rules}`, {}, ["desk-1", "desk-2"]],
    ["the one of a scope", rules, { agentId: "shop" }, ["shop"]],
    ["none that nothing tells from another", rules, {}, []],
  ])("says which agents the ids stand for: %s", async (_, text, scope, wanted) => {
    const world = await createWorld(database);
    const seen = new Map(["shop", "desk-1", "desk-2"].map((key) => [key, clock.now()]));
    await database.systemTransaction(world.orgId, async (tx) => touchAgents(tx, world.projectId, seen));
    await new Policies(database, clock, ownAnalysis()).create(world.caller, {
      document: `${head}metadata: {name: a}\n${text}\n`,
      scope,
    });
    const { bundle } = await bundlesWith().publish(world.caller, environmentOf(world), { activate: false });
    const parts = await database.read(world.orgId, (tx) => storedParts(tx, bundle.parts));
    const keys = agentKeysOf({ parts: new Map(parts.map(({ path, data }) => [path, data])) });
    expect([...keys.values()].sort()).toEqual(wanted);
    const [agents] = await database.read(world.orgId, (tx) => listAgents(tx, world.projectId, { limit: 9, offset: 0 }));
    for (const [id, key] of keys) expect(agents).toContainEqual(expect.objectContaining({ id, key }));
  });

  test("says what was found out about its policies' own patterns, in the same bytes when it is published again", async () => {
    const world = await createWorld(database);
    const document = `${head}metadata: {name: orders}
detectors: {orders: {use: regex, patterns: ["order-[0-9]{5}"]}}
rules: [{id: own, stages: [input], detect: orders, action: FLAG}, {id: attack, stages: [input], detect: injection, action: BLOCK}]\n`;
    await new Policies(database, clock, ownAnalysis()).create(world.caller, { document });
    const bundles = bundlesWith();
    const { bundle } = await bundles.publish(world.caller, environmentOf(world), { activate: false });
    const parts = await database.read(world.orgId, (tx) => storedParts(tx, bundle.parts));
    const part = parts.find(({ path }) => path === patternPartPath);
    const { analysis, patterns } = JSON.parse(Buffer.from(part?.data ?? []).toString("utf8")) as PatternPart;
    expect(analysis).toMatch(/^[\w-]{43}$/);
    expect(patterns).toEqual({
      [patternKey("order-[0-9]{5}", 0)]: expect.objectContaining({ gates: ["order-", 0, 5] }),
    });
    const again = await bundles.republish(world.caller, environmentOf(world), { activate: false });
    expect(again.bundle.parts).toEqual(bundle.parts);
  });

  test("has the packs that its policies extend, as they were when it was published, and as they are when it is republished", async () => {
    const world = await createWorld(database);
    const document = `${head}metadata: {name: extending}\nextends: [pack:words@1]\nrules: [{id: own, stages: [output], detect: secrets, action: FLAG}]\n`;
    await expect(new Policies(database, clock, ownAnalysis()).create(world.caller, { document })).rejects.toMatchObject(
      {
        extra: { problems: expect.arrayContaining([expect.objectContaining({ line: 4, path: "extends[0]" })]) },
      },
    );
    await new Policies(database, clock, ownAnalysis({ packs: packWith("zebra") })).create(world.caller, { document });
    const { bundle } = await bundlesWith(packWith("zebra")).publish(world.caller, environmentOf(world), {
      activate: false,
    });
    const parts = await database.read(world.orgId, (tx) => storedParts(tx, bundle.parts));
    const [{ packs }] = parts.map(({ data }) => JSON.parse(Buffer.from(data).toString("utf8"))) as [{ packs: unknown }];
    expect(packs).toMatchObject([
      { id: "words", requested: "1", version: "1.0.0", digest: "sha256:zebra", parameters: {} },
    ]);
    expect(await outcomeBy(world, bundle, "a zebra")).toBe(Outcome.BLOCK);
    const next = await bundlesWith(packWith("okapi")).republish(world.caller, environmentOf(world), {
      activate: false,
    });
    expect([await outcomeBy(world, next.bundle, "a zebra"), await outcomeBy(world, next.bundle, "an okapi")]).toEqual([
      Outcome.ALLOW,
      Outcome.BLOCK,
    ]);
    const promoted = await bundlesWith(packWith("llama")).promote(world.caller, environmentOf(world), {
      target: world.environment === "prod" ? "staging" : "prod",
      version: bundle.version,
      activate: false,
    });
    expect(promoted.bundle.contentDigest).toBe(bundle.contentDigest);
  });

  test("is never made of a policy that can apply nowhere", async () => {
    const world = await createWorld(database);
    const document = `${head}metadata: {name: nowhere}\nmatch: {agents: ["support-*"], envs: [staging]}\nrules: [{id: r, stages: [input], detect: secrets, action: FLAG}]\n`;
    const creating = new Policies(database, clock, ownAnalysis()).create(world.caller, {
      document,
      scope: { env: "prod", agentId: "sales" },
    });
    await expect(creating).rejects.toMatchObject({
      extra: {
        problems: [
          {
            line: 4,
            column: 38,
            path: "match.envs",
            message: "the policy would never apply: its scope is the environment prod",
          },
          {
            line: 4,
            column: 17,
            path: "match.agents",
            message: "the policy would never apply: its scope is the agent sales",
          },
        ],
      },
    });
  });

  test("keeps what people wrote, comments included, beside the canonical form", async () => {
    const world = await createWorld(database);
    const policies = new Policies(database, clock, ownAnalysis());
    const { policy } = await policies.create(world.caller, { document: listing });
    const { current } = await policies.get(world.caller, policy.id);
    expect(current.source).toBe(listing);
    expect(JSON.stringify(current.document)).not.toContain("A comment");
  });
});
