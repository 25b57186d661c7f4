// The keyword `multipleOf` in decimal arithmetic. Schemas and values are written in decimal. Divided as doubles, 19.99
// is no multiple of 0.01, and a tolerance that accepts it would accept wrong values too. A double cannot hold
// 9007199254740993 either, so a value is compared as the text spells it, where that is known.

import { type Ajv2020, str } from "ajv/dist/2020.js";
import type { WrittenNumbers } from "./written-number.ts";

const keyword = "multipleOf";

/** Replaces the keyword of a validator. `written` has the numbers as the text spells them. */
export function addDecimalMultiples(ajv: Ajv2020, written: () => WrittenNumbers = () => none): void {
  ajv.removeKeyword(keyword);
  ajv.addKeyword({
    keyword,
    type: "number",
    schemaType: "number",
    validate: (divisor: number, value: number, _schema?: object, at?: ValuePosition) =>
      isMultipleOf(
        written()
          .get(at?.parentData)
          ?.get(String(at?.parentDataProperty ?? "")) ?? value,
        divisor,
      ),
    error: { message: ({ schemaCode }) => str`must be multiple of ${schemaCode}` },
  });
}

const none: WrittenNumbers = new Map();

/** Where the validator found a value; without a parent for the root. */
interface ValuePosition {
  readonly parentData?: unknown;
  readonly parentDataProperty?: string | number;
}

/**
 * Whether a number is a whole multiple of a positive number, each taken as the shortest decimal that represents it. The
 * number may be given as JSON text. Linear in its length. Infinity is a multiple of nothing.
 */
function isMultipleOf(value: number | string, divisor: number): boolean {
  if (!(Number.isFinite(Number(value)) && Number.isFinite(divisor))) return false;
  if (Number.isSafeInteger(value) && Number.isSafeInteger(divisor)) return Number(value) % divisor === 0;
  const [ours, theirs] = [decimalOf(value), decimalOf(divisor)];
  if (ours.digits === "") return true;
  // A number that ends in fewer zeros than the divisor is no multiple of it.
  if (ours.exponent < theirs.exponent) return false;
  const by = BigInt(theirs.digits);
  // 10^64 contains every factor 2 and 5 that a divisor of 17 digits can have; more tens do not change divisibility by
  // its other factors.
  const tens = 10n ** BigInt(Math.min(64, ours.exponent - theirs.exponent));
  return (remainder(ours.digits, by) * tens) % by === 0n;
}

/**
 * An absolute value: its digits times ten to the power of the exponent. Zero has no digits; otherwise the digits
 * neither begin nor end with 0.
 */
interface Decimal {
  readonly digits: string;
  readonly exponent: number;
}

function decimalOf(number: number | string): Decimal {
  const written = typeof number === "string" ? number : number.toExponential();
  const [mantissa = "", exponent = "0"] = written.replace(/^-/, "").toLowerCase().split("e");
  const [whole = "", fraction = ""] = mantissa.split(".");
  const digits = (whole + fraction).replace(/^0+/, "");
  const end = significantLength(digits);
  return {
    digits: digits.slice(0, end),
    exponent: Number(exponent) - fraction.length + digits.length - end,
  };
}

// A loop, since the pattern /0+$/ restarts at each 0 and takes quadratic time.
function significantLength(digits: string): number {
  let end = digits.length;
  while (digits.charAt(end - 1) === "0") end--;
  return end;
}

const digitsAtOnce = 15;

// In parts, since a text may contain a number of a million digits.
function remainder(digits: string, divisor: bigint): bigint {
  let rest = 0n;
  for (let at = 0; at < digits.length; at += digitsAtOnce) {
    const part = digits.slice(at, at + digitsAtOnce);
    rest = (rest * 10n ** BigInt(part.length) + BigInt(part)) % divisor;
  }
  return rest;
}
