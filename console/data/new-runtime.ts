import { useQuery } from "@connectrpc/connect-query";
import { useQuery as useAnyQuery } from "@tanstack/react-query";
import { OrganizationService } from "../../gen/policyguard/control/v1/organization_service_pb.ts";
import { TokenService } from "../../gen/policyguard/control/v1/token_service_pb.ts";
import { installationQuery } from "./installation.ts";
import { useOrganization } from "./organization.ts";
import { type RuntimeCommand, runtimeCommand } from "./runtime-command.ts";

/** How a runtime is started, with the organization whose tokens the person may issue; undefined where they may not. */
export interface NewRuntime extends RuntimeCommand {
  readonly issueFor: string | undefined;
}

/**
 * How a runtime of this organization is started. `npm start` runs one for its first organization. Beside that, the
 * runtime of another organization needs ports and a folder of its own.
 */
export function useNewRuntime(): NewRuntime {
  const { orgId, can } = useOrganization();
  const installation = useAnyQuery(installationQuery);
  const { data } = useQuery(OrganizationService.method.getOrganization, { orgId });
  const isFirst = data?.organization?.hasFirstRuntime;
  const { runtimeUrl } = installation.data ?? {};
  return {
    ...runtimeCommand({ origin: location.origin, orgId, runtimeUrl, isFirst }),
    issueFor: can(TokenService.method.issueRuntimeToken) ? orgId : undefined,
  };
}
