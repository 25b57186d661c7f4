import { clearExtension, create, setExtension } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { AccountService } from "../../../../gen/policyguard/control/v1/account_service_pb.ts";
import { BundleService } from "../../../../gen/policyguard/control/v1/bundle_service_pb.ts";
import { TraceService } from "../../../../gen/policyguard/control/v1/trace_service_pb.ts";
import { WebhookService } from "../../../../gen/policyguard/control/v1/webhook_service_pb.ts";
import {
  type AccessPreset,
  AccessSchema,
  access,
  access_preset,
  CredentialKind,
  Role,
} from "../../../../gen/policyguard/options/v1/options_pb.ts";
import { ReportingService } from "../../../../gen/policyguard/runtime/v1/reporting_service_pb.ts";
import { assertServable, methodFacts } from "../../../../src/kit/rpc/options.ts";
import { withAccess, withMethod, withOptions } from "../crypto/altered.ts";

test("the services of the product can be served", () => {
  assertServable([AccountService, BundleService, TraceService, WebhookService, ReportingService]);
});

test.each([
  [
    "has no (access) option",
    withOptions(WebhookService, "TestWebhook", (options) => {
      clearExtension(options, access);
      clearExtension(options, access_preset);
    }),
  ],
  [
    "(access_preset) is unknown",
    withOptions(WebhookService, "TestWebhook", (options) => setExtension(options, access_preset, 99 as AccessPreset)),
  ],
  ["names no credential kind and is not public", withAccess(WebhookService, "TestWebhook", { kinds: [] })],
  ["names no minimum role", withAccess(WebhookService, "TestWebhook", { leastRole: Role.UNSPECIFIED })],
  [
    "names the field tenant, which the request lacks",
    withAccess(WebhookService, "TestWebhook", { orgField: "tenant" }),
  ],
  [
    "names the field limit, which is not a string",
    withAccess(WebhookService, "ListWebhooks", { projectField: "limit" }),
  ],
  [
    "is authorized before the first",
    withMethod(WebhookService, "TestWebhook", (method) => {
      method.clientStreaming = true;
    }),
  ],
  [
    "is for members only",
    withAccess(AccountService, "GetMe", { kinds: [CredentialKind.MEMBER, CredentialKind.ADMIN] }),
  ],
  ["is for members only", withAccess(AccountService, "AcceptInvitation", { kinds: [CredentialKind.MEMBER] })],
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

test("a method's own access options override its preset, and the rest of the preset applies", () => {
  const { access: rules } = methodFacts(WebhookService.method.testWebhook);
  expect(rules).toMatchObject({
    ...{ kinds: [CredentialKind.MEMBER, CredentialKind.ADMIN], leastRole: Role.ADMIN, orgField: "org_id" },
    ...{ apiKeyHeader: true, public: false },
  });
  const lower = withOptions(WebhookService, "TestWebhook", (options) => {
    setExtension(options, access, create(AccessSchema, { leastRole: Role.EDITOR }));
  });
  expect(methodFacts(lower.method.testWebhook).access).toMatchObject({ leastRole: Role.EDITOR, apiKeyHeader: false });
});

test("facts that a method does not state have their defaults", () => {
  const { audit, successStatus, entitlement, emits } = methodFacts(TraceService.method.listTraces);
  expect({ audit, successStatus, emits }).toEqual({ audit: "", successStatus: 200, emits: [] });
  expect(entitlement).toMatchObject({ openWhenBillingBlocked: false, plans: [] });
});
