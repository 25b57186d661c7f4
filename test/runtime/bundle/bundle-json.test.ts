import { create, fromJsonString, toBinary, toJsonString } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { BundleSchema } from "../../../gen/policyguard/bundle/v1/bundle_pb.ts";
import { bundleJson } from "../../../runtime/bundle/bundle-json.ts";
import { signedBundle } from "./signed-bundle.ts";

describe("the JSON of a bundle in chunks", () => {
  it("gives the same bytes as in one chunk for every size of parts", async () => {
    // Around the size of a chunk, where base64 could get padding in the middle.
    for (const size of [0, 1, 2, 3, 196_607, 196_608, 196_609, 400_000]) {
      const bundle = await signedBundle({ files: { "policies/a.json": "x".repeat(size), "lists/b.json": "é\u0000" } });
      const json = [...bundleJson(bundle)].join("");
      expect(JSON.parse(json)).toEqual(JSON.parse(toJsonString(BundleSchema, bundle, { alwaysEmitImplicit: true })));
      expect(toBinary(BundleSchema, fromJsonString(BundleSchema, json))).toEqual(toBinary(BundleSchema, bundle));
    }
  });

  it("comes in chunks of less than a megabyte", async () => {
    const bundle = await signedBundle({ files: { "policies/a.json": "x".repeat(5_000_000) } });
    expect(Math.max(...[...bundleJson(bundle)].map(({ length }) => length))).toBeLessThan(2 ** 20);
  });

  it("may have no content at all", () => {
    expect(JSON.parse([...bundleJson(create(BundleSchema))].join(""))).toEqual({ parts: [] });
  });
});
