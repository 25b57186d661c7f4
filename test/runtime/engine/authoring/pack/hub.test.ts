// The packs that ship with the product: each is read, made a policy, and held to its own tests by the real engine.

import { afterAll, describe, expect, it } from "vitest";
import { measureAccuracy } from "../../../../../runtime/engine/authoring/pack/benchmark.ts";
import { instantiatePack, testsFor } from "../../../../../runtime/engine/authoring/pack/instantiate.ts";
import { readPackLibrary } from "../../../../../runtime/engine/authoring/pack/library.ts";
import { objectOf, type Pack } from "../../../../../runtime/engine/authoring/pack/pack.ts";
import { completeParameters } from "../../../../../runtime/engine/authoring/pack/parameters.ts";
import { packSource } from "../../../../../runtime/engine/authoring/pack/source.ts";
import { runPolicyTests } from "../../../../../runtime/engine/authoring/test-runner.ts";
import type { PolicyDocument, PolicyTest } from "../../../../../runtime/engine/policy/document.ts";
import { parsePolicy } from "../../../../../runtime/engine/policy/parse.ts";
import { isSampled, reportSample } from "../../../../../scripts/assurance/sample.ts";
import { shippedModels } from "../../../../../src/kit/process/model-file.ts";
import { readPackFiles } from "../../../../../src/kit/process/pack-file.ts";

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

/** What the suite tries of what takes a run of all tests of the pack. */
function isTried({ metadata: { id } }: Pack, name: string): boolean {
  return isSampled(`${id} ${name}`, 0.25);
}

afterAll(() => reportSample({ n: packs.length, failures: 0 }));

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
    const tried = variants(pack).filter((parameters) => isTried(pack, JSON.stringify(parameters)));
    for (const parameters of tried) {
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

  it.each((["shadow", "off"] as const).filter((mode) => isTried(pack, mode)))(
    "acts on nothing in mode %s, and its tests say so",
    (mode) => {
      const { document } = instantiatePack(pack, { mode });
      expect(failing(document)).toEqual([]);
      const { tests = [] } = document as unknown as PolicyDocument;
      expect(tests.length).toBeGreaterThan(0);
      expect(tests.filter(({ expect: wants }) => wants.outcome !== "ALLOW")).toEqual([]);
    },
  );

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

it("a locked rule of the pack for secrets is not silenced by its threshold", () => {
  const pack = packs.find(({ metadata }) => metadata.id === "secrets");
  if (pack === undefined) throw new Error("there is no such pack");
  const { maximum } = objectOf(objectOf(pack.parameters.properties).threshold);
  const { document } = instantiatePack(pack, { parameters: { threshold: Number(maximum) } });
  const { tests = [] } = document as unknown as PolicyDocument;
  expect(tests.filter(({ expect: wants }) => wants.outcome === "BLOCK").length).toBeGreaterThan(1);
  expect(failing(document)).toEqual([]);
  expect(() => instantiatePack(pack, { parameters: { threshold: 1 } })).toThrow();
});

it("a policy may extend them in addition to its own rules, and its own address passes", () => {
  // In parts, so that no scanner takes a made-up key for a leaked one.
  const parts = ["my key is AKIA", "Q3EGRZ7X", "W2LMNP4T"];
  const source = `apiVersion: policyguard/v1
kind: Policy
metadata: {name: support-bot, description: Customer support guard, controls: [OWASP-LLM01, OWASP-LLM02]}
extends: [pack:prompt-injection@1, pack:pii-eu@2]      # guard packs, pinned
match: {agents: ["support-*"], envs: [staging, prod]}
defaults: {mode: enforce, on_error: fail_closed, timeout_ms: 150, record: redacted}
lists:
  own_domains: [example.com, example.org]
detectors:
  pii: {use: pii, entities: [EMAIL, IBAN, PHONE, CREDIT_CARD], threshold: 0.5}
  injection: {use: injection, sensitivity: balanced, backend: inj-model, on_error: fail_open}
rules:
  - id: secrets.any
    stages: [input, output, tool_call, tool_result, retrieval]
    detect: secrets
    action: BLOCK
    severity: critical
    message: {en: "I can't process credentials.", de: "Zugangsdaten kann ich nicht verarbeiten."}
  - id: pii.email
    stages: [input, retrieval]
    detect: {ref: pii, entities: [EMAIL]}
    unless: finding.domain in lists.own_domains          # CEL
    action: REDACT
    redact: {style: placeholder, reversible: true}
  - id: injection.untrusted
    stages: [input, tool_result, retrieval]
    detect: injection
    when: segment.trust == "untrusted"                   # CEL
    action: BLOCK
    mode: shadow                                         # evaluated and reported, not enforced
    rollout: {percent: 10, by: session_id}
  - id: exfil
    stages: [tool_call]
    when: tool.name == "send_email" && !(tool.args.to.endsWith("@example.com")) && session.saw("tool_result", "untrusted")
    action: BLOCK
exemptions:
  - {id: red-team, when: 'subject.roles.exists(r, r == "red-team")', rules: ["injection.*"], expires: 2026-12-31T00:00:00Z, reason: test window}
tests:
  - {name: own mail is fine, stage: input, text: "write to help@example.com", expect: {outcome: ALLOW}}
  - {name: key split over chunks, stream: ${JSON.stringify(parts)}, expect: {outcome: BLOCK, released_must_not_contain: AKIA}}
`;
  const { policy, problems } = parsePolicy(source, undefined, packSource(library));
  expect(problems).toEqual([]);
  const results = runPolicyTests(policy as PolicyDocument, { now, models, packs: packSource(library) });
  expect(results.map(({ name, failures }) => ({ name, failures }))).toEqual([
    { name: "own mail is fine", failures: [] },
    { name: "key split over chunks", failures: [] },
  ]);
});
