import { useQuery } from "@connectrpc/connect-query";
import { keepPreviousData } from "@tanstack/react-query";
import type { PolicySummary } from "../../gen/policyguard/control/v1/policy_pb.ts";
import { PolicyService } from "../../gen/policyguard/control/v1/policy_service_pb.ts";
import { type Further, useSearched } from "./further.ts";
import { useOrganization } from "./organization.ts";

const maxPolicies = 200;
const { listPolicies } = PolicyService.method;

/** The first policies, and the names by their ids; of those beyond, and of deleted ones, the beginning of the id. */
export function usePolicies(): {
  readonly policies: readonly PolicySummary[] | undefined;
  readonly isLoading: boolean;
  readonly error: unknown;
  /** How to find those that are not among the first; undefined when all are. */
  readonly further: Further<PolicySummary> | undefined;
  readonly policyName: (id: string) => string;
} {
  const { orgId } = useOrganization();
  const { query, isResting, onSearch } = useSearched();
  const { data, isLoading, error } = useQuery(listPolicies, { orgId, limit: maxPolicies });
  const policies = data?.policies;
  const hasFurther = (data?.total ?? 0) > maxPolicies;
  const asked = useQuery(
    listPolicies,
    { orgId, limit: maxPolicies, query },
    { enabled: hasFurther && query !== "", placeholderData: keepPreviousData },
  );
  return {
    policies,
    isLoading,
    error,
    further: hasFurther
      ? { found: asked.data?.policies ?? [], isLoading: isResting || asked.isFetching, onSearch }
      : undefined,
    policyName: (id) => policies?.find((each) => each.id === id)?.name ?? id.slice(0, 8),
  };
}
