// What the inside of a token says about it: check sums and encoded parts.

import { hasChecksum } from "../checksum.ts";
import type { TokenVerdict } from "../token.ts";

const summed: TokenVerdict = { score: 0.99, basis: "published form and check sum" };
const wrong: TokenVerdict = { score: 0.7, basis: "published form, wrong check sum" };
const refused: TokenVerdict = { score: 0, basis: "wrong check sum" };

/** A token whose last six characters should be the check sum of what follows its prefix: without it, it was hardly issued. */
export function checksumAfter(bodyFrom: number): (token: string) => TokenVerdict {
  return (token) => (hasChecksum(token.slice(bodyFrom)) ? summed : wrong);
}

/** A token of which nothing passes without its check sum over all of it. */
export function checksumOfAll(token: string): TokenVerdict {
  return hasChecksum(token) ? summed : refused;
}

/** Letters in both cases, or letters and digits, as random characters of a mixed alphabet have. */
export function mixed(score: number): (token: string) => TokenVerdict {
  return (token) => {
    const kinds = [/[a-z]/, /[A-Z]/, /\d/].filter((kind) => kind.test(token)).length;
    return { score: kinds === 3 ? score : 0, basis: "published form" };
  };
}

/** Small letters and digits, as random characters have. */
export function mixedLower(token: string): TokenVerdict {
  return { score: /[a-z]/.test(token) && /\d.*\d/.test(token) ? 0.85 : 0, basis: "published form" };
}
