import { useQuery } from "@connectrpc/connect-query";
import type { PolicySummary } from "../../gen/policyguard/control/v1/policy_pb.ts";
import { PolicyService } from "../../gen/policyguard/control/v1/policy_service_pb.ts";
import { useOrganization } from "./organization.ts";

const maxPolicies = 200;

/** The first policies, and the names by their ids; of those beyond, and of deleted ones, the beginning of the id. */
export function usePolicies(): {
  readonly policies: readonly PolicySummary[] | undefined;
  readonly isLoading: boolean;
  readonly error: unknown;
  readonly policyName: (id: string) => string;
} {
  const { orgId } = useOrganization();
  const { data, isLoading, error } = useQuery(PolicyService.method.listPolicies, { orgId, limit: maxPolicies });
  const policies = data?.policies;
  return {
    policies,
    isLoading,
    error,
    policyName: (id) => policies?.find((each) => each.id === id)?.name ?? id.slice(0, 8),
  };
}
