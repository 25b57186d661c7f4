import { useQuery } from "@connectrpc/connect-query";
import type { Dataset } from "../../gen/policyguard/control/v1/dataset_pb.ts";
import { DatasetService } from "../../gen/policyguard/control/v1/dataset_service_pb.ts";
import { useOrganization } from "./organization.ts";

const maxDatasets = 200;

/** The first datasets, and the names by their ids; of those beyond, and of deleted ones, the beginning of the id. */
export function useDatasets(): {
  readonly datasets: readonly Dataset[] | undefined;
  readonly isLoading: boolean;
  readonly error: unknown;
  readonly datasetName: (id: string) => string;
} {
  const { orgId } = useOrganization();
  const { data, isLoading, error } = useQuery(DatasetService.method.listDatasets, { orgId, limit: maxDatasets });
  const datasets = data?.datasets;
  return {
    datasets,
    isLoading,
    error,
    datasetName: (id) => datasets?.find((each) => each.id === id)?.name ?? id.slice(0, 8),
  };
}
