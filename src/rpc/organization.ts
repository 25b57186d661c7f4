import type { MessageInitShape } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import type { OrganizationSchema } from "../../gen/policyguard/control/v1/organization_pb.ts";
import type { OrganizationService } from "../../gen/policyguard/control/v1/organization_service_pb.ts";
import type { Organizations } from "../domain/organization.ts";
import { callerOf } from "../kit/context.ts";
import { timestamp } from "./time.ts";

type Row = Awaited<ReturnType<Organizations["get"]>>;

/** Handlers of OrganizationService. */
export function organizationHandlers(organizations: Organizations): Partial<ServiceImpl<typeof OrganizationService>> {
  return {
    getOrganization: async (_request, context) => ({
      organization: organizationMessage(await organizations.get(callerOf(context))),
    }),
    updateOrganization: async ({ name }, context) => ({
      organization: organizationMessage(await organizations.update(callerOf(context), { name })),
    }),
  };
}

function organizationMessage(row: Row): MessageInitShape<typeof OrganizationSchema> {
  return {
    id: row.id,
    name: row.name,
    plan: row.plan,
    billingBlocked: row.billingBlocked,
    createdAt: timestamp(row.createdAt),
    updatedAt: timestamp(row.updatedAt),
  };
}
