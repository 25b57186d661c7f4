import { useDatasets } from "../../data/choice/dataset.ts";
import { usePolicies } from "../../data/choice/policy.ts";

/** The names of the first datasets and policies; of those beyond, and of deleted ones, the beginning of the id. */
export function useNames(): {
  readonly datasetName: (id: string) => string;
  readonly policyName: (id: string) => string;
} {
  const { datasetName } = useDatasets();
  const { policyName } = usePolicies();
  return { datasetName, policyName };
}
