import { isUuid } from "../kit/process/id.ts";
import { defineTask } from "./task.ts";

/** Brings an organization to what Stripe says, because an event told of a change. */
export const applyProviderEvent = defineTask({
  name: "apply-provider-event",
  read({ org_id }) {
    if (typeof org_id !== "string" || !isUuid(org_id)) throw new Error("an apply-provider-event job without its id");
    return { org_id };
  },
  async run({ provider, log }, { org_id: orgId }) {
    const result = await provider?.sync.converge(orgId);
    if (result?.isChanged === true) log.info(result, "a subscription changed at Stripe");
  },
});
