// Arithmetic of check digits.

/** The digits of a text as numbers. */
export function digitsOf(text: string): number[] {
  return [...text].map(Number);
}

/** The sum of digits multiplied by their weights, which repeat. */
export function weighted(text: string, weights: readonly number[]): number {
  let sum = 0;
  for (let i = 0; i < text.length; i++) sum += (text.charCodeAt(i) - 48) * (weights[i % weights.length] ?? 0);
  return sum;
}

/** The remainder of a long number. */
export function remainder(digits: string, modulus: number): number {
  let rest = 0;
  for (const digit of digits) rest = (rest * 10 + Number(digit)) % modulus;
  return rest;
}

/** Whether all characters are equal, as in invented numbers. */
export function isUniform(text: string): boolean {
  return /^(.)\1*$/.test(text);
}

const dihedral = [
  "0123456789",
  "1234067895",
  "2340178956",
  "3401289567",
  "4012395678",
  "5987604321",
  "6598710432",
  "7659821043",
  "8765932104",
  "9876543210",
];
const permutations = [
  "0123456789",
  "1576283094",
  "5803796142",
  "8916043527",
  "9453126870",
  "4286573901",
  "2793806415",
  "7046913258",
];

/** J. Verhoeff, "Error Detecting Decimal Codes", 1969: the last digit is a check of all others. */
export function passesVerhoeff(digits: string): boolean {
  let check = 0;
  for (let i = 0; i < digits.length; i++) {
    const digit = Number(digits[digits.length - 1 - i]);
    const permuted = Number(permutations[i % 8]?.[digit]);
    check = Number(dihedral[check]?.[permuted]);
  }
  return check === 0;
}

/** ISO 7064, MOD 11,10: the last digit is a check of all others. */
export function passesMod11And10(digits: string): boolean {
  let product = 10;
  for (const digit of digits.slice(0, -1)) {
    const sum = (Number(digit) + product) % 10;
    product = ((sum === 0 ? 10 : sum) * 2) % 11;
  }
  return (11 - product) % 10 === Number(digits.at(-1));
}

/** Whether a date exists. A year of two digits may belong to any century. */
export function isDate(year: number, month: number, day: number): boolean {
  if (month < 1 || month > 12 || day < 1) return false;
  const leap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 || year === 0;
  const lengths = [31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
  return day <= (lengths[month - 1] ?? 0);
}

/** Whether the six digits from an offset are year, month and day. */
export function hasDate(digits: string, at: number): boolean {
  return isDate(
    Number(digits.slice(at, at + 2)),
    Number(digits.slice(at + 2, at + 4)),
    Number(digits.slice(at + 4, at + 6)),
  );
}
