// Which plan a price of Stripe stands for.

import { Reason } from "../../../gen/policyguard/common/v1/reason_pb.ts";
import { Fault } from "../../kit/fault/fault.ts";
import type { SubscriptionFacts } from "../../platform/stripe/facts.ts";
import type { PricedPlan, StripeSettings } from "../../platform/stripe/settings.ts";
import { type Plan, plans } from "./plan.ts";

/** A subscription to a price that the settings do not name. Nothing changes until they do. */
export class UnknownPrice extends Fault {
  constructor({ id, priceId }: Pick<SubscriptionFacts, "id" | "priceId">) {
    super(
      Reason.CONFLICT,
      `the subscription ${id} has the price ${priceId}, which stands in no STRIPE_PRICE_… variable; ` +
        "add it behind the one that is sold, or change the subscription in Stripe",
    );
  }
}

/** Whether the plan has a price. */
export function isPriced(plan: Plan): plan is PricedPlan {
  return plan !== "free";
}

/** The plan of a subscription: by its price, or else by what was written on it when it was bought. */
export function planOfSubscription(facts: SubscriptionFacts, settings: StripeSettings): PricedPlan {
  const plan = planOfPrice(facts.priceId, settings) ?? plans.find((plan) => plan === facts.planNote);
  if (plan === undefined || !isPriced(plan)) throw new UnknownPrice(facts);
  return plan;
}

/** The plan of a price; undefined for one that the settings do not name. */
export function planOfPrice(priceId: string, { prices }: StripeSettings): PricedPlan | undefined {
  return plans.filter(isPriced).find((plan) => prices[plan].includes(priceId));
}

/** The plan that a schedule begins with the next period; undefined when it begins none. */
export function plannedPlan(
  { schedule, periodEnd }: Pick<SubscriptionFacts, "schedule" | "periodEnd">,
  settings: StripeSettings,
): PricedPlan | undefined {
  const next = schedule?.phases.find(({ start }) => start >= periodEnd);
  return next && planOfPrice(next.priceId, settings);
}
