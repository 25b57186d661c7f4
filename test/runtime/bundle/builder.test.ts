import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { clone, create, toBinary } from "@bufbuild/protobuf";
import { afterEach, describe, expect, it, onTestFinished } from "vitest";
import { stringify } from "yaml";
import { workLoadTexts } from "../../../bench/load/bodies.ts";
import { workLoadPolicy } from "../../../bench/load/policy.ts";
import { BundleSchema, PartSchema } from "../../../gen/policyguard/bundle/v1/bundle_pb.ts";
import {
  BundleReferenceSchema,
  EvaluateRequestSchema,
  EvaluateResponseSchema,
} from "../../../gen/policyguard/policy/v1/evaluation_pb.ts";
import { Stage } from "../../../gen/policyguard/policy/v1/outcome_pb.ts";
import { BundleHolder } from "../../../runtime/bundle/active-bundle.ts";
import { type BuilderOptions, BundleBuilder } from "../../../runtime/bundle/builder.ts";
import { bundleJson } from "../../../runtime/bundle/bundle-json.ts";
import { compileBundle } from "../../../runtime/bundle/compile.ts";
import { type BundleCheck, heldParts, type VerifiedBundle, verifyBundle } from "../../../runtime/bundle/verify.ts";
import type { Engine } from "../../../runtime/engine/engine.ts";
import { maxBundleBytes, maxContentBytes } from "../../../src/kit/bundle/bundle-size.ts";
import { newSigningKey, trustKeys } from "../../../src/kit/crypto/signing-key.ts";
import { verifiedBundle } from "../../harness/bundle.ts";
import { now, scope, signedBundle, signer } from "./signed-bundle.ts";

const context = {
  stage: Stage.INPUT,
  now: new Date(0),
  evaluationId: "test",
  fingerprintKey: new Uint8Array(32),
  bundle: create(BundleReferenceSchema),
  elapsedUs: () => 0,
};
const texts = workLoadTexts();
const adoption = { now: new Date(), isConfirmed: true, keep: async () => undefined };

const builders: BundleBuilder[] = [];

function builderWith(options?: BuilderOptions): BundleBuilder {
  const builder = new BundleBuilder(options);
  builders.push(builder);
  return builder;
}

afterEach(async () => {
  await Promise.all(builders.splice(0).map((builder) => builder.stop()));
});

function keywordBundle(keyword: string): Promise<VerifiedBundle> {
  const document = {
    ...{ apiVersion: "policyguard/v1", kind: "Policy", metadata: { name: "words" } },
    detectors: { words: { use: "keywords", keywords: [keyword] } },
    rules: [{ id: "words", stages: ["input"], detect: "words", action: "BLOCK" }],
  };
  return verifiedBundle([JSON.stringify(document)]);
}

function answers(engine: Engine): string[] {
  return texts.map((text) => {
    const { response } = engine.evaluate(create(EvaluateRequestSchema, { text }), context);
    return Buffer.from(toBinary(EvaluateResponseSchema, response)).toString("base64");
  });
}

/** The answers of a stream that gets a text in three chunks. */
function streamed(engine: Engine, text: string): string {
  const stream = engine.openStream(create(EvaluateRequestSchema, {}), { ...context, stage: Stage.OUTPUT });
  const third = Math.ceil(text.length / 3);
  const released = [0, 1, 2].map((at) => stream.push(text.slice(at * third, at * third + third)).released);
  return JSON.stringify([released, stream.finish().released]);
}

/** A program for the thread, other than its own. */
function programOf(source: string): URL {
  return new URL(`data:text/javascript,${encodeURIComponent(source)}`);
}

describe("an engine that was built beside the thread that uses it", () => {
  it("answers as one that was compiled there, byte for byte", async () => {
    const load = stringify({ ...workLoadPolicy(), lists: { own_domains: ["example.com"] } });
    const output = `apiVersion: policyguard/v1
kind: Policy
metadata: {name: output}
detectors:
  names: {use: regex, patterns: ["\\\\b[a-z]+[0-9]{2}@[a-z]+\\\\b", "[0-9]{3}-[0-9]{4}"]}
rules: [{id: names, stages: [output], detect: names, action: REDACT}]
`;
    const found = await verifiedBundle([load, output]);
    const [built, compiled] = [await builderWith().build(found), compileBundle(found)];
    expect(answers(built)).toEqual(answers(compiled));
    expect(built.detectors).toEqual(compiled.detectors);
    const text = "Ask joe12@example or call 555-1234 or 555-12345 today.";
    expect(streamed(built, text)).toEqual(streamed(compiled, text));
  });

  it("reuses tables of the former engine that are the same", async () => {
    const builder = builderWith();
    const first = await builder.build(await keywordBundle("one"));
    const second = await builder.build(await keywordBundle("one"), first.tables);
    const [mine] = second.tables.indexes.values();
    expect(mine?.tables.classes.length).toBeGreaterThan(0);
    expect(mine).toBe([...first.tables.indexes.values()][0]);
    const third = await builder.build(await keywordBundle("two"), second.tables);
    expect([...third.tables.indexes.values()][0]).not.toBe(mine);
  });

  it("is built once for each content, whoever asks for it and whenever", async () => {
    const builder = builderWith();
    const [one, other] = [await keywordBundle("one"), await keywordBundle("one")];
    const [first, together] = await Promise.all([builder.build(one), builder.build(one)]);
    expect(together).toBe(first);
    expect(await builder.build({ ...one })).toBe(first);
    // The same policy in another project.
    expect(await builder.build(other)).not.toBe(first);
    expect(await builderWith().build(one)).not.toBe(first);
  });

  it("whose build was lost is built anew for the next who asks", async () => {
    const folder = mkdtempSync(join(tmpdir(), "policy-guard-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const real = new URL("../../../runtime/bundle/build-thread.ts", import.meta.url);
    const failsOnce = `import { existsSync, writeFileSync } from "node:fs";
      const mark = ${JSON.stringify(join(folder, "started"))};
      if (!existsSync(mark)) { writeFileSync(mark, ""); throw new Error("it fails once"); }
      await import(${JSON.stringify(real.href)});`;
    const builder = builderWith({ program: programOf(failsOnce) });
    const found = await keywordBundle("one");
    const lost = await Promise.allSettled([builder.build(found), builder.build(found)]);
    expect(lost).toMatchObject([{ reason: { reason: "build_failed" } }, { reason: { reason: "build_failed" } }]);
    expect((await builder.build(found)).detectors).toEqual(["keywords"]);
  });

  it("of a candidate that is activated is put into force without another build", async () => {
    const builder = builderWith();
    const holder = new BundleHolder({ builder });
    await holder.adopt(await keywordBundle("one"), adoption);
    const candidate = await keywordBundle("two");
    const engine = await builder.build(candidate);
    await holder.adopt(candidate, adoption);
    expect(holder.loaded?.bare).toBe(engine);
  });

  it("is refused for the same reason and in the same words as one that is compiled", async () => {
    const found = await keywordBundle("one");
    const part = { policy_id: "p", name: "p", version: 1, scope: {}, document: { kind: "Policy" } };
    const scope = { tenant_id: "*", app_id: "*", agent_id: "*", env: "*" };
    const broken = {
      ...found,
      parts: new Map([["policies/p.json", Buffer.from(JSON.stringify({ ...part, scope }))]]),
    };
    const reason = (work: () => unknown) => {
      try {
        return work();
      } catch (error) {
        return error instanceof Error ? [Reflect.get(error, "reason"), error.message] : error;
      }
    };
    const expected = reason(() => compileBundle(broken));
    const failure = await builderWith()
      .build(broken)
      .catch((error: unknown) => error);
    expect(expected).toEqual(["not_adopted", expect.stringContaining("does not compile")]);
    expect(
      reason(() => {
        throw failure;
      }),
    ).toEqual(expected);
  });
});

describe("a bundle that is verified beside the thread that uses it", () => {
  const check: Omit<BundleCheck, "bundle"> = {
    ...{ trust: trustKeys([signer.publicJwk]), scope, ratchet: undefined, now },
    from: "network",
    ...{ maxBytes: 1_000_000, runtimeVersion: "1.2.3" },
  };

  it("is accepted with the same result, and its content is in shared memory", async () => {
    const bundle = await signedBundle();
    const found = await builderWith().verify({ ...check, bundle });
    const expected = await verifyBundle({ ...check, bundle });
    const { parts, ...facts } = found;
    expect({ ...facts, bundle: toBinary(BundleSchema, facts.bundle) }).toEqual({
      ...{ manifest: expected.manifest, digest: expected.digest, activation: expected.activation },
      ...{ keySet: expected.keySet, bundle: toBinary(BundleSchema, bundle) },
    });
    for (const [path, data] of expected.parts) expect(Buffer.from(parts.get(path) ?? [])).toEqual(Buffer.from(data));
    expect([...parts.values()].every(({ buffer }) => buffer instanceof SharedArrayBuffer)).toBe(true);
  });

  it("is whole with parts that were at hand, which are not copied again", async () => {
    const builder = builderWith();
    const first = await builder.verify({ ...check, bundle: await signedBundle() });
    const next = await signedBundle({ seq: 2, version: 2 });
    const sent = { ...next, parts: [] };
    const found = await builder.verify({ ...check, bundle: sent, held: heldParts(first) });
    expect(toBinary(BundleSchema, found.bundle)).toEqual(toBinary(BundleSchema, next));
    for (const [path, data] of first.parts) expect(found.parts.get(path)).toBe(data);
    const [refused] = await Promise.allSettled([builder.verify({ ...check, bundle: sent })]);
    expect(refused).toMatchObject({ reason: { reason: "missing_part" } });
  });

  it("is refused for the same reasons", async () => {
    const builder = builderWith();
    const good = await signedBundle();
    const strange = await signedBundle({ keys: [newSigningKey()] });
    const tampered = clone(BundleSchema, good);
    for (const part of tampered.parts) part.data = Uint8Array.from([...part.data, 0x20]);
    const twice = clone(BundleSchema, good);
    twice.parts.push(...good.parts);
    const unsigned = create(BundleSchema, { ...good, manifest: undefined });
    const cases = [strange, tampered, twice, unsigned, await signedBundle({ manifest: { environment: "dev" } })];
    const reasons: unknown[] = [];
    for (const bundle of cases) {
      const [mine, theirs] = await Promise.all(
        [builder.verify({ ...check, bundle }), verifyBundle({ ...check, bundle })].map((verified) =>
          verified.catch(({ reason, message }) => ({ reason, message })),
        ),
      );
      expect(mine).toEqual(theirs);
      reasons.push(mine !== undefined && "reason" in mine ? mine.reason : undefined);
    }
    expect(reasons).toEqual(["unknown_kid", "digest_mismatch", "duplicate_part", "missing_statement", "wrong_scope"]);
  });

  it("may be as large as the limit, and not larger", async () => {
    const builder = builderWith();
    const content = maxContentBytes - 1_000;
    const bundle = await signedBundle({
      files: { "policies/a.json": "x".repeat(1_000), "lists/b.json": "y".repeat(content) },
    });
    const found = await builder.verify({ ...check, bundle, maxBytes: maxBundleBytes });
    expect(found.parts.get("lists/b.json")?.byteLength).toBe(content);
    // What is kept of it on disk is read again.
    const json = Buffer.concat([...bundleJson(found.bundle)].map((chunk) => Buffer.from(chunk)));
    expect(json.byteLength).toBeGreaterThan(maxBundleBytes);
    const again = await verifyBundle({ ...check, bundle: json, maxBytes: maxBundleBytes, from: "disk" });
    expect(again.digest).toBe(found.digest);
    const statements = maxBundleBytes - maxContentBytes;
    bundle.parts.push(create(PartSchema, { path: "lists/c.json", data: new Uint8Array(statements) }));
    const refusal = await builder
      .verify({ ...check, bundle, maxBytes: maxBundleBytes })
      .catch((error: unknown) => error);
    expect(refusal).toMatchObject({ reason: "too_large" });
  });
});

const growth = "const all = []; for (;;) all.push({});";

describe("a builder whose thread", () => {
  it.each<[string, BuilderOptions, RegExp]>([
    ["ends", { program: programOf("process.exit(3)") }, /has ended/],
    ["throws", { program: programOf("throw new Error('lightning struck')") }, /lightning struck/],
    // In small steps: V8 ends the whole process where one allocation exceeds a thread's heap by far.
    ["needs more memory than it may", { program: programOf(growth), maxMegabytes: 8 }, /memory/],
    ["never answers", { program: programOf("setInterval(() => {}, 1000)"), timeoutMs: 300 }, /longer than 300 ms/],
  ])("%s refuses the bundle, and the one in force stays", async (_, options, message) => {
    const holder = new BundleHolder({ builder: builderWith(options) });
    await holder.adopt(await keywordBundle("one"), adoption);
    const before = holder.loaded;
    const failure = await holder.adopt(await keywordBundle("two"), adoption).catch((error: unknown) => error);
    expect(failure).toMatchObject({ reason: "build_failed", message: expect.stringMatching(message) });
    expect(holder.loaded).toBe(before);
  });

  it("was ended after some time without work starts it again", async () => {
    const builder = builderWith({ idleMs: 1 });
    for (const keyword of ["one", "two"]) {
      const engine = await builder.build(await keywordBundle(keyword));
      expect(engine.detectors).toEqual(["keywords"]);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  });
});
