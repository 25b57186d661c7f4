import { randomBytes } from "node:crypto";
import { create, equals, fromBinary, toBinary, toJson } from "@bufbuild/protobuf";
import { ValueSchema } from "@bufbuild/protobuf/wkt";
import { createClient, type Transport } from "@connectrpc/connect";
import { createConnectTransport, createGrpcTransport, createGrpcWebTransport } from "@connectrpc/connect-node";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { messageEncoder } from "../../../gateway/json/encode.ts";
import {
  binaryChunks,
  isLarge,
  jsonChunks,
  largeBytes,
  protobufJson,
  restJson,
} from "../../../gateway/large/message.ts";
import type { Steps } from "../../../gateway/large/slices.ts";
import { type Server, serve } from "../../../gateway/serve.ts";
import { BundleService, GetLatestBundleResponseSchema } from "../../../gen/policyguard/control/v1/bundle_service_pb.ts";
import {
  DiffPolicyVersionsResponseSchema,
  ListPolicyVersionsResponseSchema,
  PolicyService,
} from "../../../gen/policyguard/control/v1/policy_service_pb.ts";
import { createLog } from "../../../src/kit/observability/log.ts";

const statement = { payload: "p", signatures: [{ protected: "h", signature: "s" }] };

const bundle = create(GetLatestBundleResponseSchema, {
  etag: '"sha256-ab-7"',
  activation: "a.b.c",
  bundle: {
    manifest: statement,
    keys: statement,
    // Around the limits, and of every length that base64 pads differently.
    parts: [0, 1, 2, 3, largeBytes - 1, 400_000, 500_001, 500_002].map((size) => ({
      path: `policies/${size}.json`,
      data: new Uint8Array(randomBytes(size)),
    })),
  },
});

const document = { apiVersion: "policyguard/v1", rules: [{ id: "r", message: 'say "ä" 😀' }], tests: [null, 1, true] };
const versions = create(ListPolicyVersionsResponseSchema, {
  total: 3,
  limit: 50,
  versions: [
    { version: 3, document: { ...document, padding: "x".repeat(200_000) }, author: "ada" },
    { version: 2, document, source: "ä".repeat(100_000), message: "why" },
    { version: 1, document: Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`k${i}`, [i]])) },
  ],
});

const diff = create(DiffPolicyVersionsResponseSchema, {
  policyId: "p",
  reasons: ["x".repeat(100_000)],
  changes: [
    { kind: "k", before: create(ValueSchema, { kind: { case: "stringValue", value: "y".repeat(100_000) } }) },
    { kind: "l", rule: "r" },
  ],
});

/** The same as JSON of REST. */
const bundleJson = messageEncoder(GetLatestBundleResponseSchema)(bundle).bundle;

/** What the steps end with, and how many there were. */
function finish<T>(steps: Steps<T>): { readonly result: T; readonly count: number } {
  for (let count = 0; ; count++) {
    const step = steps.next();
    if (step.done === true) return { result: step.value, count };
  }
}

const parsed = (pieces: Steps<Uint8Array[]>) => JSON.parse(Buffer.concat(finish(pieces).result).toString());

describe("a large message", () => {
  it.each([
    [GetLatestBundleResponseSchema, bundle],
    [ListPolicyVersionsResponseSchema, versions],
    [DiffPolicyVersionsResponseSchema, diff],
    [GetLatestBundleResponseSchema, create(GetLatestBundleResponseSchema)],
  ])("%s says the same in steps as by the ordinary way, in each form", (desc, message) => {
    expect(parsed(jsonChunks(restJson, desc, message))).toEqual(
      JSON.parse(JSON.stringify(messageEncoder(desc)(message))),
    );
    expect(parsed(jsonChunks(protobufJson, desc, message))).toEqual(toJson(desc, message));
    const bytes = Buffer.concat(finish(binaryChunks(desc, message)).result);
    // Fields may come in any order; their bytes are as many.
    expect(bytes.byteLength).toBe(toBinary(desc, message).byteLength);
    expect(toJson(desc, fromBinary(desc, bytes))).toEqual(toJson(desc, message));
  });

  it("has a step for each of its chunks", () => {
    const parts = Array.from({ length: 10 }, () => ({ data: new Uint8Array(4 * 3 * 64 * 1024) }));
    const message = create(GetLatestBundleResponseSchema, { bundle: { parts } });
    for (const form of [restJson, protobufJson]) {
      const { result, count } = finish(jsonChunks(form, GetLatestBundleResponseSchema, message));
      expect(count).toBeGreaterThanOrEqual(40);
      expect(Math.max(...result.map(({ byteLength }) => byteLength))).toBeLessThanOrEqual(256 * 1024);
    }
  });

  it("is known by its contents, at any depth", () => {
    expect([bundle, versions, diff].map(isLarge)).toEqual([true, true, true]);
    expect(
      isLarge(create(GetLatestBundleResponseSchema, { bundle: { parts: [{ data: new Uint8Array(1_000) }] } })),
    ).toBe(false);
    expect(isLarge({ items: Array.from({ length: largeBytes / 8 }, () => 1) })).toBe(true);
  });
});

describe("a large answer", () => {
  let server: Server;
  let baseUrl: string;

  beforeAll(async () => {
    server = await serve({
      services: [BundleService, PolicyService],
      routes: (router) => {
        router.service(BundleService, { getLatestBundle: () => bundle });
        router.service(PolicyService, { listPolicyVersions: () => versions });
      },
      interceptors: [],
      ...{ port: 0, host: "127.0.0.1", trustedHops: 0, log: createLog({ name: "test", level: "silent" }) },
      limits: { maxBodyBytes: 1024, timeoutMs: 10_000, streamTimeoutMs: 10_000 },
    });
    baseUrl = `http://127.0.0.1:${server.port}`;
  });

  afterAll(() => server.close({ graceMs: 0 }));

  it.each(["identity", "gzip", "br"])("of REST arrives whole, coded as %s", async (coding) => {
    const answer = await fetch(`${baseUrl}/v1/bundles/latest`, { headers: { "accept-encoding": coding } });
    expect([answer.status, answer.headers.get("etag")]).toEqual([200, bundle.etag]);
    expect(answer.headers.get("content-encoding") ?? "identity").toBe(coding);
    const body = await answer.text();
    expect(JSON.parse(body)).toEqual(bundleJson);
    if (coding === "identity") expect(answer.headers.get("content-length")).toBe(String(Buffer.byteLength(body)));
  });

  it.each([
    [
      "Connect in JSON",
      (url: string) => createConnectTransport({ baseUrl: url, httpVersion: "1.1", useBinaryFormat: false }),
    ],
    ["Connect in binary", (url: string) => createConnectTransport({ baseUrl: url, httpVersion: "2" })],
    [
      "Connect, not compressed",
      (url: string) => createConnectTransport({ baseUrl: url, httpVersion: "1.1", acceptCompression: [] }),
    ],
    ["gRPC", (url: string) => createGrpcTransport({ baseUrl: url })],
    [
      "gRPC in JSON, not compressed",
      (url: string) => createGrpcTransport({ baseUrl: url, useBinaryFormat: false, acceptCompression: [] }),
    ],
    ["gRPC-Web", (url: string) => createGrpcWebTransport({ baseUrl: url, httpVersion: "1.1" })],
    [
      "gRPC-Web, not compressed",
      (url: string) => createGrpcWebTransport({ baseUrl: url, httpVersion: "1.1", acceptCompression: [] }),
    ],
  ] as const)("of %s arrives whole", async (_, open) => {
    const transport: Transport = open(baseUrl);
    const got = await createClient(BundleService, transport).getLatestBundle({});
    // Not by expect: it compares byte by byte, which takes seconds.
    expect(equals(GetLatestBundleResponseSchema, got, bundle)).toBe(true);
    expect(await createClient(PolicyService, transport).listPolicyVersions({ orgId: "o", policyId: "p" })).toEqual(
      versions,
    );
  });
});
