// Spans of text that encode characters as codes.

import { beginsUtf8 } from "../utf8.ts";
import type { Signals } from "./signals.ts";
import type { ObfuscatedSpan } from "./span.ts";

/** The maximum length of a span that is decoded, in units. */
const maxSpanLength = 16_384;
const minTextLength = 8;

/** A code: where it may occur, and how it is decoded. */
interface Code {
  readonly layer: string;
  readonly signal: keyof Signals;
  /**
   * Matches a whole span. Each expression is unambiguous, so that searching takes linear time: no character that may
   * follow a repeated part can begin another one. A test runs the expressions of all detectors on texts that almost
   * match.
   */
  readonly pattern: RegExp;
  readonly decode: (span: string) => string | undefined;
}

const codes: readonly Code[] = [
  { layer: "hex", signal: "longRuns", pattern: /(?<![0-9a-f])(?:[0-9a-f]{2}){8,}(?![0-9a-f])/gi, decode: fromHex },
  {
    layer: "hex",
    signal: "hexPairs",
    pattern: /(?<![0-9a-z])(?:(?:0x|\\x)?[0-9a-f]{2}[ ,:;]{1,2}){7,}(?:0x|\\x)?[0-9a-f]{2}(?![0-9a-z])/gi,
    decode: fromHex,
  },
  { layer: "binary", signal: "bits", pattern: /(?<![0-9])[01](?:[ ,]?[01]){41,}(?![0-9])/g, decode: fromBinary },
  {
    layer: "decimal",
    signal: "numbers",
    pattern: /(?<![0-9])(?:[0-9]{2,3}[ ,;-]{1,2}){7,}[0-9]{2,3}(?![0-9])/g,
    decode: fromNumbers,
  },
  { layer: "url", signal: "percents", pattern: /[^\s%]{0,64}(?:%[0-9a-f]{2}[^\s%]{0,64}){4,}/gi, decode: fromPercent },
  {
    layer: "quoted_printable",
    signal: "equals",
    pattern: /(?:=[0-9a-f]{2}[^\s=]{0,16}){4,}/gi,
    decode: (span) => fromPercent(span.replaceAll("=", "%")),
  },
  {
    layer: "html",
    signal: "entities",
    pattern: /(?:&(?:#[0-9]{1,7}|#x[0-9a-f]{1,6}|lt|gt|amp|quot|nbsp);[^&]{0,32}){4,}/gi,
    decode: fromEntities,
  },
  {
    layer: "escape",
    signal: "escapes",
    pattern: /(?:\\(?:u[0-9a-f]{4}|u\{[0-9a-f]{1,6}\}|x[0-9a-f]{2}|[0-7]{3})[^\\]{0,32}){4,}/gi,
    decode: fromEscapes,
  },
  {
    layer: "base32",
    signal: "longRuns",
    pattern: /(?<![A-Z0-9])[A-Z2-7]{16,}={0,6}(?![A-Za-z0-9])/g,
    decode: fromBase32,
  },
  {
    layer: "morse",
    signal: "morse",
    pattern: /(?:[.\-·•−–]{1,6}(?: {1,3}| ?[/|] ?|\n)){5,}[.\-·•−–]{1,6}/g,
    decode: fromMorse,
  },
  {
    layer: "tags",
    signal: "hidden",
    pattern: /(?:\udb40[\udc20-\udc7e]){4,}/g,
    decode: (span) => fromUnits(span, 1, 2, 0xdc00),
  },
  {
    layer: "selectors",
    signal: "hidden",
    pattern: /(?:[\ufe00-\ufe0f]|\udb40[\udd00-\uddef]){8,}/g,
    decode: fromSelectors,
  },
  { layer: "zero_width", signal: "hidden", pattern: /[\u200b-\u200d]{56,}/g, decode: fromZeroWidth },
];

/** The spans that are codes. */
export function codeSpans(text: string, signals: Signals): ObfuscatedSpan[] {
  const found: ObfuscatedSpan[] = [];
  for (const { layer, signal, pattern, decode } of codes) {
    if (!signals[signal]) continue;
    for (const match of text.matchAll(pattern)) {
      if (match[0].length > maxSpanLength) continue;
      const decoded = decode(match[0]);
      if (decoded === undefined || decoded.length < minTextLength || !looksWritten(decoded)) continue;
      found.push({ layer, start: match.index, end: match.index + match[0].length, text: decoded });
    }
  }
  return found;
}

// Mostly letters, with spaces between them. Numbers and random bytes hardly ever decode to such text.
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

function fromHex(span: string): string | undefined {
  return fromBytes(Buffer.from(span.replaceAll(/0x|\\x|[^0-9a-f]/gi, ""), "hex"));
}

function fromBinary(span: string): string | undefined {
  const groups = span.split(/[ ,]/);
  const isWhole = groups.length === 1 || groups.every(({ length }) => length % 8 === 0);
  const bytes = isWhole ? groups.flatMap((group) => group.match(/[01]{8}/g) ?? []) : groups;
  if (bytes.some(({ length }) => length < 7 || length > 8)) return undefined;
  return fromBytes(Uint8Array.from(bytes.map((bits) => Number.parseInt(bits, 2))));
}

// Decimal, or octal when every number is octal.
function fromNumbers(span: string): string | undefined {
  const numbers = span.split(/[^0-9]+/).filter((number) => number !== "");
  const isOctal = numbers.every((number) => /^[01][0-7]{2}$/.test(number) || /^[4-7][0-7]$/.test(number));
  const decimal = numbers.map(Number);
  if (decimal.every((value) => value < 256 && value > 8)) {
    const read = fromBytes(Uint8Array.from(decimal));
    if (read !== undefined && looksWritten(read)) return read;
  }
  return isOctal ? fromBytes(Uint8Array.from(numbers.map((number) => Number.parseInt(number, 8)))) : undefined;
}

function fromPercent(span: string): string | undefined {
  try {
    return decodeURIComponent(span.replaceAll("+", " "));
  } catch {
    return undefined;
  }
}

const entities: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"', nbsp: " " };

function fromEntities(span: string): string {
  return span.replaceAll(/&(?:#([0-9]{1,7})|#x([0-9a-f]{1,6})|([a-z]+));/gi, (whole, decimal, hex, name) =>
    name === undefined
      ? fromPoint(Number.parseInt(decimal ?? hex, decimal === undefined ? 16 : 10))
      : (entities[name] ?? whole),
  );
}

function fromEscapes(span: string): string {
  return span.replaceAll(
    /\\(?:u([0-9a-f]{4})|u\{([0-9a-f]{1,6})\}|x([0-9a-f]{2})|([0-7]{3}))/gi,
    (_, four, braced, two, octal) =>
      fromPoint(Number.parseInt(four ?? braced ?? two ?? octal, octal === undefined ? 16 : 8)),
  );
}

function fromPoint(point: number): string {
  return point <= 0x10ffff ? String.fromCodePoint(point) : "";
}

const base32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

function fromBase32(span: string): string | undefined {
  const bytes: number[] = [];
  let bits = 0;
  let value = 0;
  for (const char of span.replace(/=+$/, "")) {
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

function fromMorse(span: string): string | undefined {
  const plain = span.replaceAll(/[·•]/g, ".").replaceAll(/[−–]/g, "-");
  const words = plain.split(/ {2,}| ?[/|] ?|\n/);
  const read = words.map((word) =>
    word
      .split(" ")
      .map((code) => morse.get(code) ?? "")
      .join(""),
  );
  return read.join(" ");
}

function fromUnits(span: string, first: number, step: number, base: number): string {
  let read = "";
  for (let i = first; i < span.length; i += step) read += String.fromCharCode(span.charCodeAt(i) - base);
  return read;
}

function fromSelectors(span: string): string | undefined {
  const bytes: number[] = [];
  for (const char of span) {
    const point = char.codePointAt(0) ?? 0;
    bytes.push(point < 0x10000 ? point - 0xfe00 : point - 0xe0100 + 16);
  }
  return fromBytes(Uint8Array.from(bytes));
}

// Two of the characters are the bits; a third, if present, separates groups.
function fromZeroWidth(span: string): string | undefined {
  const bits = [...span].flatMap((char) => (char === "\u200b" ? ["0"] : char === "\u200c" ? ["1"] : []));
  for (const [zero, one] of ["01", "10"]) {
    const text = bits.map((bit) => (bit === "0" ? zero : one)).join("");
    const read = fromBinary(text);
    if (read !== undefined && looksWritten(read)) return read;
  }
  return undefined;
}
