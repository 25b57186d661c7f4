// The services of this room: organizations.

import type { ConnectRouter } from "@connectrpc/connect";
import { OrganizationService } from "../../../gen/policyguard/control/v1/organization_service_pb.ts";
import { type OrganizationDomain, organizationHandlers } from "./organization.ts";

/** Registers the services. */
export function registerTenancyServices(router: ConnectRouter, domain: OrganizationDomain): void {
  router.service(OrganizationService, organizationHandlers(domain));
}
