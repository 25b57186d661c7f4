// Stretches that are codes of characters.

import { beginsUtf8 } from "../utf8.ts";
import type { Stretch } from "./disguise.ts";
import type { Signs } from "./sign.ts";

/** The longest stretch that is decoded, in units. */
const longest = 16_384;
const leastText = 8;

/** A code: where it may be, and what it says. */
interface Code {
  readonly layer: string;
  readonly sign: keyof Signs;
  /**
   * Matches a whole stretch. No part of it can be read in two ways, so that searching takes linear time: what may follow a part can be no
   * beginning of another one. A test holds all expressions of detectors to that with texts that are almost matches.
   */
  readonly pattern: RegExp;
  readonly decode: (stretch: string) => string | undefined;
}

const codes: readonly Code[] = [
  { layer: "hex", sign: "longRuns", pattern: /(?<![0-9a-f])(?:[0-9a-f]{2}){8,}(?![0-9a-f])/gi, decode: fromHex },
  {
    layer: "hex",
    sign: "hexPairs",
    pattern: /(?<![0-9a-z])(?:(?:0x|\\x)?[0-9a-f]{2}[ ,:;]{1,2}){7,}(?:0x|\\x)?[0-9a-f]{2}(?![0-9a-z])/gi,
    decode: fromHex,
  },
  { layer: "binary", sign: "bits", pattern: /(?<![0-9])[01](?:[ ,]?[01]){41,}(?![0-9])/g, decode: fromBinary },
  {
    layer: "decimal",
    sign: "numbers",
    pattern: /(?<![0-9])(?:[0-9]{2,3}[ ,;-]{1,2}){7,}[0-9]{2,3}(?![0-9])/g,
    decode: fromNumbers,
  },
  { layer: "url", sign: "percents", pattern: /[^\s%]{0,64}(?:%[0-9a-f]{2}[^\s%]{0,64}){4,}/gi, decode: fromPercent },
  {
    layer: "quoted_printable",
    sign: "equals",
    pattern: /(?:=[0-9a-f]{2}[^\s=]{0,16}){4,}/gi,
    decode: (stretch) => fromPercent(stretch.replaceAll("=", "%")),
  },
  {
    layer: "html",
    sign: "entities",
    pattern: /(?:&(?:#[0-9]{1,7}|#x[0-9a-f]{1,6}|lt|gt|amp|quot|nbsp);[^&]{0,32}){4,}/gi,
    decode: fromEntities,
  },
  {
    layer: "escape",
    sign: "escapes",
    pattern: /(?:\\(?:u[0-9a-f]{4}|u\{[0-9a-f]{1,6}\}|x[0-9a-f]{2}|[0-7]{3})[^\\]{0,32}){4,}/gi,
    decode: fromEscapes,
  },
  {
    layer: "base32",
    sign: "longRuns",
    pattern: /(?<![A-Z0-9])[A-Z2-7]{16,}={0,6}(?![A-Za-z0-9])/g,
    decode: fromBase32,
  },
  {
    layer: "morse",
    sign: "morse",
    pattern: /(?:[.\-·•−–]{1,6}(?: {1,3}| ?[/|] ?|\n)){5,}[.\-·•−–]{1,6}/g,
    decode: fromMorse,
  },
  {
    layer: "tags",
    sign: "hidden",
    pattern: /(?:\udb40[\udc20-\udc7e]){4,}/g,
    decode: (stretch) => fromUnits(stretch, 1, 2, 0xdc00),
  },
  {
    layer: "selectors",
    sign: "hidden",
    pattern: /(?:[\ufe00-\ufe0f]|\udb40[\udd00-\uddef]){8,}/g,
    decode: fromSelectors,
  },
  { layer: "zero_width", sign: "hidden", pattern: /[\u200b-\u200d]{56,}/g, decode: fromZeroWidth },
];

/** The stretches that codes stand in. */
export function codeStretches(text: string, signs: Signs): Stretch[] {
  const found: Stretch[] = [];
  for (const { layer, sign, pattern, decode } of codes) {
    if (!signs[sign]) continue;
    for (const match of text.matchAll(pattern)) {
      if (match[0].length > longest) continue;
      const decoded = decode(match[0]);
      if (decoded === undefined || decoded.length < leastText || !looksWritten(decoded)) continue;
      found.push({ layer, start: match.index, end: match.index + match[0].length, text: decoded });
    }
  }
  return found;
}

// Mostly letters, with spaces between: what numbers and random bytes hardly ever decode to.
function looksWritten(text: string): boolean {
  if (/\p{Cc}/u.test(text.replaceAll(/\s/g, ""))) return false;
  const letters = text.match(/[\p{L}\p{M} ]/gu)?.length ?? 0;
  return letters >= text.length * 0.7;
}

const decoder = new TextDecoder("utf-8", { fatal: true });

function fromBytes(bytes: Uint8Array): string | undefined {
  if (!beginsUtf8(bytes)) return undefined;
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}

function fromHex(stretch: string): string | undefined {
  return fromBytes(Buffer.from(stretch.replaceAll(/0x|\\x|[^0-9a-f]/gi, ""), "hex"));
}

function fromBinary(stretch: string): string | undefined {
  const groups = stretch.split(/[ ,]/);
  const isWhole = groups.length === 1 || groups.every(({ length }) => length % 8 === 0);
  const bytes = isWhole ? groups.flatMap((group) => group.match(/[01]{8}/g) ?? []) : groups;
  if (bytes.some(({ length }) => length < 7 || length > 8)) return undefined;
  return fromBytes(Uint8Array.from(bytes.map((bits) => Number.parseInt(bits, 2))));
}

// Decimal, or octal when every number is one.
function fromNumbers(stretch: string): string | undefined {
  const numbers = stretch.split(/[^0-9]+/).filter((number) => number !== "");
  const isOctal = numbers.every((number) => /^[01][0-7]{2}$/.test(number) || /^[4-7][0-7]$/.test(number));
  const decimal = numbers.map(Number);
  if (decimal.every((value) => value < 256 && value > 8)) {
    const read = fromBytes(Uint8Array.from(decimal));
    if (read !== undefined && looksWritten(read)) return read;
  }
  return isOctal ? fromBytes(Uint8Array.from(numbers.map((number) => Number.parseInt(number, 8)))) : undefined;
}

function fromPercent(stretch: string): string | undefined {
  try {
    return decodeURIComponent(stretch.replaceAll("+", " "));
  } catch {
    return undefined;
  }
}

const entities: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"', nbsp: " " };

function fromEntities(stretch: string): string {
  return stretch.replaceAll(/&(?:#([0-9]{1,7})|#x([0-9a-f]{1,6})|([a-z]+));/gi, (whole, decimal, hex, name) =>
    name === undefined
      ? fromPoint(Number.parseInt(decimal ?? hex, decimal === undefined ? 16 : 10))
      : (entities[name] ?? whole),
  );
}

function fromEscapes(stretch: string): string {
  return stretch.replaceAll(
    /\\(?:u([0-9a-f]{4})|u\{([0-9a-f]{1,6})\}|x([0-9a-f]{2})|([0-7]{3}))/gi,
    (_, four, braced, two, octal) =>
      fromPoint(Number.parseInt(four ?? braced ?? two ?? octal, octal === undefined ? 16 : 8)),
  );
}

function fromPoint(point: number): string {
  return point <= 0x10ffff ? String.fromCodePoint(point) : "";
}

const base32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

function fromBase32(stretch: string): string | undefined {
  const bytes: number[] = [];
  let bits = 0;
  let value = 0;
  for (const char of stretch.replace(/=+$/, "")) {
    value = ((value << 5) | base32.indexOf(char)) & 0xfff;
    bits += 5;
    if (bits < 8) continue;
    bits -= 8;
    bytes.push((value >> bits) & 0xff);
  }
  return fromBytes(Uint8Array.from(bytes));
}

const morse: ReadonlyMap<string, string> = new Map(
  ".- -... -.-. -.. . ..-. --. .... .. .--- -.- .-.. -- -. --- .--. --.- .-. ... - ..- ...- .-- -..- -.-- --.. ----- .---- ..--- ...-- ....- ..... -.... --... ---.. ----. .-.-.- --..-- ..--.. -.-.-- .----. -....- -..-. .-..-. ---..."
    .split(" ")
    .map((code, index) => [code, "abcdefghijklmnopqrstuvwxyz0123456789.,?!'-/\":"[index] ?? ""]),
);

function fromMorse(stretch: string): string | undefined {
  const plain = stretch.replaceAll(/[·•]/g, ".").replaceAll(/[−–]/g, "-");
  const words = plain.split(/ {2,}| ?[/|] ?|\n/);
  const read = words.map((word) =>
    word
      .split(" ")
      .map((code) => morse.get(code) ?? "")
      .join(""),
  );
  return read.join(" ");
}

function fromUnits(stretch: string, first: number, step: number, base: number): string {
  let read = "";
  for (let i = first; i < stretch.length; i += step) read += String.fromCharCode(stretch.charCodeAt(i) - base);
  return read;
}

function fromSelectors(stretch: string): string | undefined {
  const bytes: number[] = [];
  for (const char of stretch) {
    const point = char.codePointAt(0) ?? 0;
    bytes.push(point < 0x10000 ? point - 0xfe00 : point - 0xe0100 + 16);
  }
  return fromBytes(Uint8Array.from(bytes));
}

// Two of the characters are the bits; a third, if there is one, parts the groups.
function fromZeroWidth(stretch: string): string | undefined {
  const bits = [...stretch].flatMap((char) => (char === "\u200b" ? ["0"] : char === "\u200c" ? ["1"] : []));
  for (const [zero, one] of ["01", "10"]) {
    const text = bits.map((bit) => (bit === "0" ? zero : one)).join("");
    const read = fromBinary(text);
    if (read !== undefined && looksWritten(read)) return read;
  }
  return undefined;
}
