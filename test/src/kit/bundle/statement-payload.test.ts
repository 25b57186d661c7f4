import type { JsonObject } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import {
  contentDigest,
  PayloadError,
  partEntry,
  readActivation,
  readManifest,
} from "../../../../src/kit/bundle/statement-payload.ts";

const digest = `sha256:${"0".repeat(64)}`;
const part = partEntry("policies/a.json", Buffer.from("{}"));
const manifest = {
  org_id: "o",
  project_id: "p",
  environment: "prod",
  version: 1,
  created_at: "2026-11-20T10:00:00.123Z",
  source: "publish",
  content_digest: digest,
  parts: [part],
  min_runtime: "1.0.0",
  tests: { passed: 2, failed: 0 },
};
const activation = {
  org_id: "o",
  project_id: "p",
  environment: "prod",
  activation_seq: 1,
  version: 1,
  digest,
  issued_at: "2026-11-20T10:00:00Z",
  not_before: "2026-11-20T10:00:00Z",
  expires_at: "2026-11-27T10:00:00Z",
  capture: "redacted",
};

describe("payloads of statements", () => {
  it("are read as they were written", () => {
    expect(readManifest(manifest)).toEqual(manifest);
    expect(readActivation(activation)).toEqual(activation);
  });

  it("may have members that a later version adds", () => {
    expect(readActivation({ ...activation, region: "eu" })).toEqual(activation);
  });

  it.each<[string, JsonObject]>([
    ["version 0", { version: 0 }],
    ["a broken version", { version: 1.5 }],
    ["a version as text", { version: "1" }],
    ["an empty organization", { org_id: "" }],
    ["a digest of another kind", { content_digest: "sha512:00" }],
    ["a digest in capitals", { content_digest: `sha256:${"A".repeat(64)}` }],
    ["parts that are no list", { parts: {} }],
    ["a part without a path", { parts: [{ size: 1, digest }] }],
    ["a part of negative size", { parts: [{ path: "a", size: -1, digest }] }],
    ["no tests", { tests: null }],
    ["a local time", { created_at: "2026-11-20T10:00:00" }],
    ["a time with an offset", { created_at: "2026-11-20T10:00:00+01:00" }],
    ["a day that does not exist", { created_at: "2026-13-20T10:00:00Z" }],
  ])("of manifests are refused with %s", (_, change) => {
    expect(() => readManifest({ ...manifest, ...change })).toThrow(PayloadError);
  });

  it.each(Object.keys(activation))("of activations are refused without %s", (key) => {
    expect(() =>
      readActivation(Object.fromEntries(Object.entries(activation).filter(([name]) => name !== key))),
    ).toThrow(`activation.${key} must be`);
  });

  it.each<[string, JsonObject]>([
    ["an unknown capture", { capture: "all" }],
    ["sequence number 0", { activation_seq: 0 }],
    ["a sequence number beyond exact integers", { activation_seq: 2 ** 53 }],
  ])("of activations are refused with %s", (_, change) => {
    expect(() => readActivation({ ...activation, ...change })).toThrow(PayloadError);
  });

  it.each([[null], [[]], ["text"], [1]])("are refused when they are %j", (payload) => {
    expect(() => readManifest(payload)).toThrow("manifest must be an object");
  });
});

describe("the content digest", () => {
  const other = partEntry("policies/b.json", Buffer.from("[]"));

  it("is the same for the same parts in any order", () => {
    expect(contentDigest([part, other])).toBe(contentDigest([other, part]));
  });

  it("differs when a byte or a path differs, or a part is missing", () => {
    const all = [
      contentDigest([part, other]),
      contentDigest([part]),
      contentDigest([{ ...part, path: "policies/c.json" }, other]),
      contentDigest([partEntry("policies/a.json", Buffer.from("[]")), other]),
      contentDigest([]),
    ];
    expect(new Set(all).size).toBe(all.length);
  });
});
