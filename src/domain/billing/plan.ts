// The plans: their names, limits and features.

/** Evaluations of a calendar month (UTC), by plan; null without a limit. */
export const evaluationsPerMonth = { free: 10_000, growth: 250_000, enterprise: null } as const;

/** A plan's identifier. */
export type Plan = keyof typeof evaluationsPerMonth;

/** The plans, from the smallest to the largest. */
export const plans: readonly Plan[] = ["free", "growth", "enterprise"];

/** What people call the plans. */
export const planNames: Readonly<Record<Plan, string>> = {
  free: "Starter",
  growth: "Growth",
  enterprise: "Enterprise",
};

/** What a plan has besides more evaluations. */
export const planFeatures: Readonly<Record<Plan, readonly string[]>> = {
  free: [],
  growth: ["alerts", "raised_limit"],
  enterprise: ["alerts", "scim", "unlimited_evaluations"],
};

/**
 * Evaluations that the organization may make in a month; null without a limit. On growth, the operator may have set a
 * higher one.
 */
export function monthlyLimit({
  plan,
  evaluationsLimit,
}: {
  readonly plan: Plan;
  readonly evaluationsLimit?: number | null | undefined;
}): number | null {
  return plan === "growth" ? (evaluationsLimit ?? evaluationsPerMonth.growth) : evaluationsPerMonth[plan];
}

/** Whether there is such a plan. */
export function isPlan(plan: string): plan is Plan {
  return Object.hasOwn(evaluationsPerMonth, plan);
}

/** Below 0 when the first plan is the smaller one, above 0 when it is the larger one. */
export function comparePlans(one: Plan, other: Plan): number {
  return plans.indexOf(one) - plans.indexOf(other);
}
