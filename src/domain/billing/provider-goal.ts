// What has to be done at Stripe so that it has what was decided here: one step at a time, each chosen by what Stripe
// says after the one before. So whoever goes on after a crash needs no memory of what was done, and a step that was
// done is never planned again.

import type { SubscriptionFacts } from "../../platform/stripe/facts.ts";
import type { StripeSettings } from "../../platform/stripe/settings.ts";
import type { ScheduleChanges, StripeApi, SubscriptionChanges } from "../../platform/stripe/stripe.ts";
import type { IntentKind } from "../../store/billing/billing-intent.ts";
import { comparePlans, type Plan } from "./plan.ts";
import { isPriced, plannedPlan, planOfSubscription } from "./stripe-plan.ts";

/** What is wanted. */
export interface Goal {
  readonly kind: IntentKind;
  /** The plan to have, of a switch. */
  readonly plan: Plan | null;
}

/** One call. */
export interface Step {
  /** Names the call in its idempotency key. */
  readonly name: "release" | "resume" | "switch" | "schedule" | "phases" | "cancel" | "end";
  readonly run: (api: StripeApi, key: string) => Promise<void>;
}

/** The next call; undefined when the goal is reached, or out of reach because the subscription has ended. */
export function nextStep(goal: Goal, facts: SubscriptionFacts | undefined, settings: StripeSettings): Step | undefined {
  if (facts === undefined || facts.status === "canceled" || facts.status === "incomplete_expired") return undefined;
  switch (goal.kind) {
    case "end":
      return { name: "end", run: (api, key) => api.endSubscription(facts.id, key) };
    case "cancel":
      return release(facts) ?? cancel(facts);
    case "keep":
      return release(facts) ?? resume(facts);
    case "switch":
      return release(facts) ?? resume(facts) ?? switchPlan(goal, facts, settings);
    case "switch_later":
      return resume(facts) ?? switchLater(goal, facts, settings);
    default:
      return goal.kind satisfies never;
  }
}

/** A subscription under a schedule takes orders from that alone. */
function release({ schedule }: SubscriptionFacts): Step | undefined {
  return schedule && { name: "release", run: (api, key) => api.releaseSchedule(schedule.id, key) };
}

/** Takes a cancellation back, whichever of the two forms it has. */
function resume({ id, cancelAtPeriodEnd, cancelAt }: SubscriptionFacts): Step | undefined {
  if (!cancelAtPeriodEnd && cancelAt === undefined) return undefined;
  const changes: SubscriptionChanges = cancelAtPeriodEnd ? { cancel_at_period_end: false } : { cancel_at: "" };
  return { name: "resume", run: (api, key) => api.updateSubscription(id, changes, key) };
}

function cancel({ id, cancelAtPeriodEnd, cancelAt, periodEnd }: SubscriptionFacts): Step | undefined {
  if (cancelAtPeriodEnd || (cancelAt !== undefined && cancelAt <= periodEnd)) return undefined;
  return { name: "cancel", run: (api, key) => api.updateSubscription(id, { cancel_at_period_end: true }, key) };
}

/** A larger plan is paid at once or not had; a smaller one costs nothing, and nothing is paid back. */
function switchPlan({ plan }: Goal, facts: SubscriptionFacts, settings: StripeSettings): Step | undefined {
  const current = planOfSubscription(facts, settings);
  if (plan === null || !isPriced(plan) || current === plan) return undefined;
  const isLarger = comparePlans(plan, current) > 0;
  const changes: SubscriptionChanges = {
    items: [{ id: facts.itemId, price: soldPrice(plan, settings) }],
    metadata: { policy_guard_plan: plan },
    proration_behavior: isLarger ? "always_invoice" : "none",
    ...(isLarger && { payment_behavior: "error_if_incomplete" }),
  };
  return { name: "switch", run: (api, key) => api.updateSubscription(facts.id, changes, key) };
}

function switchLater({ plan }: Goal, facts: SubscriptionFacts, settings: StripeSettings): Step | undefined {
  const { id, schedule, periodEnd, priceId } = facts;
  if (plan === null || !isPriced(plan)) return undefined;
  if (planOfSubscription(facts, settings) === plan) return release(facts);
  if (schedule === undefined) return { name: "schedule", run: (api, key) => api.createSchedule(id, key) };
  if (plannedPlan(facts, settings) === plan) return undefined;
  const start = schedule.phases.find((phase) => phase.start < periodEnd && phase.end >= periodEnd)?.start;
  const changes: ScheduleChanges = {
    end_behavior: "release",
    proration_behavior: "none",
    phases: [
      {
        items: [{ price: priceId, quantity: 1 }],
        start_date: seconds(start ?? facts.periodStart),
        end_date: seconds(periodEnd),
      },
      {
        items: [{ price: soldPrice(plan, settings), quantity: 1 }],
        start_date: seconds(periodEnd),
        duration: { interval: "month", interval_count: 1 },
        metadata: { policy_guard_plan: plan },
        proration_behavior: "none",
      },
    ],
  };
  return { name: "phases", run: (api, key) => api.updateSchedule(schedule.id, changes, key) };
}

function soldPrice(plan: "growth" | "enterprise", { prices }: StripeSettings): string {
  const [price] = prices[plan];
  if (price === undefined) throw new Error(`the plan ${plan} is not sold`);
  return price;
}

function seconds(moment: Date): number {
  return Math.floor(moment.getTime() / 1_000);
}
