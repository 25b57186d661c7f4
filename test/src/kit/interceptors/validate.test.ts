import type { MessageInitShape } from "@bufbuild/protobuf";
import { createClient } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { EventName } from "../../../../gen/policyguard/control/v1/event_pb.ts";
import { TraceService } from "../../../../gen/policyguard/control/v1/trace_service_pb.ts";
import { WebhookService } from "../../../../gen/policyguard/control/v1/webhook_service_pb.ts";
import {
  ReportingService,
  type ReportRequestSchema,
} from "../../../../gen/policyguard/runtime/v1/reporting_service_pb.ts";
import { as, collect, failureOf, orgId, serve } from "./call.ts";

function start() {
  const received: string[] = [];
  const { transport } = serve((router) => {
    router.service(WebhookService, { createWebhook: () => ({}) });
    router.service(TraceService, {
      async *exportTraces() {
        yield {};
      },
    });
    router.service(ReportingService, {
      async *report(requests) {
        for await (const { message } of requests) received.push(message.case ?? "none");
        yield {};
      },
    });
  });
  return {
    received,
    webhooks: createClient(WebhookService, transport),
    traces: createClient(TraceService, transport),
    reporting: createClient(ReportingService, transport),
  };
}

test("every violation is told with the path of its field in snake case", async () => {
  const { webhooks } = start();
  const call = webhooks.createWebhook({ orgId, url: "", events: [EventName.UNSPECIFIED] }, as("admin"));
  const told = await failureOf(call);
  expect(told).toMatchObject({ code: "InvalidArgument", reason: "VALIDATION_FAILED" });
  const { fields } = told.extra as { fields: { field: string; message: string }[] };
  expect(fields.map(({ field }) => field).sort()).toEqual(["events[0]", "url"]);
  for (const { message } of fields) expect(message).not.toBe("");
});

test("names of several words are in snake case", async () => {
  const { traces } = start();
  const told = await failureOf(collect(traces.exportTraces({ orgId, projectId: "no-uuid" }, as("admin"))));
  expect(told.reason).toBe("VALIDATION_FAILED");
  expect(told.extra).toMatchObject({ fields: [{ field: "project_id" }] });
});

test("each message of a stream of requests is held against its rules when it is read", async () => {
  const { reporting, received } = start();
  async function* requests(): AsyncIterable<MessageInitShape<typeof ReportRequestSchema>> {
    const hello = { instanceId: "0b9c5d0e-6a8f-4a57-9f0e-6f1f6d2a1c01", softwareVersion: "1.0.0" };
    yield { message: { case: "hello" as const, value: hello } };
    yield { message: { case: "gap" as const, value: { reason: "x".repeat(65) } } };
    yield { message: { case: "status" as const, value: { bundleVersion: 1 } } };
  }
  const told = await failureOf(collect(reporting.report(requests(), as("runtime"))));
  expect(told.reason).toBe("VALIDATION_FAILED");
  expect(told.extra).toMatchObject({ fields: [{ field: "gap.reason" }] });
  expect(received).toEqual(["hello"]);
});

test("a valid request goes on", async () => {
  const { webhooks, traces } = start();
  await webhooks.createWebhook(
    { orgId, url: "https://hooks.example.com", events: [EventName.BUNDLE_ACTIVATED] },
    as("admin"),
  );
  expect(await collect(traces.exportTraces({ orgId }, as("admin")))).toHaveLength(1);
});
