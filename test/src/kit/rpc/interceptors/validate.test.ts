import { create, fromJson, type MessageInitShape } from "@bufbuild/protobuf";
import { TimestampSchema, ValueSchema } from "@bufbuild/protobuf/wkt";
import { createClient } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { Reason } from "../../../../../gen/policyguard/common/v1/reason_pb.ts";
import { CalibrationService } from "../../../../../gen/policyguard/control/v1/calibration_service_pb.ts";
import { EnvironmentService } from "../../../../../gen/policyguard/control/v1/environment_service_pb.ts";
import { EventName } from "../../../../../gen/policyguard/control/v1/event_pb.ts";
import { EvidenceService } from "../../../../../gen/policyguard/control/v1/evidence_service_pb.ts";
import { PolicyService } from "../../../../../gen/policyguard/control/v1/policy_service_pb.ts";
import { TeamService } from "../../../../../gen/policyguard/control/v1/team_service_pb.ts";
import { TraceService } from "../../../../../gen/policyguard/control/v1/trace_service_pb.ts";
import { WebhookService } from "../../../../../gen/policyguard/control/v1/webhook_service_pb.ts";
import {
  ReportingService,
  type ReportRequestSchema,
} from "../../../../../gen/policyguard/runtime/v1/reporting_service_pb.ts";
import { Fault, validationFailed } from "../../../../../src/kit/fault/fault.ts";
import { newId } from "../../../../../src/kit/process/id.ts";
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

test("every violation is reported with the path of its field in snake case", async () => {
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
  expect(told).toMatchObject({ code: "InvalidArgument", reason: "INVALID_PARAMETER" });
  expect(told.extra).toMatchObject({ fields: [{ field: "project_id" }] });
});

test("a parameter that fails its rules is reported beside unbound parts of the body, and makes the failure a parameter's", async () => {
  const unbound = validationFailed([{ field: "url", message: "expected a string, got a number" }]);
  const readBody = async () => unbound;
  const { transport } = serve((router) => router.service(WebhookService, { updateWebhook: () => ({}) }), {
    connection: { address: "", readBody },
  });
  const webhooks = createClient(WebhookService, transport);
  const mixed = await failureOf(webhooks.updateWebhook({ orgId, webhookId: "42", url: "" }, as("admin")));
  expect(mixed.reason).toBe("INVALID_PARAMETER");
  expect(mixed.extra).toMatchObject({ fields: [{ field: "url" }, { field: "webhook_id" }] });
  const own = await failureOf(webhooks.updateWebhook({ orgId, webhookId: newId(), url: "" }, as("admin")));
  expect(own).toMatchObject({ reason: "VALIDATION_FAILED", extra: { fields: [{ field: "url" }] } });
});

test("messages say what was expected, and a field that was left out is required", async () => {
  const { transport } = serve((router) => {
    router.service(TeamService, {}).service(WebhookService, {}).service(EnvironmentService, {});
  });
  const told = async (call: Promise<unknown>) => (await failureOf(call)).extra;
  const invite = createClient(TeamService, transport).inviteMember({ orgId }, as("admin"));
  expect(await told(invite)).toEqual({
    fields: [
      { field: "email", message: "is required" },
      { field: "role", message: "is required; expected one of viewer, editor, admin, owner" },
    ],
  });
  const webhooks = createClient(WebhookService, transport);
  expect(await told(webhooks.createWebhook({ orgId, url: "https://a.example" }, as("admin")))).toEqual({
    fields: [{ field: "events", message: "is required" }],
  });
  const webhookId = newId();
  expect(await told(webhooks.updateWebhook({ orgId, webhookId, url: "" }, as("admin")))).toEqual({
    fields: [{ field: "url", message: "must not be empty" }],
  });
  const environments = createClient(EnvironmentService, transport);
  expect(await told(environments.createEnvironment({ orgId, projectId: newId() }, as("admin")))).toEqual({
    fields: [{ field: "name", message: "is required" }],
  });
});

test("a time that no calendar has is refused by the path of its field", async () => {
  const { transport } = serve((router) => {
    router.service(EvidenceService, { listEvidence: () => ({}) }).service(CalibrationService, {});
  });
  const evidence = createClient(EvidenceService, transport);
  const since = (seconds: bigint, nanos = 0) => create(TimestampSchema, { seconds, nanos });
  const message = "expected a time of the years 1 to 9999";
  for (const wrong of [since(-62_135_596_801n), since(253_402_300_800n), since(2n ** 63n - 1n), since(0n, 1e9)]) {
    const told = await failureOf(evidence.listEvidence({ orgId, since: wrong }, as("admin")));
    expect(told).toMatchObject({ reason: "INVALID_PARAMETER", extra: { fields: [{ field: "since", message }] } });
  }
  for (const right of [since(-62_135_596_800n), since(253_402_300_799n, 999_999_999)])
    expect(await evidence.listEvidence({ orgId, since: right }, as("admin"))).toMatchObject({ total: 0 });
  const data = { annotations: { since: since(2n ** 53n) } };
  const calibrations = createClient(CalibrationService, transport);
  const nested = await failureOf(calibrations.createCalibration({ orgId, data }, as("admin")));
  expect(nested.extra).toMatchObject({
    fields: expect.arrayContaining([{ field: "data.annotations.since", message }]),
  });
});

test("a failure of the database about U+0000 names the fields that have it", async () => {
  const refuse = () => {
    throw new Fault(Reason.VALIDATION_FAILED, "text must not contain the character U+0000");
  };
  const { transport } = serve((router) => {
    router.service(PolicyService, { createPolicy: refuse, listPolicies: refuse });
  });
  const policies = createClient(PolicyService, transport);
  const document = fromJson(ValueSchema, { rules: [{ message: "a\0b" }] });
  const written = await failureOf(policies.createPolicy({ orgId, document }, as("admin")));
  expect(written).toMatchObject({
    reason: "VALIDATION_FAILED",
    extra: { fields: [{ field: "document.rules[0].message" }] },
  });
  const asked = await failureOf(policies.listPolicies({ orgId, name: "\0" }, as("admin")));
  expect(asked).toMatchObject({ reason: "INVALID_PARAMETER", extra: { fields: [{ field: "name" }] } });
});

test("each message of a stream of requests is validated when it is read", async () => {
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

test("a valid request proceeds", async () => {
  const { webhooks, traces } = start();
  await webhooks.createWebhook(
    { orgId, url: "https://hooks.example.com", events: [EventName.BUNDLE_ACTIVATED] },
    as("admin"),
  );
  expect(await collect(traces.exportTraces({ orgId }, as("admin")))).toHaveLength(1);
});
