import { isUuid } from "../kit/id.ts";
import { defineTask } from "./task.ts";

/** Removes what a deleted organization left behind: the tables that are too large for its transaction. */
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
