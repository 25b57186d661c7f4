// Decodes the ASCII form of an internationalised host: https://www.rfc-editor.org/rfc/rfc3492, section 6.

const base = 36;
const tMin = 1;
const tMax = 26;
const skew = 38;
const damp = 700;
const firstBias = 72;
const firstCode = 0x80;
const maxLabelLength = 63;

/** The Unicode form of a host label without its "xn--". Undefined when the label is invalid. */
export function fromPunycode(label: string): string | undefined {
  if (label.length > maxLabelLength) return undefined;
  const hyphen = label.lastIndexOf("-");
  const points = [...label.slice(0, Math.max(0, hyphen))].map((char) => char.charCodeAt(0));
  let bias = firstBias;
  let code = firstCode;
  let at = hyphen + 1;
  for (let index = 0; at < label.length; index++) {
    const before = index;
    const read = integerAt(label, at, bias);
    if (read === undefined) return undefined;
    at = read.next;
    index += read.value;
    bias = adapted(index - before, points.length + 1, before === 0);
    code += Math.floor(index / (points.length + 1));
    if (code > 0x10ffff) return undefined;
    index %= points.length + 1;
    points.splice(index, 0, code);
  }
  return String.fromCodePoint(...points);
}

// A variable-length integer, least significant digit first.
function integerAt(label: string, from: number, bias: number): { value: number; next: number } | undefined {
  let value = 0;
  let weight = 1;
  for (let at = from, k = base; at < label.length; at++, k += base) {
    const digit = digitOf(label.charCodeAt(at));
    if (digit === undefined) return undefined;
    value += digit * weight;
    const least = Math.min(tMax, Math.max(tMin, k - bias));
    if (digit < least) return { value, next: at + 1 };
    weight *= base - least;
  }
  return undefined;
}

function digitOf(unit: number): number | undefined {
  if (unit >= 0x61 && unit <= 0x7a) return unit - 0x61;
  return unit >= 0x30 && unit <= 0x39 ? unit - 0x30 + 26 : undefined;
}

function adapted(delta: number, count: number, isFirst: boolean): number {
  let rest = Math.floor(delta / (isFirst ? damp : 2));
  rest += Math.floor(rest / count);
  let k = 0;
  for (; rest > ((base - tMin) * tMax) / 2; k += base) rest = Math.floor(rest / (base - tMin));
  return k + Math.floor(((base - tMin + 1) * rest) / (rest + skew));
}
