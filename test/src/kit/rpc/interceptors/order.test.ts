import { createClient } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { EventName } from "../../../../../gen/policyguard/control/v1/event_pb.ts";
import { WebhookService } from "../../../../../gen/policyguard/control/v1/webhook_service_pb.ts";
import { malformedRequest } from "../../../../../src/kit/fault/fault.ts";
import { callerOf } from "../../../../../src/kit/rpc/context.ts";
import { order } from "../../../../../src/kit/rpc/interceptors/order.ts";
import { as, type FixtureOptions, failureOf, foreignOrgId, orgId, serve } from "./call.ts";

test("the order is stated once, and each position has its reason", () => {
  expect(order.map(({ name }) => name)).toEqual([
    "request",
    "fault",
    "deadline",
    "address limit",
    "audit",
    "authenticate",
    "authorize",
    "entitle",
    "validate",
    "cookies",
    "may lag",
  ]);
  for (const { reason } of order) expect(reason.length).toBeGreaterThan(20);
});

// One request that everything is wrong with; each row puts right what the row before was refused for.
const unpaid = { plan: "growth", billingBlocked: true };
const unbound = { address: "", readBody: async () => malformedRequest("this is no JSON") };
const rows: [string, string | undefined, string, FixtureOptions][] = [
  ["UNAUTHENTICATED", undefined, foreignOrgId, { entitlements: unpaid, connection: unbound }],
  ["FOREIGN_ORGANIZATION", "ci", foreignOrgId, { entitlements: unpaid, connection: unbound }],
  ["INSUFFICIENT_SCOPE", "ci", orgId, { entitlements: unpaid, connection: unbound }],
  ["PAYMENT_REQUIRED", "admin", orgId, { entitlements: unpaid, connection: unbound }],
  ["MALFORMED_REQUEST", "admin", orgId, { connection: unbound }],
  ["VALIDATION_FAILED", "admin", orgId, {}],
];

test.each(rows)("faults are reported in the order of the interceptors: %s", async (reason, token, org, options) => {
  const { transport, lines } = serve((router) => {
    router.service(WebhookService, { createWebhook: () => ({}) });
  }, options);
  const call = createClient(WebhookService, transport).createWebhook(
    { orgId: org },
    token === undefined ? {} : as(token),
  );
  expect((await failureOf(call)).reason).toBe(reason);
  expect(lines.at(-1)).toMatchObject({ msg: "call", reason: `REASON_${reason}` });
});

test("a valid call reaches its handler with caller and audit intent", async () => {
  const { transport } = serve(
    (router) => {
      router.service(WebhookService, {
        createWebhook: (_, context) => {
          const { credential, audit, ...caller } = callerOf(context);
          return { id: JSON.stringify({ ...caller, label: credential.label, audit }) };
        },
      });
    },
    { connection: { address: "203.0.113.9" } },
  );
  const request = { orgId, url: "https://hooks.example.com", events: [EventName.BUNDLE_ACTIVATED] };
  const { id } = await createClient(WebhookService, transport).createWebhook(
    request,
    as("owner", { "X-Request-Id": "r-3" }),
  );
  expect(JSON.parse(id)).toEqual({
    orgId,
    role: 4,
    label: "owner@example.com",
    audit: { action: "webhook.create", requestId: "r-3", address: "203.0.113.9" },
  });
});
