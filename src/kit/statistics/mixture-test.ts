// Whether the rate of an event lies below a bound, by a test that may be looked at after every observation.
//
// The likelihood of the observations, averaged over all rates below the bound and divided by that at the bound itself,
// is a supermartingale whose expectation is at most one while the rate is not below the bound. By Ville's inequality
// (1939) it ever reaches 1/alpha with a probability of alpha at most, however often and by whatever rule one looks; see
// Robbins (1970), "Statistical methods related to the law of the iterated logarithm", on mixtures. It asks for no
// independent observations: it is enough that each, whatever came before it, is an event with at least that
// probability.

/** How often an event occurred. */
export interface EventCount {
  readonly observations: number;
  readonly events: number;
}

// More observations than that say nothing new, and would take longer. Runtimes may report anything.
const maxObservations = 1e9;

/** The logarithm of the evidence that the rate lies below the bound. At log(1 / alpha) it does. */
export function evidenceBelow(count: EventCount, bound: number): number {
  const { observations, events } = within(count);
  const others = observations - events;
  return logIntegral(events, others, bound) - Math.log(bound) - logLikelihood(events, others, bound);
}

/** The logarithm of the evidence that the rate lies above the bound: the mirror image. */
export function evidenceAbove({ observations, events }: EventCount, bound: number): number {
  return evidenceBelow({ observations, events: observations - events }, 1 - bound);
}

// The bounds between which the certain rate is looked for are halved so often.
const halvings = 40;

/**
 * The largest bound above which the rate is found to lie at this alpha; 0 where there is none. It is the lower end of a
 * confidence sequence: over all moments at which one looks, it exceeds the rate with a probability of alpha at most.
 */
export function certainRate(count: EventCount, alpha: number): number {
  if (count.events === 0) return 0;
  const wanted = Math.log(1 / alpha);
  // Evidence falls from the bound 0 to the share that was observed, at which there is none.
  let [found, not] = [0, count.events / count.observations];
  for (let halving = 0; halving < halvings; halving++) {
    const middle = (found + not) / 2;
    if (evidenceAbove(count, middle) >= wanted) found = middle;
    else not = middle;
  }
  return found;
}

/** Observations in all at which the rate is found to lie below the bound if no further event occurs. */
export function neededObservations({ events }: EventCount, bound: number, alpha: number): number {
  const wanted = Math.log(1 / alpha);
  const suffices = (observations: number) => evidenceBelow({ observations, events }, bound) >= wanted;
  // Evidence grows with further observations once the share of events is below the bound.
  let few = Math.ceil(events / bound);
  let enough = Math.max(2 * few, 2);
  for (; enough <= maxObservations && !suffices(enough); enough *= 2) few = enough;
  if (enough > maxObservations) return enough;
  while (enough - few > 1) {
    const middle = Math.floor((few + enough) / 2);
    if (suffices(middle)) enough = middle;
    else few = middle;
  }
  return enough;
}

function within({ observations, events }: EventCount): EventCount {
  if (observations <= maxObservations) return { observations, events };
  return { observations: maxObservations, events: (events / observations) * maxObservations };
}

function logLikelihood(events: number, others: number, rate: number): number {
  return events * Math.log(rate) + others * Math.log1p(-rate);
}

/** The logarithm of the integral of the likelihood over rates from 0 to `bound`: an incomplete beta function. */
function logIntegral(events: number, others: number, bound: number): number {
  const [a, b] = [events + 1, others + 1];
  const edge = a * Math.log(bound) + b * Math.log1p(-bound);
  // The continued fraction converges on the side of the mean that has less mass.
  if (bound < (a + 1) / (a + b + 2)) return edge - Math.log(a) + Math.log(betaFraction(a, b, bound));
  const above = edge - Math.log(b) + Math.log(betaFraction(b, a, 1 - bound));
  const whole = logGamma(a) + logGamma(b) - logGamma(a + b);
  return whole + Math.log1p(-Math.exp(Math.min(above - whole, 0)));
}

const tiny = 1e-300;
// It takes some multiple of the root of the count.
const maxTerms = 200_000;

/** The continued fraction of the incomplete beta function by Lentz's method (DLMF 8.17.22). */
function betaFraction(a: number, b: number, x: number): number {
  const kept = (value: number) => (Math.abs(value) < tiny ? tiny : value);
  let c = 1;
  let d = 1 / kept(1 - ((a + b) * x) / (a + 1));
  let fraction = d;
  for (let m = 1; m <= maxTerms; m++) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / kept(1 + even * d);
    c = kept(1 + even / c);
    fraction *= d * c;
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / kept(1 + odd * d);
    c = kept(1 + odd / c);
    const factor = d * c;
    fraction *= factor;
    if (Math.abs(factor - 1) < 1e-14) break;
  }
  return fraction;
}

/** The logarithm of the gamma function of a number from 1 on, by Stirling's series (DLMF 5.11.1). */
function logGamma(given: number): number {
  let x = given;
  let shift = 0;
  for (; x < 12; x += 1) shift += Math.log(x);
  const square = x * x;
  const series = (1 / 12 - (1 / 360 - (1 / 1260 - 1 / (1680 * square)) / square) / square) / x;
  return (x - 0.5) * Math.log(x) - x + 0.5 * Math.log(2 * Math.PI) + series - shift;
}
