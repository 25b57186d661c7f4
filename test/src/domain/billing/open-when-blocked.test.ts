// What an unpaid bill leaves open, to the letter: safety, leaving, paying and what leads there, and what runtimes live
// on. Nothing else.

import { expect, test } from "vitest";
import { controlServices } from "../../../../src/control-services.ts";
import { methodFacts } from "../../../../src/kit/rpc/options.ts";

/** Services whose every method is open: the account and its sign-in, and all of billing. */
const openServices = ["AccountService", "BillingService"];
/** The other open methods that know who calls. */
const open = [
  "BundleService/GetLatestBundle",
  "BundleService/ListSigningKeys",
  "ErasureService/CreateErasure",
  "ErasureService/GetErasure",
  "ErasureService/ListErasures",
  "OrganizationService/CreateOrganization",
  "OrganizationService/DeleteOrganization",
  "OrganizationService/GetOrganization",
  "OrganizationService/GetUsage",
  "OrganizationService/ListOrganizations",
  "ReportingService/Enrol",
  "ReportingService/Report",
  "ScimService/DeleteScimUser",
  "ScimService/GetResourceType",
  "ScimService/GetScimGroup",
  "ScimService/GetScimGroupMapping",
  "ScimService/GetScimSchema",
  "ScimService/GetScimUser",
  "ScimService/GetServiceProviderConfig",
  "ScimService/ListResourceTypes",
  "ScimService/ListScimGroups",
  "ScimService/ListScimSchemas",
  "ScimService/ListScimUsers",
  "ScimService/PatchScimGroup",
  "ScimService/PatchScimUser",
  "ScimService/ReplaceScimGroup",
  "ScimService/ReplaceScimUser",
  "ScimService/RevokeScimToken",
  "ScimService/SetScimGroupMapping",
  "SigningKeyService/RevokeSigningKey",
  "TeamService/AskToJoin",
  "TeamService/GetPermissions",
  "TeamService/LeaveOrganization",
  "TeamService/RemoveMember",
  "TokenService/GetOwnToken",
  "TokenService/RevokeToken",
];

test("an unpaid bill leaves open what it says, and nothing else", () => {
  const methods = controlServices
    .flatMap((service) => service.methods)
    .filter((method) => {
      const { access, entitlement } = methodFacts(method);
      return entitlement.openWhenBillingBlocked && !access.public && !openServices.includes(method.parent.name);
    });
  expect(methods.map((method) => `${method.parent.name}/${method.name}`).sort()).toEqual(open);
});
