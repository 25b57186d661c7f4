import { DatasetState } from "../../../gen/policyguard/control/v1/dataset_pb.ts";
import { Badge } from "../../part/badge.tsx";
import { en } from "../../text/en.ts";
import { datasetStates } from "./names.ts";

const tones = new Map<DatasetState, "good" | "bad">([
  [DatasetState.READY, "good"],
  [DatasetState.FAILED, "bad"],
]);

/** Whether a dataset can be used. */
export function DatasetStateBadge({ state }: { readonly state: DatasetState }) {
  const name = datasetStates.nameOf(state);
  return <Badge tone={tones.get(state) ?? "notice"}>{en.datasets.states[name] ?? name}</Badge>;
}
