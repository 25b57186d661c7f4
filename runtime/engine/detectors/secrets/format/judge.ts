// Judges the content of tokens: check sums and encoded parts.

import { hasChecksum } from "../checksum.ts";
import type { TokenVerdict } from "../token.ts";

const summed: TokenVerdict = { score: 0.99, basis: "published form and check sum" };
const wrong: TokenVerdict = { score: 0.7, basis: "published form, wrong check sum" };
const refused: TokenVerdict = { score: 0, basis: "wrong check sum" };

/**
 * Judges a token whose last six characters should be the check sum of the text after its prefix: without a valid check
 * sum it was probably never issued.
 */
export function checksumAfter(bodyFrom: number): (token: string) => TokenVerdict {
  return (token) => (hasChecksum(token.slice(bodyFrom)) ? summed : wrong);
}

/** Judges a token that needs a valid check sum over all of it. */
export function checksumOfAll(token: string): TokenVerdict {
  return hasChecksum(token) ? summed : refused;
}

/** Requires letters of both cases, or letters and digits, as in random text over a mixed alphabet. */
export function mixed(score: number): (token: string) => TokenVerdict {
  return (token) => {
    const kinds = [/[a-z]/, /[A-Z]/, /\d/].filter((kind) => kind.test(token)).length;
    return { score: kinds === 3 ? score : 0, basis: "published form" };
  };
}

/** Requires small letters and digits, as in random text. */
export function mixedLower(token: string): TokenVerdict {
  return { score: /[a-z]/.test(token) && /\d.*\d/.test(token) ? 0.85 : 0, basis: "published form" };
}
