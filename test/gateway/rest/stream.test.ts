import { get, type IncomingMessage } from "node:http";
import { create } from "@bufbuild/protobuf";
import type { HandlerContext } from "@connectrpc/connect";
import { describe, expect, test } from "vitest";
import { type HttpBody, HttpBodySchema } from "../../../gen/google/api/httpbody_pb.ts";
import { Reason } from "../../../gen/policyguard/common/v1/reason_pb.ts";
import { TraceService } from "../../../gen/policyguard/control/v1/trace_service_pb.ts";
import { Fault, toConnectError } from "../../../src/kit/fault/fault.ts";
import { startServer } from "../server.ts";

const path = "/v1/orgs/o1/traces/export";

function csv(text: string): HttpBody {
  return create(HttpBodySchema, { contentType: "text/csv; charset=utf-8", data: Buffer.from(text) });
}

type Export = (context: HandlerContext) => AsyncGenerator<HttpBody>;

function startExport(rows: Export, http2 = false) {
  return startServer({
    http2,
    routes: (router) => router.service(TraceService, { exportTraces: (_, context) => rows(context) }),
  });
}

describe("a stream of HttpBody", () => {
  test("is one download with the handler's headers", async () => {
    await using server = await startExport(async function* ({ responseHeader }) {
      responseHeader.set("Content-Disposition", 'attachment; filename="traces.csv"');
      yield csv("id,outcome\n");
      yield csv("1,BLOCK\n");
    });
    const response = await fetch(server.url + path);
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("text/csv; charset=utf-8");
    expect(response.headers.get("content-disposition")).toBe('attachment; filename="traces.csv"');
    expect(response.headers.get("x-request-id")).not.toBeNull();
    expect(await response.text()).toBe("id,outcome\n1,BLOCK\n");
  });

  test("without any chunk is an empty download", async () => {
    await using server = await startExport(async function* () {});
    const response = await fetch(server.url + path);
    expect([response.status, await response.text()]).toEqual([200, ""]);
  });

  test("that fails at its start has the failure's status", async () => {
    // biome-ignore lint/correctness/useYield: it fails first
    await using server = await startExport(async function* () {
      throw toConnectError(new Fault(Reason.NOT_FOUND, "no such organization"));
    });
    const response = await fetch(server.url + path);
    expect([response.status, await response.json()]).toEqual([
      404,
      { detail: { error: "not_found", message: "no such organization" } },
    ]);
  });

  test.each([false, true])(
    "that fails later is broken off, so that it cannot look complete (HTTP/2: %s)",
    async (http2) => {
      await using server = await startExport(async function* () {
        yield csv("1\n");
        throw new Error("disk on fire");
      }, http2);
      if (http2) {
        const { connect } = await import("node:http2");
        const session = connect(server.url);
        const stream = session.request({ ":path": path });
        await expect(stream.resume().toArray()).rejects.toThrow(/INTERNAL_ERROR|aborted/);
        session.destroy();
      } else {
        await expect(fetch(server.url + path).then((response) => response.text())).rejects.toThrow();
      }
      expect(server.logged.join()).toContain("an answer broke off");
    },
  );

  test("is produced no faster than the caller reads, and ends when the caller leaves", async () => {
    const chunk = csv("x".repeat(256 * 1024));
    let produced = 0;
    const ended = Promise.withResolvers<void>();
    await using server = await startExport(async function* () {
      try {
        for (; produced < 4_000; produced++) yield chunk;
      } finally {
        ended.resolve();
      }
    });
    const response = await new Promise<IncomingMessage>((resolve) => get(server.url + path, resolve));
    response.pause();
    await settled(() => produced);
    expect(produced).toBeGreaterThan(0);
    expect(produced).toBeLessThan(400); // what socket buffers hold, and not the gigabyte that is there
    response.destroy();
    await ended.promise;
  });
});

/** Waits until the number has stopped growing. */
async function settled(read: () => number): Promise<void> {
  let last = -1;
  while (read() !== last) {
    last = read();
    await new Promise((resolve) => setTimeout(resolve, 150));
  }
}
