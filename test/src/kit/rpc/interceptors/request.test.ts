import { create } from "@bufbuild/protobuf";
import { type CallOptions, Code, type ConnectRouter, createClient } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { HttpBodySchema } from "../../../../../gen/google/api/httpbody_pb.ts";
import { ProjectService } from "../../../../../gen/policyguard/control/v1/project_service_pb.ts";
import { TraceService } from "../../../../../gen/policyguard/control/v1/trace_service_pb.ts";
import { notFound } from "../../../../../src/kit/fault/fault.ts";
import { outgoingTraceparent } from "../../../../../src/kit/observability/tracing.ts";
import { loggerKey, requestIdKey } from "../../../../../src/kit/rpc/context.ts";
import { as, collect, failureOf, orgId, projectId, serve } from "./call.ts";

const traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

function routes(router: ConnectRouter): void {
  router.service(ProjectService, {
    listProjects: (_, context) => {
      context.values.get(loggerKey)?.info(`in ${context.values.get(requestIdKey)}`);
      return { total: outgoingTraceparent()?.endsWith("-01") ? 1 : 0 };
    },
    getProject: () => {
      throw notFound("project");
    },
  });
  router.service(TraceService, {
    async *exportTraces({ agentId }) {
      yield create(HttpBodySchema, { contentType: "text/csv" });
      if (agentId === "lost") throw notFound("agent");
      yield create(HttpBodySchema);
    },
  });
}

async function list(fixture: ReturnType<typeof serve>, headers: Record<string, string>) {
  const seen = { id: "" };
  const onHeader: CallOptions["onHeader"] = (header) => {
    seen.id = header.get("X-Request-Id") ?? "";
  };
  const options = { ...as("owner", headers), onHeader };
  const answer = await createClient(ProjectService, fixture.transport).listProjects({ orgId }, options);
  return { ...seen, answer };
}

test("a well-formed X-Request-Id is adopted and sent back", async () => {
  const fixture = serve(routes);
  expect((await list(fixture, { "X-Request-Id": "Order-7.b_9" })).id).toBe("Order-7.b_9");
  expect(fixture.lines[0]).toMatchObject({ msg: "in Order-7.b_9", request_id: "Order-7.b_9" });
});

test.each(["", "a b", "é", "x".repeat(129), "<script>", "a,b"])(
  "the X-Request-Id %j is replaced by a UUID",
  async (given) => {
    const { id } = await list(serve(routes), {
      "X-Request-Id": encodeURI(given) === given ? given : given.replace("é", "%"),
    });
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f-]{27}$/);
  },
);

test("a failure carries the request id, of an answer and of a stream", async () => {
  const { transport } = serve(routes);
  const header = { "X-Request-Id": "r-1" };
  const project = createClient(ProjectService, transport).getProject({ orgId, projectId }, as("owner", header));
  expect((await failureOf(project)).error.metadata.get("X-Request-Id")).toBe("r-1");
  const rows = createClient(TraceService, transport).exportTraces({ orgId, agentId: "lost" }, as("owner", header));
  expect((await failureOf(collect(rows))).error.metadata.get("X-Request-Id")).toBe("r-1");
});

test("each call is one access line with duration, code, reason, organization and caller", async () => {
  const fixture = serve(routes, { connection: { address: "203.0.113.9" } });
  await failureOf(createClient(ProjectService, fixture.transport).getProject({ orgId, projectId }, as("viewer")));
  expect(fixture.lines).toHaveLength(1);
  expect(fixture.lines[0]).toMatchObject({
    level: "info",
    msg: "call",
    service: "policyguard.control.v1.ProjectService",
    method: "GetProject",
    code: "not_found",
    reason: "REASON_NOT_FOUND",
    org_id: orgId,
    caller: "viewer@example.com",
    address: "203.0.113.9",
    duration_ms: expect.any(Number),
  });
});

test("log lines carry the trace id of the traceparent, and the call continues that trace", async () => {
  const fixture = serve(routes);
  const { answer } = await list(fixture, { traceparent });
  expect(answer.total).toBe(1);
  for (const line of fixture.lines) expect(line.trace_id).toBe("4bf92f3577b34da6a3ce929d0e0e4736");
  expect(fixture.lines).toHaveLength(2);
});

test("calls are counted by method and code, a stream once at its end", async () => {
  const { transport, metrics, lines } = serve(routes);
  const traces = createClient(TraceService, transport);
  await failureOf(createClient(ProjectService, transport).getProject({ orgId, projectId }, as("owner")));
  await collect(traces.exportTraces({ orgId }, as("owner")));
  await failureOf(collect(traces.exportTraces({ orgId, agentId: "lost" }, as("owner"))));
  const text = await metrics.registry.metrics();
  const count = (method: string, code: string) =>
    new RegExp(`rpc_requests_total\\{service="[^"]+",method="${method}",code="${code}"\\} 1\\n`);
  expect(text).toMatch(count("GetProject", "not_found"));
  expect(text).toMatch(count("ExportTraces", "ok"));
  expect(text).toMatch(count("ExportTraces", "not_found"));
  expect(lines).toHaveLength(3);
});

test("a stream that its reader abandons is counted as canceled", async () => {
  const { transport, lines } = serve(routes);
  const abort = new AbortController();
  const rows = createClient(TraceService, transport).exportTraces({ orgId }, { ...as("owner"), signal: abort.signal });
  const read = async () => {
    for await (const _ of rows) abort.abort();
  };
  expect((await failureOf(read())).error.code).toBe(Code.Canceled);
  await expect.poll(() => lines.map((line) => line.code)).toEqual(["canceled"]);
});
