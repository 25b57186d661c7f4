import { request as httpRequest } from "node:http";
import { connect } from "node:net";
import { create } from "@bufbuild/protobuf";
import { Code, ConnectError, type ConnectRouter } from "@connectrpc/connect";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ViolationsSchema } from "../../gen/buf/validate/validate_pb.ts";
import { Reason } from "../../gen/policyguard/common/v1/reason_pb.ts";
import { BundleService } from "../../gen/policyguard/control/v1/bundle_service_pb.ts";
import { EnvironmentService } from "../../gen/policyguard/control/v1/environment_service_pb.ts";
import { PolicyService } from "../../gen/policyguard/control/v1/policy_service_pb.ts";
import { TraceService } from "../../gen/policyguard/control/v1/trace_service_pb.ts";
import { WebhookService } from "../../gen/policyguard/control/v1/webhook_service_pb.ts";
import { Fault } from "../../src/kit/error.ts";
import { type RunningServer, startServer } from "./server.ts";

/** Thrown by every handler below, when set. */
let failure: unknown;
let calls = 0;

function answer(): Record<string, never> {
  calls++;
  if (failure !== undefined) throw failure;
  return {};
}

function routes(router: ConnectRouter): void {
  router
    .service(WebhookService, {
      createWebhook: answer,
      listWebhooks: answer,
      updateWebhook: answer,
      deleteWebhook: answer,
      rotateWebhookSecret: answer,
    })
    .service(TraceService, { listTraces: answer })
    .service(BundleService, { getBundle: answer })
    .service(EnvironmentService, { reorderEnvironments: answer })
    .service(PolicyService, { createPolicy: answer });
}

let server: RunningServer;
beforeAll(async () => {
  server = await startServer({ routes, limits: { maxBodyBytes: 1024 } });
});
afterAll(() => server[Symbol.asyncDispose]());

const webhooks = "/v1/orgs/o1/webhooks";
const json = { "content-type": "application/json" };

interface Got {
  readonly status: number;
  readonly error: string;
  readonly message: string;
  readonly fields: { readonly field: string; readonly message: string }[];
  readonly headers: Headers;
}

async function get(path: string, init: RequestInit = {}): Promise<Got> {
  const response = await fetch(server.url + path, init);
  const text = await response.text();
  expect(response.headers.get("content-type"), text).toBe("application/json; charset=utf-8");
  expect(response.headers.get("x-request-id")).toMatch(/^[A-Za-z0-9._-]{1,128}$/);
  expect(text).not.toMatch(/node_modules|\.ts:|at async/);
  const { detail } = JSON.parse(text);
  return { status: response.status, headers: response.headers, fields: detail.fields ?? [], ...detail };
}

function post(body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = json): Promise<Got> {
  return get(webhooks, { method: "POST", headers, body });
}

describe("what no operation has", () => {
  test.each([
    "/",
    "/v1",
    "/v1/orgs/o1/webhook",
    "/v1/orgs/o1/webhooks/",
    "/v1/orgs//webhooks",
    "/x.y.Service/Method",
    "/docs",
  ])("%s is 404 unknown_path", async (path) => {
    expect(await get(path)).toMatchObject({ status: 404, error: "unknown_path" });
    expect(await get(path, { method: "OPTIONS" })).toMatchObject({ status: 404, error: "unknown_path" });
  });

  test("another method is 405 and Allow lists those of the path", async () => {
    const got = await get(webhooks, { method: "PUT", body: "{}" });
    expect(got).toMatchObject({ status: 405, error: "method_not_allowed" });
    expect(got.headers.get("allow")).toBe("GET, HEAD, POST, OPTIONS");
  });

  test("the request id of a refused call is the caller's own when it is well-formed", async () => {
    const own = await get("/x", { headers: { "x-request-id": "abc-1" } });
    expect(own.headers.get("x-request-id")).toBe("abc-1");
    const bad = await get("/x", { headers: { "x-request-id": "a b" } });
    expect(bad.headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
  });
});

describe("decided at once, before anybody is authenticated", () => {
  test.each([
    ["bad syntax", '{"url": }'],
    ["a cut body", '{"url": "x"'],
    ["a byte order mark", "\uFEFF{}"],
    ["two values", "{} {}"],
    ["NaN", '{"limit": NaN}'],
    ["a duplicate key", '{"url":"a","url":"b"}'],
    ["a duplicate key in arbitrary JSON, escaped", '{"x":[{"a":1,"\\u0061":2}]}'],
    ["an unpaired surrogate", '{"url":"\\ud800"}'],
    ["deep nesting", `{"x":${"[".repeat(40)}${"]".repeat(40)}}`],
  ])("%s is 400 malformed_request", async (_, body) => {
    const before = calls;
    expect(await post(body)).toMatchObject({ status: 400, error: "malformed_request" });
    expect(calls).toBe(before);
  });

  test("a syntax error names the place and not the text", async () => {
    const { message } = await post('{"url": "hunter2",}');
    expect(message).toContain("position 18");
    expect(message).not.toContain("hunter2");
  });

  test("invalid UTF-8 is 400", async () => {
    expect(await post(new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x7d]))).toMatchObject({
      status: 400,
      error: "malformed_request",
    });
  });

  test.each([
    "/v1/orgs/%zz/webhooks",
    "/v1/orgs/%ff/webhooks",
    "/v1/orgs/o1/traces?rule_id=%e0%a4",
    "/v1/orgs/o1/traces?%=1",
  ])("bad percent-encoding in %s is 400", async (path) => {
    expect(await get(path)).toMatchObject({ status: 400, error: "malformed_request" });
  });

  test.each([
    "text/plain",
    "application/x-www-form-urlencoded",
    "application/json; charset=iso-8859-1",
    "application/jsonx",
  ])("a body of type %s is 415", async (type) => {
    expect(await post("{}", { "content-type": type })).toMatchObject({ status: 415, error: "unsupported_media_type" });
  });

  test("a body without a type is 415, an encoded one too", async () => {
    expect(await post(new Uint8Array([0x7b, 0x7d]), {})).toMatchObject({ status: 415 });
    const zipped = await post("{}", { ...json, "content-encoding": "gzip" });
    expect(zipped).toMatchObject({ status: 415, error: "unsupported_media_type" });
    expect(zipped.headers.get("accept-encoding")).toBe("identity");
    expect(
      (
        await fetch(server.url + webhooks, {
          method: "POST",
          headers: { ...json, "content-encoding": "identity" },
          body: "{}",
        })
      ).status,
    ).toBe(201);
  });

  test("a body over the limit is 413, announced or not, and the connection lives on", async () => {
    const text = JSON.stringify({ url: "x".repeat(2000) });
    expect(await post(text)).toMatchObject({ status: 413, error: "too_large", limit_bytes: 1024 });
    const chunked = await new Promise<number | undefined>((resolve, reject) => {
      const request = httpRequest(server.url + webhooks, { method: "POST", headers: json }, (response) => {
        response.resume().on("end", () => resolve(response.statusCode));
      });
      request.on("error", reject);
      for (let i = 0; i < 200; i++) request.write("x".repeat(10_000));
      request.end();
    });
    expect(chunked).toBe(413);
  });
});

describe("readable, but not what the operation takes", () => {
  const url = "https://hooks.example.com/x";
  test.each([
    ["a wrong type", { url: 12, events: [] }, "url", "expected a string, got a number"],
    [
      "a number in a string",
      { url, generate_secret: "true" },
      "generate_secret",
      "expected true or false, got a string",
    ],
    ["null where a value has to be", { url: null }, "url", "expected a string, got null"],
    ["an object where a list has to be", { events: {} }, "events", "expected an array, got an object"],
    ["null where a list has to be", { events: null }, "events", "expected an array, got null"],
    [
      "an unknown enum name",
      { events: ["bundle.published", "no.such"] },
      "events[1]",
      "bundle.published, bundle.activated",
    ],
    ["a Protobuf enum name", { events: ["EVENT_NAME_BUNDLE_PUBLISHED"] }, "events[0]", "expected one of"],
    ["an enum number", { events: [1] }, "events[0]", "expected a string, got a number"],
    ["an unknown field", { nope: 1 }, "nope", "unknown field"],
    ["a camelCase name", { generateSecret: true }, "generateSecret", "did you mean generate_secret?"],
    ["__proto__ as a field", JSON.parse('{"__proto__": 1}'), "__proto__", "unknown field"],
  ])("%s is 422 with the field", async (_, body, field, message) => {
    const got = await post(JSON.stringify(body));
    expect(got).toMatchObject({ status: 422, error: "validation_failed" });
    expect(got.fields).toHaveLength(1);
    expect(got.fields[0]?.field).toBe(field);
    expect(got.fields[0]?.message).toContain(message);
  });

  test("a body that is no object is 422, and nested fields have their path", async () => {
    expect(await post("[]")).toMatchObject({
      status: 422,
      fields: [{ field: "body", message: "expected an object, got an array" }],
    });
    const nested = await get("/v1/orgs/o1/policies", {
      method: "POST",
      headers: json,
      body: '{"scope":{"appId":1,"env":2}}',
    });
    expect(nested.fields.map(({ field }) => field)).toEqual(["scope.appId", "scope.env"]);
  });

  test("every mistake is told at once, up to a bound", async () => {
    const got = await post(JSON.stringify(Object.fromEntries(Array.from({ length: 90 }, (_, i) => [`f${i}`, 1]))));
    expect(got.status).toBe(422);
    expect(got.fields).toHaveLength(32);
  });

  test.each([
    ["/v1/orgs/o1/traces?limit=abc", "limit"],
    ["/v1/orgs/o1/traces?limit=5.5", "limit"],
    ["/v1/orgs/o1/traces?limit=", "limit"],
    ["/v1/orgs/o1/traces?limit=1&limit=2", "limit"],
    ["/v1/orgs/o1/traces?limit=99999999999", "limit"],
    ["/v1/orgs/o1/traces?outcome=OUTCOME_BLOCK", "outcome"],
    ["/v1/orgs/o1/traces?since=2026-02-31T00:00:00Z", "since"],
    ["/v1/orgs/o1/traces?since=2026-11-20", "since"],
    ["/v1/orgs/o1/projects/p/envs/e/bundles/abc", "version"],
    ["/v1/orgs/o1/projects/p/envs/e/bundles/1.0", "version"],
  ])("%s is 422 that names %s", async (path, field) => {
    const got = await get(path);
    expect(got).toMatchObject({ status: 422, error: "validation_failed", fields: [{ field }] });
  });

  test("it is raised by the interceptors, so the call is made with the fields of the path", async () => {
    // The handler is never reached; that the interceptor raised it is what makes authentication come first.
    const before = calls;
    expect((await get("/v1/orgs/o1/traces?limit=abc")).status).toBe(422);
    expect(calls).toBe(before);
  });
});

describe("what handlers and the framework raise", () => {
  async function raised(error: unknown): Promise<Got> {
    failure = error;
    try {
      return await get(webhooks);
    } finally {
      failure = undefined;
    }
  }

  test("a fault has its status, code, extra keys and headers", async () => {
    const got = await raised(
      new Fault(Reason.RATE_LIMITED, "slow down", {
        extra: { retry_after: 7, error: "x" },
        headers: { "Retry-After": "7" },
      }),
    );
    expect(got).toMatchObject({ status: 429, error: "rate_limited", message: "slow down", retry_after: 7 });
    expect(got.headers.get("retry-after")).toBe("7");
  });

  test("an unknown exception is 500 and tells nothing but the request id", async () => {
    const got = await raised(new Error("password=hunter2"));
    expect(got).toMatchObject({ status: 500, error: "internal" });
    expect(got.message).not.toContain("hunter2");
    expect(got.message).toContain(got.headers.get("x-request-id"));
  });

  test("violations of protovalidate are 422 with field paths", async () => {
    const value = create(ViolationsSchema, {
      violations: [
        {
          message: "too short",
          field: {
            elements: [
              { fieldName: "events", subscript: { case: "index", value: 2n } },
              { fieldName: "labels", subscript: { case: "stringKey", value: "k" } },
            ],
          },
        },
      ],
    });
    const error = new ConnectError("bad", Code.InvalidArgument, undefined, [{ desc: ViolationsSchema, value }]);
    expect(await raised(error)).toMatchObject({
      status: 422,
      error: "validation_failed",
      fields: [{ field: 'events[2].labels["k"]', message: "too short" }],
    });
  });

  test.each([
    [Code.InvalidArgument, 400],
    [Code.Unauthenticated, 401],
    [Code.PermissionDenied, 403],
    [Code.NotFound, 404],
    [Code.Unimplemented, 404],
    [Code.AlreadyExists, 409],
    [Code.Aborted, 409],
    [Code.ResourceExhausted, 413],
    [Code.Unavailable, 503],
    [Code.Canceled, 503],
    [Code.DeadlineExceeded, 504],
    [Code.Internal, 500],
    [Code.DataLoss, 500],
    [Code.Unknown, 500],
  ])("a bare Connect error with code %i is %i, without its own text", async (code, status) => {
    const got = await raised(new ConnectError("internal words", code));
    expect(got.status).toBe(status);
    expect(got.message).not.toContain("internal words");
  });

  test("a method that the transport does not have is 404", async () => {
    expect(await get("/v1/orgs/o1/policies/p1")).toMatchObject({ status: 404, error: "unknown_path" });
  });
});

describe("time and callers who leave", () => {
  test("a call that takes too long is 504", async () => {
    await using slow = await startServer({
      limits: { timeoutMs: 50 },
      routes: (router) => router.service(WebhookService, { listWebhooks: () => new Promise(() => undefined) }),
    });
    const response = await fetch(`${slow.url}${webhooks}`);
    expect([response.status, (await response.json()).detail.error]).toEqual([504, "deadline_exceeded"]);
  });

  test("a caller who leaves aborts the call, and nothing is logged as an error", async () => {
    const started = Promise.withResolvers<void>();
    const aborted = Promise.withResolvers<void>();
    await using slow = await startServer({
      routes: (router) =>
        router.service(WebhookService, {
          listWebhooks: (_, { signal }) => {
            started.resolve();
            return new Promise((_resolve, reject) => {
              signal.addEventListener("abort", () => {
                aborted.resolve();
                reject(signal.reason);
              });
            });
          },
        }),
    });
    const leave = new AbortController();
    const call = fetch(`${slow.url}${webhooks}`, { signal: leave.signal }).catch(() => undefined);
    await started.promise;
    leave.abort();
    await aborted.promise;
    await call;
    expect(slow.logged).toEqual([]);
  });

  test("a body that breaks off does not hurt the server", async () => {
    const { port } = new URL(server.url);
    const socket = connect(Number(port), "127.0.0.1");
    socket.write(
      `POST ${webhooks} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{"a`,
    );
    await new Promise((resolve) => setTimeout(resolve, 50));
    socket.destroy();
    expect((await fetch(server.url + webhooks)).status).toBe(200);
  });
});
