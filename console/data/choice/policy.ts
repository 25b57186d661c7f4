import type { PolicySummary } from "../../../gen/policyguard/control/v1/policy_pb.ts";
import { PolicyService } from "../../../gen/policyguard/control/v1/policy_service_pb.ts";
import { useOrganization } from "../organization.ts";
import { type First, nameIn, useFirst } from "./further.ts";

/** The first policies, and the names by their ids. */
export function usePolicies(): First<PolicySummary> & {
  readonly policies: readonly PolicySummary[] | undefined;
  readonly policyName: (id: string) => string;
} {
  const { orgId } = useOrganization();
  const list = useFirst(
    PolicyService.method.listPolicies,
    (list) => ({ orgId, ...list }),
    ({ policies, total }) => ({ entries: policies, total }),
  );
  return { ...list, policies: list.first, policyName: nameIn(list.first) };
}
