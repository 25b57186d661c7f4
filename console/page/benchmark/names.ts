import { useQuery } from "@connectrpc/connect-query";
import { PolicyService } from "../../../gen/policyguard/control/v1/policy_service_pb.ts";
import { useDatasets } from "../../data/dataset.ts";
import { useOrganization } from "../../data/organization.ts";

const maxNames = 200;

/** The names of the first datasets and policies; of those beyond, and of deleted ones, the beginning of the id. */
export function useNames(): {
  readonly datasetName: (id: string) => string;
  readonly policyName: (id: string) => string;
} {
  const { orgId } = useOrganization();
  const { datasetName } = useDatasets();
  const policies = useQuery(PolicyService.method.listPolicies, { orgId, limit: maxNames });
  return {
    datasetName,
    policyName: (id) => policies.data?.policies.find((each) => each.id === id)?.name ?? id.slice(0, 8),
  };
}
