import { createContextValues } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { type BillingDomain, billingHandlers } from "../../../../src/rpc/billing/billing.ts";

test("an event of Stripe is told that Stripe is not connected, where it is not", async () => {
  // Nothing else of the domain is called.
  const { receiveStripeEvent } = billingHandlers({ providerEvents: undefined } as BillingDomain);
  const context = { values: createContextValues() } as Parameters<typeof receiveStripeEvent>[1];
  await expect(receiveStripeEvent((async function* () {})(), context)).rejects.toMatchObject({
    message: "Stripe is not connected to this installation",
  });
});
