// What plans cost where no payment provider is configured.

import type { Plan } from "./plan.ts";

/** What a month of each plan costs, in minor units of `currency`. */
export interface PriceList {
  readonly currency: string;
  readonly amounts: Readonly<Partial<Record<Plan, number>>>;
}

const maxAmount = 100_000_000;

/** Reads a list such as ["growth=4900", "enterprise=49000"]. Throws when it is none. */
export function readPrices(entries: readonly string[]): PriceList {
  const amounts: Partial<Record<Plan, number>> = {};
  for (const entry of entries) {
    const [, plan, amount] = /^(growth|enterprise)=([1-9]\d{0,8})$/.exec(entry) ?? [];
    if (plan === undefined || Number(amount) > maxAmount)
      throw new Error(`STUB_PRICES: "${entry}"; expected prices such as growth=4900,enterprise=49000, in minor units`);
    amounts[plan as Plan] = Number(amount); // one of the two that the pattern takes
  }
  return { currency: "USD", amounts };
}

/** An amount for people, such as "49.00 USD". */
export function shownAmount(amountMinor: number, currency: string): string {
  const sign = amountMinor < 0 ? "-" : "";
  const text = String(Math.abs(amountMinor)).padStart(3, "0");
  return `${sign}${text.slice(0, -2)}.${text.slice(-2)} ${currency.toUpperCase()}`;
}
