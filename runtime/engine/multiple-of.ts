// The keyword `multipleOf` in decimal. A schema and a value say what they mean in decimal; divided as doubles, 19.99 is no multiple
// of 0.01, and a tolerance that lets it through would let other values through as well.

import { type Ajv2020, str } from "ajv/dist/2020.js";

const keyword = "multipleOf";

/** Gives a validator the keyword as it is here, in place of its own. */
export function addDecimalMultiples(ajv: Ajv2020): void {
  ajv.removeKeyword(keyword);
  ajv.addKeyword({
    keyword,
    type: "number",
    schemaType: "number",
    validate: (divisor: number, value: number) => isMultipleOf(value, divisor),
    error: { message: ({ schemaCode }) => str`must be multiple of ${schemaCode}` },
  });
}

/** Whether a finite number is a whole multiple of a positive one, each taken as the shortest decimal that stands for it. */
export function isMultipleOf(value: number, divisor: number): boolean {
  if (Number.isSafeInteger(value) && Number.isSafeInteger(divisor)) return value % divisor === 0;
  const [ours, theirs] = [decimalOf(value), decimalOf(divisor)];
  const unit = Math.min(ours.exponent, theirs.exponent);
  return scaled(ours, unit) % scaled(theirs, unit) === 0n;
}

/** A magnitude: its digits times ten to the power of the exponent. */
interface Decimal {
  readonly digits: bigint;
  readonly exponent: number;
}

function decimalOf(number: number): Decimal {
  const [mantissa = "", exponent] = Math.abs(number).toExponential().split("e");
  const [whole = "", fraction = ""] = mantissa.split(".");
  return { digits: BigInt(whole + fraction), exponent: Number(exponent) - fraction.length };
}

// A double has at most 17 digits and exponents from -324 to 308: the product stays below 2,200 bits.
function scaled({ digits, exponent }: Decimal, unit: number): bigint {
  return digits * 10n ** BigInt(exponent - unit);
}
