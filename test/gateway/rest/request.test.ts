import { connect } from "node:http2";
import type { HandlerContext } from "@connectrpc/connect";
import { describe, expect, test } from "vitest";
import { PolicyService } from "../../../gen/policyguard/control/v1/policy_service_pb.ts";
import { type ListTracesRequest, TraceService } from "../../../gen/policyguard/control/v1/trace_service_pb.ts";
import { DeliveryState } from "../../../gen/policyguard/control/v1/webhook_pb.ts";
import { WebhookService } from "../../../gen/policyguard/control/v1/webhook_service_pb.ts";
import { Outcome } from "../../../gen/policyguard/policy/v1/outcome_pb.ts";
import { connectionKey } from "../../../src/kit/rpc/context.ts";
import { org, post, startServer } from "../server.ts";

describe("requests", () => {
  test("query parameters become fields: numbers, enums, times; unknown ones are ignored", async () => {
    let got: ListTracesRequest | undefined;
    await using server = await startServer({
      routes: (router) =>
        router.service(TraceService, {
          listTraces: (request) => {
            got = request;
            return {};
          },
        }),
    });
    const query = "limit=20&offset=0&outcome=BLOCK&since=2026-11-20T10:00:00.5%2B01:00&rule_id=a+b%26c&agentId=no&x";
    expect((await fetch(`${server.url}${org}/traces?${query}`)).status).toBe(200);
    expect(got).toMatchObject({ limit: 20, offset: 0, outcome: Outcome.BLOCK, ruleId: "a b&c", orgId: "o1" });
    expect(got?.since).toMatchObject({
      seconds: BigInt(Date.parse("2026-11-20T09:00:00Z") / 1000),
      nanos: 500_000_000,
    });
    expect(got?.agentId).toBeUndefined();
  });

  test("a literal segment wins over a field, and an encoded slash stays within its field", async () => {
    const seen: string[] = [];
    await using server = await startServer({
      routes: (router) =>
        router.service(PolicyService, {
          getPolicy: ({ policyId }) => {
            seen.push(policyId);
            return {};
          },
          validatePolicy: () => {
            seen.push("validate");
            return {};
          },
        }),
    });
    await fetch(`${server.url}${org}/policies/validate`, post({ document: {} }));
    await fetch(`${server.url}${org}/policies/validate`);
    await fetch(`${server.url}${org}/policies/a%2Fb%20%C3%A9`);
    expect(seen).toEqual(["validate", "validate", "a/b é"]);
  });

  test("an empty body is an empty object, and optional fields may be null", async () => {
    const seen: unknown[] = [];
    await using server = await startServer({
      routes: (router) =>
        router.service(WebhookService, {
          updateWebhook: ({ url, isActive }) => {
            seen.push([url, isActive]);
            return {};
          },
        }),
    });
    const send = (body: string | undefined) =>
      fetch(`${server.url}${org}/webhooks/w1`, {
        method: "PATCH",
        headers: { "content-type": "application/json;charset=UTF-8" },
        body,
      });
    await send(undefined);
    await send('{"url":null,"is_active":false}');
    await send('{"url":""}');
    expect(seen).toEqual([
      [undefined, undefined],
      [undefined, false],
      ["", undefined],
    ]);
  });

  test("only headers on the list reach the transport, with the peer's address beside them", async () => {
    let names: string[] = [];
    let id = "";
    let address = "";
    await using server = await startServer({
      trustedHops: 1,
      routes: (router) =>
        router.service(WebhookService, {
          deleteWebhook: (_, context: HandlerContext) => {
            names = [...context.requestHeader.keys()];
            id = context.requestHeader.get("x-request-id") ?? "";
            address = context.values.get(connectionKey).address;
            return {};
          },
        }),
    });
    const answer = await fetch(`${server.url}${org}/webhooks/w1`, {
      method: "DELETE",
      headers: {
        authorization: "Bearer x",
        "x-api-key": "k",
        "x-request-id": "my-id",
        traceparent: "00-1-2-01",
        referer: "https://example.com/secret",
        "x-forwarded-for": "10.0.0.9, 203.0.113.7",
        "x-other": "1",
      },
    });
    expect(names).toEqual(expect.arrayContaining(["authorization", "x-api-key", "traceparent"]));
    expect(names).not.toEqual(expect.arrayContaining(["referer"]));
    expect(names.filter((name) => name.startsWith("x-")).sort()).toEqual(["x-api-key", "x-request-id"]);
    expect([id, answer.headers.get("x-request-id"), address]).toEqual(["my-id", "my-id", "203.0.113.7"]);
  });

  test("integers may be written with a zero fraction; every enum of a filter has its spelling", async () => {
    const seen: unknown[] = [];
    await using server = await startServer({
      routes: (router) =>
        router
          .service(WebhookService, {
            listWebhookDeliveries: ({ state }) => {
              seen.push(state);
              return {};
            },
          })
          .service(PolicyService, {
            updatePolicy: ({ expectedVersion }) => {
              seen.push(expectedVersion);
              return {};
            },
          }),
    });
    await fetch(`${server.url}${org}/webhooks/w1/deliveries?state=dropped`);
    await fetch(`${server.url}${org}/policies/p1`, {
      ...post({ document: "kind: Policy" }),
      method: "PUT",
      body: '{"document":"x","expected_version":5.0}',
    });
    expect(seen).toEqual([DeliveryState.DROPPED, 5]);
  });

  test("REST is served over HTTP/2 as well", async () => {
    await using server = await startServer({
      http2: true,
      routes: (router) => router.service(WebhookService, { createWebhook: ({ orgId }) => ({ orgId }) }),
    });
    const session = connect(server.url);
    const stream = session.request({
      ":method": "POST",
      ":path": `${org}/webhooks`,
      "content-type": "application/json",
    });
    stream.end("{}");
    const headers = await new Promise<Record<string, unknown>>((resolve) => stream.once("response", resolve));
    const chunks = await stream.toArray();
    session.destroy();
    expect(headers[":status"]).toBe(201);
    expect(JSON.parse(Buffer.concat(chunks).toString())).toMatchObject({ org_id: "o1" });
  });
});
