// Periods of a subscription. They begin on the same day of each month, or on its last one where it has no such day: one
// of January 31 begins on February 28, March 31, April 30.

const dayMs = 86_400_000;

/** When the period that begins here ends. */
export function endOfPeriod(start: Date, anchorDay: number): Date {
  const [year, month] = [start.getUTCFullYear(), start.getUTCMonth() + 1];
  const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  const midnight = Date.UTC(year, month, Math.min(anchorDay, lastDay));
  return new Date(midnight + (start.getTime() % dayMs));
}

/** What the rest of a period costs more on a larger plan: half a minor unit and more is rounded up. */
export function prorated(
  differenceMinor: number,
  { start, end, now }: { readonly start: Date; readonly end: Date; readonly now: Date },
): number {
  const whole = Math.round((end.getTime() - start.getTime()) / 1_000);
  const left = Math.max(0, Math.min(whole, Math.round((end.getTime() - now.getTime()) / 1_000)));
  // In integers: a product of money and seconds is exact, a quotient of floats is not.
  const doubled = BigInt(differenceMinor) * BigInt(left) * 2n;
  return Number((doubled + BigInt(whole)) / (BigInt(whole) * 2n));
}
