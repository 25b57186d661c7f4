// The enums of datasets by their names.

import { type DatasetState, DatasetStateSchema } from "../../../gen/policyguard/control/v1/dataset_pb.ts";
import { wireNames } from "../../data/wire-name.ts";

/** Whether a dataset can be used. */
export const datasetStates = wireNames<DatasetState>(DatasetStateSchema);
