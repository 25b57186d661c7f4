import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { HandlerContext } from "@connectrpc/connect";
import { describe, expect, test } from "vitest";
import { BundleService } from "../../../gen/policyguard/control/v1/bundle_service_pb.ts";
import { EventName } from "../../../gen/policyguard/control/v1/event_pb.ts";
import { type CreatePolicyRequest, PolicyService } from "../../../gen/policyguard/control/v1/policy_service_pb.ts";
import { TraceService } from "../../../gen/policyguard/control/v1/trace_service_pb.ts";
import { type Webhook, WebhookSchema } from "../../../gen/policyguard/control/v1/webhook_pb.ts";
import { type CreateWebhookRequest, WebhookService } from "../../../gen/policyguard/control/v1/webhook_service_pb.ts";
import { org, post, startServer } from "../server.ts";

const createdAt = timestampFromDate(new Date("2026-11-20T09:00:00.987Z"));

function webhook(): Webhook {
  return create(WebhookSchema, {
    id: "w1",
    orgId: "o1",
    url: "https://hooks.example.com/x",
    events: [EventName.BUNDLE_PUBLISHED],
    createdAt,
  });
}

describe("answers", () => {
  test("a create answers 201 with snake_case names, wire spellings, whole seconds and explicit null", async () => {
    let got: CreateWebhookRequest | undefined;
    await using server = await startServer({
      routes: (router) =>
        router.service(WebhookService, {
          createWebhook: (request) => {
            got = request;
            const { $typeName: _, ...fields } = webhook();
            return fields;
          },
        }),
    });
    const body = { url: "https://hooks.example.com/x", events: ["bundle.published"], org_id: "other" };
    const answer = await fetch(`${server.url}${org}/webhooks`, post(body));
    expect(answer.status).toBe(201);
    expect(answer.headers.get("content-type")).toBe("application/json; charset=utf-8");
    expect(answer.headers.get("cache-control")).toBe("no-store");
    expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
    expect(answer.headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
    expect(await answer.text()).toBe(
      '{"id":"w1","org_id":"o1","url":"https://hooks.example.com/x","events":["bundle.published"],"is_active":false,"created_at":"2026-11-20T09:00:00Z","has_secret":false,"secret":null}',
    );
    expect(got).toMatchObject({ orgId: "o1", events: [EventName.BUNDLE_PUBLISHED] });
  });

  test("a delete answers 204 without a body", async () => {
    await using server = await startServer({
      routes: (router) => router.service(WebhookService, { deleteWebhook: () => ({}) }),
    });
    const answer = await fetch(`${server.url}${org}/webhooks/w1`, { method: "DELETE" });
    expect(answer.status).toBe(204);
    expect(answer.headers.get("content-type")).toBeNull();
    expect(await answer.text()).toBe("");
  });

  test("a list with response_body is a bare array, its count travels in a header, zero too", async () => {
    await using server = await startServer({
      routes: (router) =>
        router.service(WebhookService, {
          listWebhooks: ({ limit }) => (limit === 1 ? { total: 7, webhooks: [webhook()] } : { total: 0 }),
        }),
    });
    const one = await fetch(`${server.url}${org}/webhooks?limit=1`);
    expect(one.headers.get("x-total-count")).toBe("7");
    expect(await one.json()).toMatchObject([{ id: "w1", created_at: "2026-11-20T09:00:00Z" }]);
    const none = await fetch(`${server.url}${org}/webhooks`);
    expect(none.headers.get("x-total-count")).toBe("0");
    expect(await none.text()).toBe("[]");
  });

  test("unset enums, messages and optional fields are null and never missing", async () => {
    await using server = await startServer({
      routes: (router) =>
        router.service(TraceService, { getTrace: () => ({ trace: { id: "t1", metadata: { a: [1] } } }) }),
    });
    const trace = await (await fetch(`${server.url}${org}/traces/t1`)).json();
    expect(trace).toMatchObject({
      stage: null,
      bundle: null,
      agent_id: null,
      created_at: null,
      findings: [],
      latency_us: 0,
    });
    expect(trace).toMatchObject({ metadata: { a: [1] } });
  });

  test("arbitrary JSON comes through as given, keys untouched", async () => {
    let got: CreatePolicyRequest | undefined;
    const document = JSON.parse('{"camelCase":{"__proto__":{"x":null}},"n":[1.5,-3,true,"é😀",[],{}]}');
    await using server = await startServer({
      routes: (router) =>
        router.service(PolicyService, {
          createPolicy: (request) => {
            got = request;
            return { policy: { document } };
          },
        }),
    });
    const answer = await fetch(`${server.url}${org}/policies`, post({ document, scope: { app_id: "*" } }));
    expect(JSON.stringify((await answer.json()).document)).toBe(JSON.stringify(document));
    expect(got?.document?.kind.case).toBe("structValue");
    expect(got?.scope?.appId).toBe("*");
  });

  test("a request header reaches its field, and a 304 has the response headers and no body", async () => {
    await using server = await startServer({
      routes: (router) =>
        router.service(BundleService, {
          getLatestBundle: ({ ifNoneMatch, prefer }) => ({
            bundle: { manifest: { payload: "p" }, parts: [{ path: "a", data: new Uint8Array([255, 0]) }] },
            etag: '"e1"',
            notModified: ifNoneMatch === '"e1"' && prefer === "wait=5",
          }),
        }),
    });
    const full = await fetch(`${server.url}/v1/bundles/latest`);
    expect([full.status, full.headers.get("etag"), full.headers.get("x-policy-guard-activation")]).toEqual([
      200,
      '"e1"',
      null,
    ]);
    expect(await full.json()).toEqual({
      manifest: { payload: "p", signatures: [] },
      activation: null,
      keys: null,
      parts: [{ path: "a", data: "/wA=" }],
    });
    const same = await fetch(`${server.url}/v1/bundles/latest`, {
      headers: { "if-none-match": '"e1"', prefer: "wait=5" },
    });
    expect([same.status, same.headers.get("etag"), await same.text()]).toEqual([304, '"e1"', ""]);
  });

  test("HEAD answers like GET without the body; OPTIONS says which methods the path has", async () => {
    await using server = await startServer({
      routes: (router) => router.service(WebhookService, { listWebhooks: () => ({ webhooks: [webhook()] }) }),
    });
    const head = await fetch(`${server.url}${org}/webhooks`, { method: "HEAD" });
    expect([head.status, await head.text()]).toEqual([200, ""]);
    expect(Number(head.headers.get("content-length"))).toBeGreaterThan(100);
    const options = await fetch(`${server.url}${org}/webhooks`, { method: "OPTIONS" });
    expect([options.status, options.headers.get("allow")]).toEqual([204, "GET, HEAD, POST, OPTIONS"]);
  });

  test("headers that a handler set are forwarded, those of the protocol are not", async () => {
    await using server = await startServer({
      routes: (router) =>
        router.service(WebhookService, {
          deleteWebhook: (_, context: HandlerContext) => {
            context.responseHeader.set("X-Extra", "yes");
            context.responseHeader.append("Set-Cookie", "a=1");
            context.responseHeader.append("Set-Cookie", "b=2");
            return {};
          },
        }),
    });
    const answer = await fetch(`${server.url}${org}/webhooks/w1`, { method: "DELETE" });
    expect(answer.headers.get("x-extra")).toBe("yes");
    expect(answer.headers.getSetCookie()).toEqual(["a=1", "b=2"]);
    expect([...answer.headers.keys()].filter((name) => /^(connect-|grpc|trailer)/.test(name))).toEqual([]);
  });
});
