// Compression of answers: what callers accept, and what it does to entity tags.

import { brotliCompressSync, brotliDecompressSync, constants, gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { chooseCoding, compressed, minCompressedBytes, rpcCompressions } from "../../../gateway/http/compression.ts";

const body = JSON.stringify({ text: "policy ".repeat(minCompressedBytes / 4) });
const answer = { status: 200, headers: { etag: '"sha256-ab-7"' }, body };

describe("the coding of an answer", () => {
  it.each([
    [undefined, undefined],
    ["", undefined],
    ["identity", undefined],
    ["gzip", "gzip"],
    ["br", "br"],
    ["gzip, deflate, br", "br"],
    ["br;q=0.5, gzip", "gzip"],
    ["GZIP;Q=0.1", "gzip"],
    ["gzip;q=0", undefined],
    ["*", "br"],
    ["*;q=0.2, br;q=0", "gzip"],
    ["gzip;q=nonsense", undefined],
  ])("to Accept-Encoding %j is %j", (header, coding) => expect(chooseCoding(header)).toBe(coding));
});

describe("an answer of Connect or gRPC", () => {
  it("is compressed by the same brotli as others, not by the slow one, and opened by theirs", async () => {
    const bytes = new TextEncoder().encode(body);
    expect(rpcCompressions.map(({ name }) => name)).toEqual(["gzip", "br"]);
    for (const { compress, decompress } of rpcCompressions)
      expect(Buffer.from(await decompress(await compress(bytes), bytes.length)).toString()).toBe(body);
    const fast = brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } });
    expect(Buffer.from(await rpcCompressions[1].compress(bytes))).toEqual(fast);
  });
});

describe("a compressed answer", () => {
  it.each([
    ["gzip", gunzipSync],
    ["br", brotliDecompressSync],
  ] as const)("by %s has the same bytes and the same tag", async (coding, open) => {
    const { headers, body: bytes } = await compressed(answer, coding);
    expect(headers).toEqual({ etag: '"sha256-ab-7"', vary: "accept-encoding", "content-encoding": coding });
    if (!(bytes instanceof Uint8Array)) throw new Error("expected bytes");
    expect(bytes.byteLength).toBeLessThan(body.length / 10);
    expect(open(bytes).toString()).toBe(body);
  });

  it("is not made for a caller that accepts no coding, and caches are told so", async () => {
    const { headers, body: bytes } = await compressed(answer, "identity");
    expect(headers).toEqual({ etag: '"sha256-ab-7"', vary: "accept-encoding" });
    expect(String(bytes)).toBe(body);
  });

  it("is not made of a small body, or of none", async () => {
    const small = { ...answer, body: "{}" };
    expect(await compressed(small, "gzip")).toBe(small);
    const none = { ...answer, body: undefined };
    expect(await compressed(none, "gzip")).toBe(none);
  });
});
