import { isUuid } from "../kit/process/id.ts";
import { defineTask } from "./task.ts";

/** Removes the rows of a deleted organization that were too many for the transaction of the deletion. */
export const purgeOrganization = defineTask({
  name: "purge-organization",
  read({ org_id, by }) {
    if (typeof org_id !== "string" || !isUuid(org_id)) throw new Error("a purge-organization job without its id");
    if (typeof by !== "string") throw new Error("a purge-organization job that does not say by whom");
    return { org_id, by };
  },
  async run({ retention, log }, { org_id: orgId, by }) {
    const purged = await retention.purgeOrganization(orgId);
    log.info({ orgId, deletedBy: by, ...purged }, "purged a deleted organization");
  },
});
