// The binomial distribution, exactly.

/**
 * The probability of at most `k` successes in `n` trials of probability `p`. Terms are summed from the largest to the
 * smallest, in logarithms, so that nothing leaves the range of numbers.
 */
export function binomialAtMost(k: number, n: number, p: number): number {
  if (k >= n || p <= 0) return 1;
  if (k < 0 || p >= 1) return 0;
  const logOdds = Math.log(p) - Math.log1p(-p);
  const mode = Math.min(k, Math.floor((n + 1) * p));
  const logAtMode = logChoose(n, mode) + mode * Math.log(p) + (n - mode) * Math.log1p(-p);
  let sum = 1;
  for (let at = mode, term = 0; at > 0 && term > -745; at--) {
    term += Math.log(at / (n - at + 1)) - logOdds;
    sum += Math.exp(term);
  }
  for (let at = mode, term = 0; at < k && term > -745; at++) {
    term += Math.log((n - at) / (at + 1)) + logOdds;
    sum += Math.exp(term);
  }
  return Math.min(1, Math.exp(logAtMode + Math.log(sum)));
}

function logChoose(n: number, k: number): number {
  let sum = 0;
  const fewer = Math.min(k, n - k);
  for (let at = 1; at <= fewer; at++) sum += Math.log((n - fewer + at) / at);
  return sum;
}
