import { create, setExtension } from "@bufbuild/protobuf";
import { createClient } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { BundleService } from "../../../../../gen/policyguard/control/v1/bundle_service_pb.ts";
import { ProjectService } from "../../../../../gen/policyguard/control/v1/project_service_pb.ts";
import { EntitlementSchema, entitlement } from "../../../../../gen/policyguard/options/v1/options_pb.ts";
import { withOptions } from "../../crypto/altered.ts";
import { as, failureOf, orgId, serve } from "./call.ts";

function start(billingBlocked: boolean) {
  const fixture = serve(
    (router) => {
      router.service(ProjectService, { listProjects: () => ({}) });
      router.service(BundleService, { getLatestBundle: () => ({}) });
    },
    { entitlements: { plan: "free", billingBlocked } },
  );
  return {
    ...fixture,
    projects: createClient(ProjectService, fixture.transport),
    bundles: createClient(BundleService, fixture.transport),
  };
}

test("a blocked organization gets payment required", async () => {
  const { projects, entitlementLookUps } = start(true);
  expect(await failureOf(projects.listProjects({ orgId }, as("viewer")))).toMatchObject({
    code: "FailedPrecondition",
    reason: "PAYMENT_REQUIRED",
  });
  expect(entitlementLookUps).toEqual([orgId]);
});

test("methods that stay open to blocked organizations are not even looked up", async () => {
  const { bundles, entitlementLookUps } = start(true);
  await bundles.getLatestBundle({}, as("runtime"));
  expect(entitlementLookUps).toEqual([]);
});

test("an organization in good standing proceeds", async () => {
  await start(false).projects.listProjects({ orgId }, as("viewer"));
});

test.each([
  [["growth", "enterprise"], "PLAN_REQUIRED"],
  [["free"], undefined],
])("a method of the plans %j answers an organization on free with %s", async (plans, reason) => {
  const service = withOptions(ProjectService, "ListProjects", (options) => {
    setExtension(options, entitlement, create(EntitlementSchema, { plans }));
  });
  const { transport } = serve((router) => void router.service(service, { listProjects: () => ({}) }), {
    entitlements: { plan: "free", billingBlocked: false },
  });
  const call = createClient(service, transport).listProjects({ orgId }, as("viewer"));
  if (reason === undefined) await call;
  else expect(await failureOf(call)).toMatchObject({ code: "PermissionDenied", reason });
});
