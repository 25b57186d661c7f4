// The forms of a text that detectors read, each with a mapping back to offsets of the original text. "plain" is the
// text itself. "normalized" is NFKC (UAX #15) without invisible characters, and with ASCII digits for those of all
// scripts; it is made only when it differs. "base64" is the decoded text of a long base64 run (RFC 4648); its findings
// cover the run. Obfuscated text has forms of its own, see obfuscation/obfuscation.ts.
//
// A finding in the normalized form has the layer "normalized" only where that form differs from the text, otherwise
// "plain". So the layer depends on the neighbourhood of the finding only, and a stream knows it before the end of the
// text.

import { isAscii } from "./code-units.ts";
import { foldLookalikes } from "./fold.ts";
import { normalForm } from "./normal-form.ts";
import { obfuscatedSpans } from "./obfuscation/obfuscation.ts";
import { isPairInside } from "./offset.ts";
import { beginsUtf8 } from "./utf8.ts";

/** The kinds of forms, as bits. A text that equals its normal form is both `given` and `normal`. */
export const reads = { given: 1, normal: 2, normalAgain: 4, decoded: 8, obfuscated: 16 } as const;

/** One form of a text. */
export interface View {
  readonly layer: string;
  /** The layer of a finding at these offsets of the form. */
  readonly layerAt: (start: number, end: number) => string;
  /** Bits of `reads`. */
  readonly kinds: number;
  readonly text: string;
  /** The text with look-alike letters folded. Offsets stay the same. */
  readonly folded: () => string;
  /**
   * Maps offsets of the form to offsets of the original text. For "ﬁt", whose normalized form is "fit", 0 to 2 maps to
   * 0 to 1.
   */
  readonly original: (start: number, end: number) => readonly [number, number];
}

/** Invisible characters: zero-width, bidirectional controls, tags, variation selectors, fillers, soft hyphen. */
const invisible =
  /\u034f|\u17b4|\u17b5|\u180b|\u180c|\u180d|\u180e|\u180f|[\u00ad\u061c\u115f\u1160\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0]|[\ufe00-\ufe0f]|\udb40[\udc00-\udfff]/g;

/** How many layers of obfuscation are removed. */
const maxObfuscationDepth = 2;

/** Marks and the few letters that NFKC may join to the character before them. */
const joining = /^[\p{M}\u1160-\u11ff\uff9e\uff9f\u{16d67}]$/u;

const encodedRun = /[A-Za-z0-9+/_-]{24,}(?:\r?\n[A-Za-z0-9+/_-]{4,})*={0,2}/y;
/** The minimum and maximum length of a base64 run that is decoded, in units. */
export const minBase64Run = 24;
export const maxBase64Run = 65_536;
const isEncoding = new Uint8Array(65_536);
for (const char of "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/_-")
  isEncoding[char.charCodeAt(0)] = 1;

/** The forms of a text, the text itself first. `wanted` has bits of `reads`. */
export function viewsOf(text: string, wanted: number): View[] {
  const normal = normalize(text);
  const same = normal === text;
  const views = [view("plain", same ? reads.given | reads.normal : reads.given, text, (start, end) => [start, end])];
  if (!same) views.push(normalizedView(text, normal));
  const decoded = (wanted & reads.decoded) === 0 ? [] : decodedViews(text);
  views.push(...decoded);
  if ((wanted & reads.obfuscated) !== 0) views.push(...obfuscatedViews(text), ...decoded.flatMap(obfuscatedAgain));
  return views;
}

/** NFKC without invisible characters, with ASCII digits for those of all scripts. */
export function normalize(text: string): string {
  if (isAscii(text)) return text;
  return normalizeVisible(text.replace(invisible, ""));
}

const isDigit = /^\p{Nd}$/u;

/** Accents that stand alone. NFKC would turn them into a space and a mark, but they are used as apostrophes. */
const lonelyAccent = /[\u00b4\u1ffd]/g;
/** A small i with a second dot looks like i. A capital i with a dot becomes this sequence in lower case. */
const dottedI = /i\u0307/g;
const foreignDigit = /[^\P{Nd}0-9]/gu;
/**
 * The units of all these, and the high surrogates of pairs that may be digits. A look-up costs a tenth of a regular
 * expression.
 */
const isSpecial = Uint8Array.from({ length: 65_536 }, (_, unit) => {
  const isHigh = unit >= 0xd801 && unit <= 0xd83e && unit !== 0xd83c && unit !== 0xd83d;
  const isMark = unit === 0xb4 || unit === 0x1ffd || unit === 0x307;
  return isHigh || isMark || (unit > 0x7f && isDigit.test(String.fromCharCode(unit))) ? 1 : 0;
});

/** The same for text without invisible characters, either a whole text or one cluster. */
export function normalizeVisible(visible: string): string {
  // A text without any of them has none after NFKC either, except a dot that stands alone.
  if (!hasSpecial(visible)) return normalForm(visible, "NFKC");
  return normalForm(visible.replace(lonelyAccent, "'"), "NFKC")
    .replace(dottedI, "i")
    .replace(foreignDigit, (digit) => String(digitValue(digit)));
}

function hasSpecial(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (isSpecial[text.charCodeAt(i)] === 1) return true;
  return false;
}

// Decimal digits come in rows of ten that begin with zero; rows may be adjacent.
function digitValue(digit: string): number {
  const point = digit.codePointAt(0) ?? 0;
  let before = 0;
  while (isDigit.test(String.fromCodePoint(point - before - 1))) before++;
  return before % 10;
}

function view(layer: string, kinds: number, text: string, original: View["original"]): View {
  return { layer, layerAt: () => layer, kinds, text, folded: lazily(() => foldLookalikes(text)), original };
}

// Obfuscated text may be obfuscated again: base64 in base64, rotated text in hexadecimal digits.
function obfuscatedViews(text: string, depth = 0, within?: readonly [number, number]): View[] {
  const spans = [
    ...obfuscatedSpans(text),
    ...(depth === 0
      ? []
      : decodedViews(text).map(({ layer, text: decoded }) => ({ layer, text: decoded, start: 0, end: 0 }))),
  ];
  return spans.flatMap(({ layer, start, end, text: hidden }) => {
    const span = within ?? ([start, end] as const);
    const shown = view(layer, reads.obfuscated, normalize(hidden), () => span);
    return depth + 1 < maxObfuscationDepth ? [shown, ...obfuscatedViews(shown.text, depth + 1, span)] : [shown];
  });
}

function obfuscatedAgain({ text, original }: View): View[] {
  return obfuscatedViews(text, 1, original(0, text.length));
}

function normalizedView(text: string, normal: string): View {
  const map = lazily(() => offsetMap(text, normal));
  const original: View["original"] = (start, end) => map().original(start, end);
  return {
    ...view("normalized", reads.normal | reads.normalAgain, normal, original),
    layerAt: (start, end) => {
      const [from, to] = original(start, end);
      return text.slice(from, to) === normal.slice(start, end) ? "plain" : "normalized";
    },
  };
}

/** Computes a value on first use. */
export function lazily<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

interface OffsetMap {
  readonly original: View["original"];
}

// Normalizes cluster by cluster, to learn which original units each normalized unit comes from. A cluster is a
// character with all characters that NFKC may join to it.
function offsetMap(text: string, normal: string): OffsetMap {
  const starts = new Int32Array(normal.length);
  const ends = new Int32Array(normal.length);
  let filled = 0;
  for (const { start, end, visible } of normalClusters(text)) {
    const cluster = normalizeVisible(visible);
    // In a cluster that does not change, units map to themselves, as in a text that does not change.
    const isSame = cluster === text.slice(start, end);
    for (let i = 0; i < cluster.length; i++) {
      const [from, to] = isSame ? pointAround(cluster, i) : [0, end - start];
      starts[filled] = start + from;
      ends[filled++] = start + to;
    }
  }
  if (filled !== normal.length) return { original: () => [0, text.length] };
  return { original: (start, end) => [starts[start] ?? 0, ends[end - 1] ?? text.length] };
}

/** The start and end of the character that a unit belongs to. In "a😀" unit 2 belongs to the character from 1 to 3. */
export function pointAround(text: string, unit: number): readonly [number, number] {
  if (isPairInside(text, unit)) return [unit - 1, unit + 1];
  return [unit, isPairInside(text, unit + 1) ? unit + 2 : unit + 1];
}

/** A character with all characters that NFKC may join to it. */
export interface NormalCluster {
  readonly start: number;
  readonly end: number;
  /** Without invisible characters. */
  readonly visible: string;
}

/** Whether a visible text begins with a character that NFKC may join to the one before it. */
export function joinsPrevious(visible: string): boolean {
  const char = String.fromCodePoint(visible.codePointAt(0) ?? 0);
  return char > "\x7f" && joining.test(char);
}

/** The clusters of a text. Invisible characters belong to none. */
export function* normalClusters(text: string): Generator<NormalCluster> {
  let start = 0;
  let end = 0;
  let visible = "";
  for (let at = 0; at < text.length; ) {
    const char = String.fromCodePoint(text.codePointAt(at) ?? 0);
    const next = at + char.length;
    if (char.replace(invisible, "") !== "") {
      if (visible !== "" && !(char > "\x7f" && joining.test(char))) {
        yield { start, end, visible };
        visible = "";
      }
      if (visible === "") start = at;
      visible += char;
      end = next;
    }
    at = next;
  }
  if (visible !== "") yield { start, end, visible };
}

function decodedViews(text: string): View[] {
  const views: View[] = [];
  for (let from = nextRun(text, 0); from >= 0; ) {
    encodedRun.lastIndex = from;
    const run = encodedRun.exec(text)?.[0] ?? "";
    const end = from + run.length;
    const decoded = decodedView(run, from);
    if (decoded !== undefined) views.push(decoded);
    from = nextRun(text, end);
  }
  return views;
}

/**
 * The form that a whole base64 run decodes to; its findings cover the run. Undefined when the run does not decode to
 * text.
 */
export function decodedView(run: string, start: number): View | undefined {
  const decoded = decodeText(run);
  const span = [start, start + run.length] as const;
  return decoded === undefined ? undefined : view("base64", reads.decoded, normalize(decoded), () => span);
}

/** Whether a unit belongs to the alphabet of base64 and base64url, without padding. */
export function isEncodingUnit(unit: number): boolean {
  return isEncoding[unit] === 1;
}

/** Whether a base64 run with this beginning may still decode to text. */
export function mayDecode(beginning: string): boolean {
  const bytes = Buffer.from(beginning.slice(0, beginning.length - (beginning.length % 4)), "base64");
  return zeroParity(bytes) >= 0 || (!bytes.some(isControl) && beginsUtf8(bytes));
}

// Where the next run of at least 24 characters of the alphabet begins, or -1. Such a run covers at least one of any 24
// successive offsets, so most of the text is not read.
function nextRun(text: string, from: number): number {
  for (let probe = from + minBase64Run - 1; probe < text.length; ) {
    if (isEncoding[text.charCodeAt(probe)] === 0) {
      probe += minBase64Run;
      continue;
    }
    let start = probe;
    while (start > from && isEncoding[text.charCodeAt(start - 1)] === 1) start--;
    let end = probe + 1;
    while (end < text.length && isEncoding[text.charCodeAt(end)] === 1) end++;
    if (end - start >= minBase64Run) return start;
    probe = end + minBase64Run;
  }
  return -1;
}

function decodeText(run: string): string | undefined {
  if (run.length > maxBase64Run) return undefined;
  const bytes = Buffer.from(run, "base64");
  const zeros = zeroParity(bytes);
  // Most runs that are no text show it in their first bytes, where checking is cheaper than a decoder that throws.
  if (zeros < 0 && (bytes.some(isControl) || !beginsUtf8(bytes))) return undefined;
  try {
    const text = (zeros < 0 ? utf8 : zeros === 1 ? utf16 : utf16Swapped).decode(bytes);
    return looksWritten(text) && (zeros < 0 || !controls.test(text)) ? text : undefined;
  } catch {
    return undefined;
  }
}

const utf8 = new TextDecoder("utf-8", { fatal: true });
const utf16 = new TextDecoder("utf-16le", { fatal: true });
const utf16Swapped = new TextDecoder("utf-16be", { fatal: true });
const controls = /[^\P{Cc}\t-\r]/u;
const sampledBytes = 32;

// UTF-16 that begins with Latin-1 letters has a zero in every other byte; PowerShell encodes commands in base64 like
// this. Returns 1 when the odd bytes are zero (little endian), 0 when the even bytes are, and -1 otherwise. Only the
// first bytes are sampled.
function zeroParity(bytes: Buffer): 0 | 1 | -1 {
  if (bytes.length < 2) return -1;
  const mark = ((bytes[0] ?? 0) << 8) | (bytes[1] ?? 0);
  const begin = mark === 0xfffe || mark === 0xfeff ? 2 : 0;
  const end = Math.min(bytes.length, sampledBytes);
  const parity = bytes[begin] === 0 ? 0 : 1;
  for (let i = begin; i < end; i++) if ((bytes[i] === 0) !== (i % 2 === parity)) return -1;
  return parity;
}

function isControl(byte: number): boolean {
  return byte < 0x09 || (byte > 0x0d && byte < 0x20) || byte === 0x7f;
}

// Random bytes are hardly ever valid UTF-8 without control characters. Words that happen to use the base64 alphabet
// might decode to it in part.
function looksWritten(text: string): boolean {
  const letters = text.match(/[\p{L}\p{M}\p{N} ]/gu)?.length ?? 0;
  return letters >= text.length * 0.75;
}
