// What the documentation says of subscriptions, as a state and steps on it, written apart from the product: no
// database, no invoices but their number and what is open.

import type { Plan } from "../../../../../src/domain/billing/plan.ts";

const dayMs = 86_400_000;
const order: readonly Plan[] = ["free", "growth", "enterprise"];

/** How long a missing payment may take, in the model and in the product that it is compared with. */
export const graceMs = 7 * dayMs;

/** How a subscription stands. */
export interface BillingState {
  status: "none" | "trialing" | "active" | "past_due" | "blocked" | "canceled";
  plan: Plan;
  periodEnd: number | null;
  anchorDay: number;
  isEnding: boolean;
  pending: Plan | null;
  graceEnds: number | null;
  fails: boolean;
  hadOne: boolean;
  invoices: number;
  open: number;
  operatorPlan: Plan | null;
  operatorUntil: number | null;
  operatorBlock: boolean;
}

/** Nothing was ever bought. */
export function newState(): BillingState {
  return {
    ...{ status: "none", plan: "free", periodEnd: null, anchorDay: 1, isEnding: false, pending: null },
    ...{ graceEnds: null, fails: false, hadOne: false, invoices: 0, open: 0 },
    ...{ operatorPlan: null, operatorUntil: null, operatorBlock: false },
  };
}

/** What is seen of a state. */
export function seen(state: BillingState) {
  const isLive = state.status !== "none";
  const isBlocked = state.operatorBlock || state.status === "blocked";
  return {
    plan: planOf(state),
    status: isBlocked ? "blocked" : state.status,
    billingBlocked: isBlocked,
    currentPeriodEnd: isLive ? state.periodEnd : null,
    trialEndsAt: state.status === "trialing" ? state.periodEnd : null,
    graceEndsAt: isLive ? state.graceEnds : null,
    cancelAtPeriodEnd: isLive && state.isEnding,
    pendingPlan: isLive ? state.pending : null,
    invoices: state.invoices,
    open: state.open,
  };
}

/** A step: changes the state, or returns false when it is refused. */
export type Step = (state: BillingState, now: number) => boolean;

function planOf({ operatorPlan, status, plan }: BillingState): Plan {
  return operatorPlan ?? (status === "none" ? "free" : plan);
}

function begin(state: BillingState, start: number, anchorDay: number): void {
  state.anchorDay = anchorDay;
  const date = new Date(start);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth() + 1];
  const last = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  state.periodEnd = Date.UTC(year, month, Math.min(anchorDay, last)) + (start % dayMs);
}

const dayOf = (now: number) => new Date(now).getUTCDate();
const isHeld = ({ operatorPlan, operatorUntil }: BillingState) => operatorPlan !== null && operatorUntil !== null;

function purchased(state: BillingState): void {
  if (state.operatorUntil === null) state.operatorPlan = null;
}

function end(state: BillingState, now: number): void {
  const owes = state.open > 0;
  Object.assign(state, { pending: null, graceEnds: null, isEnding: owes, status: owes ? "blocked" : "none" });
  if (owes) state.periodEnd = Math.min(state.periodEnd ?? now, now);
  else Object.assign(state, { plan: "free", periodEnd: null });
}

function revive(state: BillingState): void {
  state.isEnding = false;
  if (state.status === "canceled") state.status = "active";
}

function endWithPeriod(state: BillingState): void {
  Object.assign(state, { isEnding: true, pending: null });
  if (state.status === "active") state.status = "canceled";
}

/** Somebody opens a checkout and pays, or is declined. */
export const checkout =
  (plan: Plan, isPaid: boolean, trialDays: number): Step =>
  (state, now) => {
    if (plan === "free" || state.status !== "none" || planOf(state) === plan || isHeld(state)) return false;
    if (!isPaid) return true;
    const isTrial = !state.hadOne && trialDays > 0;
    Object.assign(state, { plan, pending: null, isEnding: false, graceEnds: null, fails: false, hadOne: true });
    state.status = isTrial ? "trialing" : "active";
    if (isTrial) {
      state.periodEnd = now + trialDays * dayMs;
      state.anchorDay = dayOf(state.periodEnd);
    } else {
      begin(state, now, dayOf(now));
      state.invoices += 1;
    }
    purchased(state);
    return true;
  };

/** An admin changes the plan. */
export const change =
  (plan: Plan, when?: "now" | "period_end"): Step =>
  (state, now) => {
    if (state.status === "none") return plan === planOf(state);
    const step = order.indexOf(plan) - order.indexOf(state.plan);
    if (isHeld(state)) return false;
    if ((state.status === "past_due" || state.status === "blocked") && step > 0) return false;
    if (state.status === "blocked" && plan !== "free" && step !== 0) return false;
    const isNow = (when ?? (step > 0 ? "now" : "period_end")) === "now";
    if (step === 0) {
      state.pending = null;
      revive(state);
    } else if (plan === "free") {
      if (isNow) end(state, now);
      else endWithPeriod(state);
    } else if (!isNow) {
      revive(state);
      state.pending = plan;
    } else {
      if (step > 0 && state.fails) return false;
      revive(state);
      Object.assign(state, { plan, pending: null });
      if (step > 0 && state.status !== "trialing") state.invoices += 1;
      purchased(state);
    }
    return true;
  };

/** An admin cancels. */
export const cancel =
  (atPeriodEnd: boolean): Step =>
  (state, now) => {
    if (state.status === "none") return false;
    if (atPeriodEnd) endWithPeriod(state);
    else end(state, now);
    return true;
  };

/** Somebody presses a button of the portal. */
export const portal =
  (action: "pay_invoices" | "decline_payments" | "accept_payments" | "skip_ahead"): Step =>
  (state, now) => {
    if (!state.hadOne) return false;
    if (action === "skip_ahead") return skip(state, now);
    if (action !== "pay_invoices") {
      state.fails = action === "decline_payments";
      return true;
    }
    if (state.open === 0) return false;
    const wasBlocked = state.status === "blocked";
    Object.assign(state, { open: 0, graceEnds: null });
    if (wasBlocked && state.isEnding && (state.periodEnd ?? 0) <= now) end(state, now);
    else if (wasBlocked || state.status === "past_due") {
      state.status = state.isEnding ? "canceled" : "active";
      if (wasBlocked && (state.periodEnd ?? 0) <= now) begin(state, now, dayOf(now));
    }
    return true;
  };

function skip(state: BillingState, now: number): boolean {
  if (state.status === "none" || state.status === "blocked") return false;
  if (state.status === "past_due") state.graceEnds = now;
  else Object.assign(state, { periodEnd: now, anchorDay: dayOf(now) });
  return pass(state, now);
}

/** The worker does what is due. */
export const pass: Step = (state, now) => {
  for (;;) {
    if (state.status === "past_due" && (state.graceEnds ?? now) <= now)
      Object.assign(state, { status: "blocked", graceEnds: null });
    const runs = state.status === "active" || state.status === "canceled" || state.status === "trialing";
    if (!runs || (state.periodEnd ?? 0) > now) break;
    if (state.isEnding || state.pending === "free" || (state.status === "trialing" && state.fails)) end(state, now);
    else {
      Object.assign(state, { plan: state.pending ?? state.plan, pending: null, status: "active" });
      begin(state, state.periodEnd ?? now, state.anchorDay);
      state.invoices += 1;
      if (state.fails) {
        state.open += 1;
        Object.assign(state, { status: "past_due", graceEnds: now + graceMs });
      }
    }
  }
  if (state.operatorUntil !== null && state.operatorUntil <= now)
    Object.assign(state, { operatorPlan: null, operatorUntil: null });
  return true;
};

/** The operator sets a plan. */
export const setPlan =
  (plan: Plan, untilMs: number | null): Step =>
  (state, now) => {
    Object.assign(state, { operatorPlan: plan, operatorUntil: untilMs === null ? null : now + untilMs });
    return true;
  };

/** The operator blocks. */
export const block: Step = (state) => {
  state.operatorBlock = true;
  return true;
};

/** The operator opens. */
export const unblock: Step = (state, now) => {
  state.operatorBlock = false;
  if (state.status !== "blocked") return true;
  const owes = state.open > 0;
  Object.assign(state, { status: owes ? "past_due" : "active", graceEnds: owes ? now + graceMs : null });
  return true;
};
