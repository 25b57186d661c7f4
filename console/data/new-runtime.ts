import { useQuery } from "@connectrpc/connect-query";
import { useQuery as useAnyQuery } from "@tanstack/react-query";
import { TokenService } from "../../gen/policyguard/control/v1/token_service_pb.ts";
import { CredentialKind } from "../../gen/policyguard/options/v1/options_pb.ts";
import { installationQuery } from "./installation.ts";
import { useOrganization } from "./organization.ts";
import { type RuntimeCommand, runtimeCommand } from "./runtime-command.ts";

const { method } = TokenService;
const maxTokens = 200;

/** How a runtime is started, with the organization whose tokens the person may issue; undefined where they may not. */
export interface NewRuntime extends RuntimeCommand {
  readonly issueFor: string | undefined;
}

/**
 * How a runtime of this organization is started. `npm start` runs one for its first organization, by a token that nobody
 * issued. Beside that, the runtime of another organization needs ports and a folder of its own.
 */
export function useNewRuntime(): NewRuntime {
  const { orgId, can } = useOrganization();
  const installation = useAnyQuery(installationQuery);
  const mayList = can(method.listTokens);
  const tokens = useQuery(method.listTokens, { orgId, limit: maxTokens }, { enabled: mayList });
  const isFirst =
    !mayList ||
    tokens.data?.tokens.some(
      ({ type, createdBy }) => type === CredentialKind.RUNTIME && createdBy?.accountId === undefined,
    );
  const { runtimeUrl } = installation.data ?? {};
  return {
    ...runtimeCommand({ origin: location.origin, orgId, runtimeUrl, isFirst }),
    issueFor: can(method.issueRuntimeToken) ? orgId : undefined,
  };
}
