import { clearExtension } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { AccountService } from "../../../gen/policyguard/control/v1/account_service_pb.ts";
import { BundleService } from "../../../gen/policyguard/control/v1/bundle_service_pb.ts";
import { TraceService } from "../../../gen/policyguard/control/v1/trace_service_pb.ts";
import { WebhookService } from "../../../gen/policyguard/control/v1/webhook_service_pb.ts";
import { access, CredentialKind, Role } from "../../../gen/policyguard/options/v1/options_pb.ts";
import { ReportingService } from "../../../gen/policyguard/runtime/v1/reporting_service_pb.ts";
import { assertServable, methodFacts } from "../../../src/kit/options.ts";
import { withAccess, withMethod, withOptions } from "./altered.ts";

test("the services of the product can be served", () => {
  assertServable([AccountService, BundleService, TraceService, WebhookService, ReportingService]);
});

test.each([
  ["has no (access) option", withOptions(WebhookService, "TestWebhook", (options) => clearExtension(options, access))],
  ["names no credential kind and is not public", withAccess(WebhookService, "TestWebhook", { kinds: [] })],
  ["does not say from which role on", withAccess(WebhookService, "TestWebhook", { leastRole: Role.UNSPECIFIED })],
  [
    "names the field tenant, which the request lacks",
    withAccess(WebhookService, "TestWebhook", { orgField: "tenant" }),
  ],
  ["names the field limit, which is no string", withAccess(WebhookService, "ListWebhooks", { projectField: "limit" })],
  [
    "is authorized before the first",
    withMethod(WebhookService, "TestWebhook", (method) => {
      method.clientStreaming = true;
    }),
  ],
  [
    "is for members and nobody else",
    withAccess(AccountService, "GetMe", { kinds: [CredentialKind.MEMBER, CredentialKind.ADMIN] }),
  ],
  [
    "is for members and nobody else",
    withAccess(AccountService, "AcceptInvitation", { kinds: [CredentialKind.MEMBER] }),
  ],
  ["has no organization, role, project or plan", withAccess(AccountService, "GetMe", { leastRole: Role.VIEWER })],
  [
    "has no organization, role, project or plan",
    withAccess(AccountService, "RevokeSession", { orgField: "session_id" }),
  ],
])("start-up refuses a method that %s", (problem, service) => {
  expect(() => assertServable([service])).toThrow(problem);
});

test("every problem is reported at once", () => {
  const twice = withAccess(withAccess(WebhookService, "TestWebhook", { kinds: [] }), "ListWebhooks", { kinds: [] });
  expect(() => assertServable([twice])).toThrow(/ListWebhooks.*\n.*TestWebhook/);
});

test("facts that a method does not state have their defaults", () => {
  const { audit, successStatus, entitlement, emits } = methodFacts(TraceService.method.listTraces);
  expect({ audit, successStatus, emits }).toEqual({ audit: "", successStatus: 200, emits: [] });
  expect(entitlement).toMatchObject({ openWhenBillingBlocked: false, plans: [] });
});
