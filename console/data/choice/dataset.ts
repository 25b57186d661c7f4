import type { Dataset } from "../../../gen/policyguard/control/v1/dataset_pb.ts";
import { DatasetService } from "../../../gen/policyguard/control/v1/dataset_service_pb.ts";
import { useOrganization } from "../organization.ts";
import { type First, nameIn, useFirst } from "./further.ts";

/** The first datasets, and the names by their ids. */
export function useDatasets(): First<Dataset> & {
  readonly datasets: readonly Dataset[] | undefined;
  readonly datasetName: (id: string) => string;
} {
  const { orgId } = useOrganization();
  const list = useFirst(
    DatasetService.method.listDatasets,
    (list) => ({ orgId, ...list }),
    ({ datasets, total }) => ({ entries: datasets, total }),
  );
  return { ...list, datasets: list.first, datasetName: nameIn(list.first) };
}
