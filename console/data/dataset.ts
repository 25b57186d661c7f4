import { useQuery } from "@connectrpc/connect-query";
import { keepPreviousData } from "@tanstack/react-query";
import type { Dataset } from "../../gen/policyguard/control/v1/dataset_pb.ts";
import { DatasetService } from "../../gen/policyguard/control/v1/dataset_service_pb.ts";
import { type Further, useSearched } from "./further.ts";
import { useOrganization } from "./organization.ts";

const maxDatasets = 200;
const { listDatasets } = DatasetService.method;

/** The first datasets, and the names by their ids; of those beyond, and of deleted ones, the beginning of the id. */
export function useDatasets(): {
  readonly datasets: readonly Dataset[] | undefined;
  readonly isLoading: boolean;
  readonly error: unknown;
  /** How to find those that are not among the first; undefined when all are. */
  readonly further: Further<Dataset> | undefined;
  readonly datasetName: (id: string) => string;
} {
  const { orgId } = useOrganization();
  const { query, isResting, onSearch } = useSearched();
  const { data, isLoading, error } = useQuery(listDatasets, { orgId, limit: maxDatasets });
  const datasets = data?.datasets;
  const hasFurther = (data?.total ?? 0) > maxDatasets;
  const asked = useQuery(
    listDatasets,
    { orgId, limit: maxDatasets, query },
    { enabled: hasFurther && query !== "", placeholderData: keepPreviousData },
  );
  return {
    datasets,
    isLoading,
    error,
    further: hasFurther
      ? { found: asked.data?.datasets ?? [], isLoading: isResting || asked.isFetching, onSearch }
      : undefined,
    datasetName: (id) => datasets?.find((each) => each.id === id)?.name ?? id.slice(0, 8),
  };
}
