// The normal distribution.

/**
 * The quantile of the standard normal distribution at `p`, above 0 and below 1. M. J. Wichura, algorithm AS 241
 * (PPND7), Applied Statistics 37 (1988), 477-484: right to some seven digits.
 */
export function normalQuantile(p: number): number {
  const q = p - 0.5;
  if (Math.abs(q) <= 0.425) {
    const r = 0.180625 - q * q;
    const top = ((59.10937472 * r + 159.29113202) * r + 50.434271938) * r + 3.3871327179;
    return (q * top) / (((67.1875636 * r + 78.757757664) * r + 17.895169469) * r + 1);
  }
  const r = Math.sqrt(-Math.log(q < 0 ? p : 1 - p));
  return q < 0 ? -tailQuantile(r) : tailQuantile(r);
}

function tailQuantile(root: number): number {
  if (root <= 5) {
    const r = root - 1.6;
    const top = ((0.17023821103 * r + 1.3067284816) * r + 2.75681539) * r + 1.4234372777;
    return top / ((0.12021132975 * r + 0.7370016425) * r + 1);
  }
  const r = root - 5;
  const top = ((0.017337203997 * r + 0.42868294337) * r + 3.081226386) * r + 6.657905115;
  return top / ((0.012258202635 * r + 0.24197894225) * r + 1);
}
