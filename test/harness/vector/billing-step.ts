// Steps of vectors about plans that are bought: the key of a local page is in its address, which no vector can take
// apart.

import { advance } from "../../../src/domain/billing/subscription.ts";
import { findSubscription } from "../../../src/store/billing/subscription.ts";
import type { TestControlPlane } from "../process/control-plane.ts";
import { somewhere } from "./account-step.ts";
import type { SceneStep } from "./scene-step.ts";
import type { World } from "./world.ts";

const terms = {
  prices: { currency: "USD", amounts: { growth: 4_900, enterprise: 49_000 } },
  graceMs: 7 * 86_400_000,
  trialDays: 0,
  mailer: undefined,
};

/** A call of an admin. Throws when it fails. */
export async function callBilling(
  plane: TestControlPlane,
  { tokens }: Pick<World, "tokens">,
  method: string,
  request: Readonly<Record<string, string>>,
): Promise<Readonly<Record<string, unknown>>> {
  const answer = await plane.caller.call("rest", {
    method: `BillingService/${method}`,
    request,
    token: tokens.admin,
    headers: somewhere(),
  });
  if (answer.status >= 300) throw new Error(`${method}: ${JSON.stringify(answer.body)}`);
  return Object(answer.body);
}

/** The id and the key of a page, by its address. */
export function pageOf(url: unknown): { readonly id: string; readonly key: string } {
  const [, id = "", key = ""] = /\/([0-9a-f-]{36})#(.+)$/.exec(String(url)) ?? [];
  return { id, key };
}

/** Lets the period end at once. */
export function endPeriod(plane: TestControlPlane, orgId: string): Promise<void> {
  return plane.database.systemTransaction(orgId, async (tx) => {
    const subscription = await findSubscription(tx);
    if (subscription === null) throw new Error("there is no subscription");
    subscription.periodEnd = tx.now;
    await tx.em.flush();
    await advance(tx, terms);
  });
}

/** See scene.ts. */
export const billingSteps: Readonly<Record<string, SceneStep>> = {
  $checkout: async (request, { plane }, world) => {
    const asked = { plan: "growth", ...(request as Readonly<Record<string, string>>) };
    return { ...pageOf((await callBilling(plane, world, "CreateCheckout", asked)).url) };
  },
  $subscribed: async ({ plan, owing }, { plane }, world) => {
    const { id, key } = pageOf((await callBilling(plane, world, "CreateCheckout", { plan: String(plan) })).url);
    await callBilling(plane, world, "ConfirmCheckout", { checkout_id: id, key, result: "paid" });
    if (owing !== true) return {};
    const portal = pageOf((await callBilling(plane, world, "OpenPortal", {})).url);
    const act = { portal_id: portal.id, key: portal.key, action: "decline_payments" };
    await callBilling(plane, world, "ActInPortal", act);
    await endPeriod(plane, world.orgId);
    return {};
  },
  $portal: async (request, { plane }, world) => ({
    ...pageOf((await callBilling(plane, world, "OpenPortal", request as Readonly<Record<string, string>>)).url),
  }),
  $invoice: async (_request, { plane }, world) => {
    const { invoices } = await callBilling(plane, world, "ListInvoices", {});
    return { ...pageOf(Object((invoices as readonly unknown[])[0]).hosted_url) };
  },
};
