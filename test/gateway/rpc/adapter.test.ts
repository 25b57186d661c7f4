import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { create } from "@bufbuild/protobuf";
import { expect, test, vi } from "vitest";
import { serve } from "../../../gateway/serve.ts";
import { HttpBodySchema } from "../../../gen/google/api/httpbody_pb.ts";
import { TraceService } from "../../../gen/policyguard/control/v1/trace_service_pb.ts";
import { createLog } from "../../../src/kit/observability/log.ts";

/** An empty message in the envelope of Connect's streams: no flags, no length. */
const emptyMessage = Buffer.alloc(5);

test("an answer that its caller does not wait for is a line of the log, and nothing on the console", async () => {
  const lines: string[] = [];
  const log = createLog({ name: "test", level: "debug", destination: { write: (line) => void lines.push(line) } });
  const data = Buffer.alloc(1024 * 1024);
  const server = await serve({
    services: [TraceService],
    routes: (router) =>
      router.service(TraceService, {
        async *exportTraces() {
          for (;;) yield create(HttpBodySchema, { contentType: "text/csv", data });
        },
      }),
    interceptors: [],
    ...{
      port: 0,
      host: "127.0.0.1",
      trustedHops: 0,
      limits: { maxBodyBytes: 1024, timeoutMs: 10_000, streamTimeoutMs: 10_000 },
    },
    log,
  });
  const console = vi.spyOn(globalThis.console, "error").mockImplementation(() => undefined);
  try {
    const call = request({
      ...{ host: "127.0.0.1", port: server.port, method: "POST" },
      path: "/policyguard.control.v1.TraceService/ExportTraces",
      headers: { "content-type": "application/connect+proto", "connect-protocol-version": "1" },
    });
    call.end(emptyMessage);
    const answer = await new Promise<IncomingMessage>((resolve) => call.once("response", resolve));
    await once(answer, "readable");
    call.destroy();
    await vi.waitFor(() => expect(lines.join("")).toContain("an answer could not be written"), { timeout: 30_000 });
    expect(console).not.toHaveBeenCalled();
  } finally {
    console.mockRestore();
    await server.close({ graceMs: 0 });
  }
});
