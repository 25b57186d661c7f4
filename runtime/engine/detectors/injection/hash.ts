// Hashes n-grams to features. Weights depend on this function: a change here needs new ones.

/** Number of bits of a feature. */
export const featureBits = 18;

/** Adds a value to a hash. */
export function mix(hash: number, value: number): number {
  const mixed = Math.imul(hash ^ value, 0x01000193);
  return mixed ^ (mixed >>> 13);
}

/** The feature of a hash. */
export function featureOf(hash: number): number {
  return Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d) >>> (32 - featureBits);
}
