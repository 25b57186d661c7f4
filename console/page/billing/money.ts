/** An amount in minor units as people read it: "$49.00". */
export function money(currency: string, amountMinor: number): string {
  const format = new Intl.NumberFormat("en", { style: "currency", currency });
  return format.format(amountMinor / 10 ** (format.resolvedOptions().maximumFractionDigits ?? 2));
}
