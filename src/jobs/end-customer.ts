import { defineTask } from "./task.ts";

/** Ends what a deleted organization has bought at Stripe. */
export const endCustomer = defineTask({
  name: "end-customer",
  read({ customer_id, session_ids }) {
    if (typeof customer_id !== "string") throw new Error("an end-customer job without its customer");
    return { customer_id, session_ids: Array.isArray(session_ids) ? session_ids.map(String) : [] };
  },
  async run({ provider }, { customer_id: customerId, session_ids: sessionIds }) {
    // The job stays, and is tried again, until somebody connects Stripe again or ends the subscription there by hand.
    if (provider === undefined) throw new Error(`Stripe is not connected; end the subscription of ${customerId} there`);
    await provider.upkeep.end(customerId, sessionIds);
  },
});
