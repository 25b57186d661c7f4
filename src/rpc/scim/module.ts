// The service of this room: SCIM, and its token and names of groups.

import type { ConnectRouter } from "@connectrpc/connect";
import { ScimService } from "../../../gen/policyguard/control/v1/scim_service_pb.ts";
import { type ScimDomain, scimHandlers } from "./scim.ts";

/** Registers the service. */
export function registerScimServices(router: ConnectRouter, domain: ScimDomain): void {
  router.service(ScimService, scimHandlers(domain));
}
