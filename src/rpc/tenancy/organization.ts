import type { MessageInitShape } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import type { OrganizationSchema } from "../../../gen/policyguard/control/v1/organization_pb.ts";
import type { OrganizationService } from "../../../gen/policyguard/control/v1/organization_service_pb.ts";
import { type Plan, planNames } from "../../domain/billing/plan.ts";
import type { Usage } from "../../domain/billing/usage.ts";
import type { OwnOrganizations } from "../../domain/identity/own-organization.ts";
import type { Organizations } from "../../domain/tenancy/organization.ts";
import { accountCallerOf, callerOf } from "../../kit/rpc/context.ts";
import { pageOf } from "../../kit/rpc/page.ts";
import { timestamp } from "../time.ts";

type Row = Awaited<ReturnType<OwnOrganizations["create"]>>;

/** What the handlers call. */
export interface OrganizationDomain {
  readonly organizations: Organizations;
  readonly ownOrganizations: OwnOrganizations;
  readonly usage: Usage;
}

/** Handlers of OrganizationService. */
export function organizationHandlers({
  organizations,
  ownOrganizations,
  usage,
}: OrganizationDomain): ServiceImpl<typeof OrganizationService> {
  return {
    createOrganization: async (request, context) => ({
      organization: organizationMessage(await ownOrganizations.create(accountCallerOf(context), request)),
    }),
    listOrganizations: async (request, context) => {
      const page = pageOf(request);
      const [rows, total] = await ownOrganizations.list(accountCallerOf(context), page);
      return { total, ...page, orgs: rows.map(organizationMessage) };
    },
    getOrganization: async (_request, context) => {
      const { row, hasFirstRuntime } = await organizations.get(callerOf(context));
      return { organization: { ...organizationMessage(row), hasFirstRuntime } };
    },
    getUsage: async (_request, context) => {
      const { limit, remaining, resetsAt, ...view } = await usage.get(callerOf(context));
      return {
        ...view,
        limit: limit ?? undefined,
        remaining: remaining ?? undefined,
        resetsAt: timestamp(resetsAt),
      };
    },
    updateOrganization: async (request, context) => ({
      organization: organizationMessage(await organizations.update(callerOf(context), request)),
    }),
    deleteOrganization: async (request, context) => {
      await organizations.delete(callerOf(context), request);
      return {};
    },
  };
}

function organizationMessage(row: Row): MessageInitShape<typeof OrganizationSchema> {
  const plan: Plan = row.plan;
  return {
    id: row.id,
    name: row.name,
    plan,
    planDisplayName: planNames[plan],
    billingBlocked: row.billingBlocked,
    billingEmail: row.billingEmail ?? undefined,
    securityEmail: row.securityEmail ?? undefined,
    secondFactorRequired: row.secondFactorRequired,
    createdAt: timestamp(row.createdAt),
    updatedAt: timestamp(row.updatedAt),
  };
}
