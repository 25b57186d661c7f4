import { isUuid } from "../kit/id.ts";
import { defineTask } from "./task.ts";

/** Removes what a deleted organization left behind: the tables that are too large for its transaction. */
export const purgeOrganization = defineTask({
  name: "purge-organization",
  read({ org_id }) {
    if (typeof org_id !== "string" || !isUuid(org_id)) throw new Error("a purge-organization job without its id");
    return { org_id };
  },
  async run({ retention, log }, { org_id: orgId }) {
    const purged = await retention.purgeOrganization(orgId);
    log.info({ orgId, ...purged }, "purged a deleted organization");
  },
});
