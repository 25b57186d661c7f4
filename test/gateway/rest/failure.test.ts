import { request as httpRequest } from "node:http";
import { connect } from "node:net";
import { describe, expect, test } from "vitest";
import { WebhookService } from "../../../gen/policyguard/control/v1/webhook_service_pb.ts";
import { startServer } from "../server.ts";
import { json, useFailingServices, webhooks } from "./failing-services.ts";

const { url, calls, get, post } = useFailingServices();

describe("a path or verb that no operation has", () => {
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

describe("a body that cannot be read", () => {
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
    const before = calls();
    expect(await post(body)).toMatchObject({ status: 400, error: "malformed_request" });
    expect(calls()).toBe(before);
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
        await fetch(url() + webhooks, {
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
      const request = httpRequest(url() + webhooks, { method: "POST", headers: json }, (response) => {
        response.resume().on("end", () => resolve(response.statusCode));
      });
      request.on("error", reject);
      for (let i = 0; i < 200; i++) request.write("x".repeat(10_000));
      request.end();
    });
    expect(chunked).toBe(413);
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

  test("the server goes on after a body that breaks off", async () => {
    const { port } = new URL(url());
    const socket = connect(Number(port), "127.0.0.1");
    socket.write(
      `POST ${webhooks} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{"a`,
    );
    await new Promise((resolve) => setTimeout(resolve, 50));
    socket.destroy();
    expect((await fetch(url() + webhooks)).status).toBe(200);
  });
});
