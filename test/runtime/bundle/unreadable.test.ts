// What the client library says of answers that it cannot read, by a server that sends such.

import { createServer, type OutgoingHttpHeaders, type ServerHttp2Session } from "node:http2";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { create, toBinary } from "@bufbuild/protobuf";
import { createClient } from "@connectrpc/connect";
import { compressionGzip, createConnectTransport } from "@connectrpc/connect-node";
import { describe, expect, it, onTestFinished } from "vitest";
import { BundleService, GetLatestBundleResponseSchema } from "../../../gen/policyguard/control/v1/bundle_service_pb.ts";
import { unreadable } from "../../../runtime/bundle/unreadable.ts";

const answer = toBinary(
  GetLatestBundleResponseSchema,
  create(GetLatestBundleResponseSchema, { activation: "a".repeat(500) }),
);
const zipped = gzipSync(answer);
const proto = { ":status": 200, "content-type": "application/proto" };
const gzip = { ...proto, "content-encoding": "gzip" };
const json = { "content-type": "application/json" };

/** Serves one answer to everything. "reset" breaks the connection. */
async function serve(headers: OutgoingHttpHeaders, body: Uint8Array | "reset"): Promise<string> {
  const server = createServer();
  const sessions = new Set<ServerHttp2Session>();
  server.on("session", (session) => sessions.add(session));
  server.on("stream", (stream) => {
    stream.on("error", () => undefined);
    stream.respond(headers);
    if (body === "reset") stream.session?.destroy();
    else stream.end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    for (const session of sessions) session.destroy();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // listens on TCP
}

async function reasonOf(headers: OutgoingHttpHeaders, body: Uint8Array | "reset"): Promise<string | undefined> {
  const transport = createConnectTransport({
    ...{ baseUrl: await serve(headers, body), httpVersion: "2", useBinaryFormat: true },
    ...{ acceptCompression: [compressionGzip], readMaxBytes: 1000 },
  });
  const client = createClient(BundleService, transport);
  const error: unknown = await client.getLatestBundle({}).then(
    () => "read",
    (cause: unknown) => cause,
  );
  return error === "read" ? error : unreadable(error)?.reason;
}

describe("an answer", () => {
  it.each([
    ["as it should be", proto, answer],
    ["as it should be, compressed", gzip, zipped],
  ])("%s is read", async (_, headers, body) => {
    expect(await reasonOf(headers, body)).toBe("read");
  });

  it.each([
    ["whose gzip is cut in the middle", gzip, zipped.subarray(0, zipped.length / 2)],
    ["whose gzip lacks its last byte", gzip, zipped.subarray(0, -1)],
    [
      "whose gzip is damaged",
      gzip,
      Buffer.concat([zipped.subarray(0, 12), Buffer.from([255, 255]), zipped.subarray(14)]),
    ],
    ["that says gzip and is none", gzip, answer],
    ["that is cut in the middle", proto, answer.subarray(0, 300)],
    ["in an encoding that was not asked for", { ...proto, "content-encoding": "zstd" }, zipped],
    ["of a page instead", { ":status": 200, "content-type": "text/html" }, Buffer.from("<html>")],
  ])("%s is malformed", async (_, headers, body) => {
    expect(await reasonOf(headers, body)).toBe("malformed");
  });

  it.each([
    ["is", proto, Buffer.alloc(1001)],
    ["becomes, once decompressed,", gzip, gzipSync(Buffer.alloc(100_000))],
  ])("that %s larger than any bundle is too large", async (_, headers, body) => {
    expect(await reasonOf(headers, body)).toBe("too_large");
  });

  it.each([
    ["was not found", { ":status": 404, ...json }, Buffer.from('{"code":"not_found","message":"no bundle"}')],
    [
      "is an error that speaks of sizes",
      { ":status": 429, ...json },
      Buffer.from('{"code":"resource_exhausted","message":"message size is larger than configured readMaxBytes 1"}'),
    ],
    ["comes from a gateway", { ":status": 503, "content-type": "text/html" }, Buffer.from("<html>")],
    ["breaks the connection", proto, "reset" as const],
  ])("that %s says nothing about a bundle", async (_, headers, body) => {
    expect(await reasonOf(headers, body)).toBeUndefined();
  });
});
