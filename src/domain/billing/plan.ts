// The plans and their limits.

/** Evaluations of a calendar month (UTC), by plan; null without a limit. */
export const evaluationsPerMonth = { free: 10_000, growth: 250_000, enterprise: null } as const;

/** A plan's identifier. */
export type Plan = keyof typeof evaluationsPerMonth;

/**
 * Evaluations that the organization may make in a month; null without a limit. The operator may have set a limit of its
 * own.
 */
export function monthlyLimit({
  plan,
  evaluationsLimit,
}: {
  readonly plan: Plan;
  readonly evaluationsLimit?: number | null | undefined;
}): number | null {
  return evaluationsLimit ?? evaluationsPerMonth[plan];
}

/** Whether there is such a plan. */
export function isPlan(plan: string): plan is Plan {
  return Object.hasOwn(evaluationsPerMonth, plan);
}
