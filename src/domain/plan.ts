// What the plans include.

/** Evaluations of a calendar month (UTC), by plan; null: as many as there are. */
export const evaluationsPerMonth = { free: 10_000, growth: 250_000, enterprise: null } as const;

/** A plan's identifier. */
export type Plan = keyof typeof evaluationsPerMonth;

/** Evaluations that the organization may make in a month; null: as many as there are. */
export function monthlyLimit({ plan }: { readonly plan: string }): number | null {
  return isPlan(plan) ? evaluationsPerMonth[plan] : evaluationsPerMonth.free;
}

function isPlan(plan: string): plan is Plan {
  return Object.hasOwn(evaluationsPerMonth, plan);
}
