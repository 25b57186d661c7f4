import { createHash } from "node:crypto";
import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { digestOf } from "../../../../src/kit/crypto/canonical.ts";
import {
  commitmentOf,
  committedFields,
  leafHash,
  leafText,
  maxOpeningBytes,
  newOpening,
  type Openings,
  openable,
  wrongOpenings,
} from "../../../../src/kit/evidence/leaf.ts";

const facts = {
  seq: 7,
  orgId: "5b0f3c1e-0000-4000-8000-000000000001",
  createdAt: new Date("2026-03-04T05:06:07.089Z"),
  action: "environment.update",
  resource: "environment/5b0f3c1e-0000-4000-8000-000000000002",
  credential: "5b0f3c1e-0000-4000-8000-000000000003",
  requestId: "r-1",
};

const text = fc.string({ unit: "grapheme", maxLength: 40 });
const object = fc.option(
  fc.dictionary(text, fc.jsonValue({ maxDepth: 2 })).map((value) => value as JsonObject),
  { nil: null },
);
const openings: fc.Arbitrary<Openings> = fc
  .record({ actor: text, address: text, before: object, after: object })
  .map(({ actor, address, before, after }) => ({
    actor: newOpening(actor),
    address: newOpening(address),
    before: newOpening(openable(before)),
    after: newOpening(openable(after)),
  }));

describe("a commitment", () => {
  it("matches the test vector of the form", () => {
    const opening = { salt: Buffer.from("000102030405060708090a0b0c0d0e0f", "hex"), value: '"ada@example.com"' };
    expect(commitmentOf("actor", opening)).toBe(
      "sha256:05591adc21c4510e232661b81fd4cf93f41bb49c0ee65d4d3db3069c56807304",
    );
  });

  it("takes a salt of 16 bytes only, or field and value could be shifted into it", () => {
    expect(() => commitmentOf("actor", { salt: Buffer.alloc(15), value: '"a"' })).toThrow(RangeError);
    expect(() => commitmentOf("actor", { salt: Buffer.alloc(17), value: '"a"' })).toThrow(RangeError);
  });

  it("is different each time, even for the same value", () => {
    const values = Array.from({ length: 100 }, () => commitmentOf("after", newOpening({ required_approvals: 0 })));
    expect(new Set(values).size).toBe(100);
  });
});

describe("a leaf", () => {
  it("is canonical JSON with the facts in the open and the rest committed to", () => {
    fc.assert(
      fc.property(openings, (some) => {
        const leaf = leafText(facts, some);
        expect(JSON.parse(leaf)).toEqual({
          ...{ v: 2, seq: 7, org_id: facts.orgId, created_at: "2026-03-04T05:06:07.089Z", action: facts.action },
          ...{ resource: facts.resource, credential: facts.credential, request_id: "r-1" },
          ...Object.fromEntries(committedFields.map((field) => [field, commitmentOf(field, some[field])])),
        });
        const keys = [...leaf.matchAll(/[{,]"(\w+)":/g)].map(([, key]) => key);
        expect(keys).toEqual(keys.toSorted());
        const plain = createHash("sha256").update(`\0${leaf}`).digest();
        expect(leafHash(leaf)).toEqual(plain);
      }),
      { seed: 95, numRuns: 1_000 },
    );
  });

  it("stays below 1 KiB with all members at their maximum length", () => {
    const longest = {
      ...facts,
      seq: Number.MAX_SAFE_INTEGER,
      action: "a".repeat(64),
      resource: `detector_backend/${"k".repeat(64)}`,
      requestId: "r".repeat(128),
    };
    const big = newOpening({ text: "x".repeat(60_000) });
    expect(Buffer.byteLength(leafText(longest, { actor: big, address: big, before: big, after: big }))).toBeLessThan(
      1_024,
    );
  });
});

describe("openings", () => {
  it("open their leaf, and a wrong salt or value is named", () => {
    const field = fc.constantFrom(...committedFields);
    fc.assert(
      fc.property(openings, field, fc.nat(127), fc.jsonValue(), (some, changed, bit, other) => {
        const leaf = leafText(facts, some);
        expect(wrongOpenings(leaf, some)).toEqual([]);
        const salt = Buffer.from(some[changed].salt);
        salt.writeUInt8(salt.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
        expect(wrongOpenings(leaf, { ...some, [changed]: { ...some[changed], salt } })).toEqual([changed]);
        const { value } = newOpening(other as JsonValue);
        const wrong = wrongOpenings(leaf, { ...some, [changed]: { ...some[changed], value } });
        expect(wrong).toEqual(value === some[changed].value ? [] : [changed]);
      }),
      { seed: 96, numRuns: 1_000 },
    );
  });

  it("of one field do not open another", () => {
    const same = newOpening("x");
    const some = { actor: same, address: same, before: same, after: newOpening("x") };
    const { before, ...rest } = some;
    expect(commitmentOf("before", before)).not.toBe(commitmentOf("actor", rest.actor));
    expect(wrongOpenings(leafText(facts, some), { ...some, before: some.after })).toEqual(["before"]);
  });

  it("that were erased are not reported as wrong", () => {
    const some = { actor: newOpening("a"), address: newOpening(""), before: newOpening(null), after: newOpening({}) };
    const { actor: _, ...rest } = some;
    expect(wrongOpenings(leafText(facts, some), rest)).toEqual([]);
  });

  it("keep a value in full up to the limit, and its digest above it", () => {
    const fits = { text: "x".repeat(maxOpeningBytes - '{"text":""}'.length) };
    expect(openable(fits)).toBe(fits);
    const { text: fitting } = fits;
    const large = { text: `${fitting}x` };
    expect(openable(large)).toBe(digestOf(Buffer.from(JSON.stringify(large))));
    expect(openable(null)).toBeNull();
  });
});
