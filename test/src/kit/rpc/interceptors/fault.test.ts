import { setTimeout as sleep } from "node:timers/promises";
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { Code, ConnectError, createClient, type HandlerContext } from "@connectrpc/connect";
import { describe, expect, test } from "vitest";
import { HttpBodySchema } from "../../../../../gen/google/api/httpbody_pb.ts";
import { Reason } from "../../../../../gen/policyguard/common/v1/reason_pb.ts";
import {
  type ListProjectsResponseSchema,
  ProjectService,
} from "../../../../../gen/policyguard/control/v1/project_service_pb.ts";
import { TraceService } from "../../../../../gen/policyguard/control/v1/trace_service_pb.ts";
import { Fault } from "../../../../../src/kit/fault/fault.ts";
import { as, collect, type FixtureOptions, failureOf, orgId, serve } from "./call.ts";

type Handler = (context: HandlerContext) => MessageInitShape<typeof ListProjectsResponseSchema> | Promise<never>;

function projects(listProjects: Handler, options: FixtureOptions = {}) {
  const fixture = serve((router) => {
    router.service(ProjectService, { listProjects: async (_, context) => listProjects(context) });
  }, options);
  return { ...fixture, client: createClient(ProjectService, fixture.transport) };
}

function exports(handler: (context: HandlerContext) => void) {
  const fixture = serve((router) => {
    router.service(TraceService, {
      async *exportTraces(_, context) {
        yield create(HttpBodySchema);
        handler(context);
      },
    });
  });
  const rows = createClient(TraceService, fixture.transport).exportTraces(
    { orgId },
    as("owner", { "X-Request-Id": "r-9" }),
  );
  return { ...fixture, rows };
}

function fail(error: unknown): Handler {
  return () => {
    throw error;
  };
}

const refused = Object.assign(new Error("connect ECONNREFUSED 10.1.2.3:5432 user=app"), { code: "ECONNREFUSED" });

describe("faults", () => {
  test("reach the caller with reason, message, extra keys and headers, and without cause or context", async () => {
    const fault = new Fault(Reason.RATE_LIMITED, "too many", {
      extra: { retry_after: 3 },
      headers: { "Retry-After": "3" },
      cause: refused,
      context: { sql: "select" },
    });
    const { client } = projects(fail(fault));
    const told = await failureOf(client.listProjects({ orgId }, as("owner")));
    expect(told).toMatchObject({ code: "ResourceExhausted", reason: "RATE_LIMITED", message: "too many" });
    expect(told.extra).toEqual({ retry_after: 3 });
    expect(told.error.metadata.get("Retry-After")).toBe("3");
    expect(JSON.stringify([told.extra, told.message, [...told.error.metadata]])).not.toMatch(/ECONN|select/);
  });

  test("in the middle of a stream reach the caller too", async () => {
    const { rows } = exports(() => {
      throw new Fault(Reason.OVERLOADED, "later");
    });
    expect(await failureOf(collect(rows))).toMatchObject({ reason: "OVERLOADED", message: "later" });
  });

  test("of status 500 and above are logged with their cause, others are not", async () => {
    const away = projects(fail(new Fault(Reason.UNAVAILABLE, "database away", { cause: refused })));
    await failureOf(away.client.listProjects({ orgId }, as("owner")));
    expect(away.lines).toHaveLength(2);
    expect(away.lines[0]).toMatchObject({
      level: "warn",
      err: { message: "database away", cause: { code: "ECONNREFUSED" } },
    });
    const missing = projects(fail(new Fault(Reason.NOT_FOUND, "no")));
    await failureOf(missing.client.listProjects({ orgId }, as("owner")));
    expect(missing.lines).toHaveLength(1);
  });
});

describe("unforeseen errors", () => {
  test.each([
    ["an error", refused],
    ["a text", "10.1.2.3"],
    ["undefined", undefined],
    ["a ConnectError without meaning here", new ConnectError("10.1.2.3", Code.Internal)],
  ])("%s becomes an internal error that tells only the request id", async (_, error) => {
    const { client, lines } = projects(fail(error));
    const told = await failureOf(client.listProjects({ orgId }, as("owner", { "X-Request-Id": "r-9" })));
    expect(told).toMatchObject({ code: "Internal", reason: "INTERNAL", message: "internal error, request id r-9" });
    expect(told.extra).toEqual({});
    expect(lines[0]).toMatchObject({ level: "error", request_id: "r-9", msg: "internal error" });
    expect(JSON.stringify(lines[0]?.err)).toContain(error === undefined ? "undefined" : "10.1.2.3");
  });

  test("in the middle of a stream reveal as little", async () => {
    const { rows, lines } = exports(() => {
      throw refused;
    });
    const told = await failureOf(collect(rows));
    expect(told).toMatchObject({ reason: "INTERNAL", message: "internal error, request id r-9" });
    expect(lines[0]).toMatchObject({ level: "error", err: { code: "ECONNREFUSED" } });
  });

  test("an error that another server sent is ours, not the caller's", async () => {
    const upstream = projects(fail(new Fault(Reason.MALFORMED_REQUEST, "upstream's words")));
    const { client } = projects(async () => {
      await upstream.client.listProjects({ orgId }, as("owner"));
      throw new Error("unreachable");
    });
    const told = await failureOf(client.listProjects({ orgId }, as("owner")));
    expect(told.reason).toBe("INTERNAL");
    expect(told.message).not.toContain("upstream");
  });
});

describe("errors that Connect raises itself", () => {
  test.each([
    [new ConnectError("message size 9 is larger than configured readMaxBytes 8", Code.ResourceExhausted), "TOO_LARGE"],
    [new ConnectError("protocol error: incomplete envelope", Code.InvalidArgument), "MALFORMED_REQUEST"],
    [new ConnectError("parse binary: invalid wire type", Code.Internal), "MALFORMED_REQUEST"],
    [new ConnectError("protocol error: missing input message", Code.Unimplemented), "MALFORMED_REQUEST"],
    [new ConnectError("x is not implemented", Code.Unimplemented), "UNKNOWN_PATH"],
    [new ConnectError("the operation timed out", Code.DeadlineExceeded), "DEADLINE_EXCEEDED"],
    [new ConnectError("going away", Code.Unavailable), "OVERLOADED"],
  ])("%s is told as %s", async (error, reason) => {
    const { client } = projects(fail(error));
    expect((await failureOf(client.listProjects({ orgId }, as("owner")))).reason).toBe(reason);
  });

  test("a method that a service leaves out is an unknown path", async () => {
    const { transport } = serve((router) => void router.service(ProjectService, {}));
    const told = await failureOf(createClient(ProjectService, transport).listProjects({ orgId }, as("owner")));
    expect(told).toMatchObject({ code: "Unimplemented", reason: "UNKNOWN_PATH" });
  });

  test("an AbortError after shutdown is reported as overloaded, with Retry-After", async () => {
    const shutdown = new AbortController();
    const { client } = projects(async ({ signal }) => sleep(5_000, undefined as never, { signal }), {
      shutdownSignal: shutdown.signal,
    });
    const call = failureOf(client.listProjects({ orgId }, as("owner")));
    await sleep(20);
    shutdown.abort(new ConnectError("shutting down", Code.Unavailable));
    const told = await call;
    expect(told).toMatchObject({ code: "Unavailable", reason: "OVERLOADED", extra: { retry_after: 1 } });
    expect(told.error.metadata.get("Retry-After")).toBe("1");
  });

  test("a caller who goes away causes no error line", async () => {
    const { client, lines } = projects(async ({ signal }) => sleep(5_000, undefined as never, { signal }));
    const abort = new AbortController();
    const call = failureOf(client.listProjects({ orgId }, { ...as("owner"), signal: abort.signal }));
    await sleep(20);
    abort.abort();
    expect((await call).code).toBe("Canceled");
    await expect.poll(() => lines).toMatchObject([{ level: "info", msg: "call", code: "canceled" }]);
  });
});

describe("deadlines", () => {
  test("a handler that ignores its signal is abandoned at the time limit", async () => {
    const { client } = projects(() => new Promise(() => undefined), { maxTimeoutMs: 50 });
    const told = await failureOf(client.listProjects({ orgId }, as("owner")));
    expect(told).toMatchObject({ code: "DeadlineExceeded", reason: "DEADLINE_EXCEEDED" });
  });

  test("a handler that listens to its signal is told", async () => {
    const reason = Promise.withResolvers<unknown>();
    const handler: Handler = ({ signal }) => {
      signal.addEventListener("abort", () => reason.resolve(signal.reason));
      return new Promise(() => undefined);
    };
    const { client } = projects(handler, { maxTimeoutMs: 50 });
    await failureOf(client.listProjects({ orgId }, as("owner")));
    expect(await reason.promise).toMatchObject({ code: Code.DeadlineExceeded });
  });

  test("a shorter time limit of the caller applies on the server too", async () => {
    const { client, lines } = projects(() => new Promise(() => undefined));
    expect((await failureOf(client.listProjects({ orgId }, { ...as("owner"), timeoutMs: 50 }))).code).toBe(
      "DeadlineExceeded",
    );
    await expect.poll(() => lines).toMatchObject([{ level: "warn" }, { code: "deadline_exceeded" }]);
  });

  test("shutdown alone ends no call whose handler continues", async () => {
    const shutdown = new AbortController();
    const { client } = projects(async () => (await sleep(60, { total: 7 })) as never, {
      shutdownSignal: shutdown.signal,
    });
    const call = client.listProjects({ orgId }, as("owner"));
    await sleep(20);
    shutdown.abort(new ConnectError("shutting down", Code.Unavailable));
    expect((await call).total).toBe(7);
  });

  test("a stream may take longer than the limit of single answers", async () => {
    const fixture = serve(
      (router) =>
        void router.service(TraceService, {
          async *exportTraces() {
            yield create(HttpBodySchema);
            await sleep(80);
            yield create(HttpBodySchema);
          },
        }),
      { maxTimeoutMs: 20 },
    );
    const rows = createClient(TraceService, fixture.transport).exportTraces({ orgId }, as("owner"));
    expect(await collect(rows)).toHaveLength(2);
  });
});
