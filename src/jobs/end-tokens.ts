import { isUuid } from "../kit/process/id.ts";
import { defineTask } from "./task.ts";

/**
 * Ends the tokens and invitations of a person whose admin role an identity provider took away, unless they have it
 * again.
 */
export const endTokens = defineTask({
  name: "end-tokens",
  read({ org_id, account_id }) {
    const isWhole =
      typeof org_id === "string" && isUuid(org_id) && typeof account_id === "string" && isUuid(account_id);
    if (!isWhole) throw new Error("an end-tokens job without its ids");
    return { org_id, account_id };
  },
  run: ({ departures }, former) => departures.settle(former),
});
