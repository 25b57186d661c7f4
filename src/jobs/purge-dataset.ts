import { isUuid } from "../kit/process/id.ts";
import { defineTask } from "./task.ts";

/** Removes the samples of a deleted dataset. Running it twice removes what is left. */
export const purgeDataset = defineTask({
  name: "purge-dataset",
  read({ org_id, dataset_id }) {
    const isWhole =
      typeof org_id === "string" && isUuid(org_id) && typeof dataset_id === "string" && isUuid(dataset_id);
    if (!isWhole) throw new Error("a purge-dataset job without its ids");
    return { org_id, dataset_id };
  },
  async run({ datasetRetention, log }, { org_id: orgId, dataset_id: datasetId }) {
    const samples = await datasetRetention.purge(orgId, datasetId);
    log.info({ orgId, datasetId, samples }, "purged a deleted dataset");
  },
});
