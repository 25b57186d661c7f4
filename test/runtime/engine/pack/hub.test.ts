// The packs that ship with the product: each is read, made a policy, and held to its own tests by the real engine.

import { describe, expect, it } from "vitest";
import { measureAccuracy } from "../../../../runtime/engine/pack/benchmark.ts";
import { instantiatePack, testsFor } from "../../../../runtime/engine/pack/instantiate.ts";
import { readPackLibrary } from "../../../../runtime/engine/pack/library.ts";
import { objectOf, type Pack } from "../../../../runtime/engine/pack/pack.ts";
import { completeParameters } from "../../../../runtime/engine/pack/parameters.ts";
import { packSource } from "../../../../runtime/engine/pack/source.ts";
import type { PolicyDocument, PolicyTest } from "../../../../runtime/engine/policy/document.ts";
import { runPolicyTests } from "../../../../runtime/engine/test-runner.ts";
import { shippedModels } from "../../../../src/kit/model-file.ts";
import { readPackFiles } from "../../../../src/kit/pack-file.ts";

const now = new Date("2026-11-20T12:00:00Z");
// As on a server, and as a runtime judges.
const models = shippedModels();
const library = readPackLibrary(readPackFiles());
const packs = library.ids.flatMap((id) => library.versionsOf(id));

const wanted = [
  ...["children-safety", "coding-agent", "healthcare", "payment-cards", "pii-apac", "pii-eu", "pii-latam", "pii-us"],
  ...["prompt-injection", "rag", "secrets", "support-bot", "tool-agent"],
];

function failing(document: unknown, tests?: readonly PolicyTest[]): string[] {
  // What a pack makes is a checked policy.
  const results = runPolicyTests(document as PolicyDocument, { now, models }, tests);
  return results.filter(({ passed }) => !passed).map(({ name, failures }) => `${name}: ${failures.join("; ")}`);
}

/** Each parameter in turn with each of its examples. */
function variants({ parameters }: Pack) {
  return Object.entries(objectOf(parameters.properties)).flatMap(([name, schema]) => {
    const { examples = [] } = objectOf(schema);
    return (Array.isArray(examples) ? examples : []).map((value) => ({ [name]: value }));
  });
}

it("the packs that people ask for are there", () => {
  expect(library.ids).toEqual(wanted);
});

describe.each(packs.map((pack) => [`${pack.metadata.id} ${pack.metadata.version}`, pack] as const))("%s", (_, pack) => {
  it("has at least thirty tests, ten of them about benign text", () => {
    expect(pack.tests.length).toBeGreaterThanOrEqual(30);
    const benign = pack.tests.filter(({ test }) => test.expect.outcome === "ALLOW");
    expect(benign.length).toBeGreaterThanOrEqual(10);
    expect(new Set(pack.tests.map(({ test }) => test.name)).size).toBe(pack.tests.length);
  });

  it("passes each of its tests with the parameters that the test states", () => {
    const groups = Map.groupBy(pack.tests, ({ parameters }) => JSON.stringify(parameters));
    for (const group of groups.values()) {
      const { document } = instantiatePack(pack, { parameters: group[0]?.parameters ?? {}, withTests: false });
      const tests = group.map(({ test }) => test);
      expect(failing(document, tests)).toEqual([]);
    }
  });

  it("stays green with each example of each parameter", () => {
    for (const parameters of variants(pack)) {
      expect(failing(instantiatePack(pack, { parameters }).document), JSON.stringify(parameters)).toEqual([]);
    }
  });

  it("each test holds under some parameters that the defaults or an example give", () => {
    const named = new Set(
      [{}, ...variants(pack), ...pack.tests.map(({ parameters }) => parameters)].flatMap((parameters) =>
        testsFor(pack, completeParameters(pack, parameters)).map(({ name }) => name),
      ),
    );
    expect(pack.tests.map(({ test }) => test.name).filter((name) => !named.has(name))).toEqual([]);
  });

  it.each(["shadow", "off"] as const)("acts on nothing in mode %s, and its tests say so", (mode) => {
    const { document } = instantiatePack(pack, { mode });
    expect(failing(document)).toEqual([]);
    const { tests = [] } = document as unknown as PolicyDocument;
    expect(tests.length).toBeGreaterThan(0);
    expect(tests.filter(({ expect: wants }) => wants.outcome !== "ALLOW")).toEqual([]);
  });

  it("was measured, and does as well today", () => {
    const figures = measureAccuracy(pack, { now, models });
    expect(figures).toMatchObject({ recall: 1, falsePositiveRate: 0 });
    expect(pack.benchmark).toMatchObject(figures);
    expect(pack.benchmark?.robustness).toBeGreaterThan(0.2);
  });

  it("is resolved by its major version, without tests", () => {
    const [major = ""] = pack.metadata.version.split(".");
    const resolved = packSource(library)({ id: pack.metadata.id, version: major, parameters: {} });
    expect(resolved).toMatchObject({ version: pack.metadata.version, digest: pack.digest });
    expect(resolved).not.toHaveProperty("document.tests");
  });
});
