// What the plans include.

/** Evaluations of a calendar month (UTC), by plan; null: as many as there are. */
export const evaluationsPerMonth = { free: 10_000, growth: 250_000, enterprise: null } as const;

/** A plan's identifier. */
export type Plan = keyof typeof evaluationsPerMonth;
