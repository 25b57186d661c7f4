// The forms of a text that detectors read, each with a way back to the offsets of the text as it was given:
// "plain" is the text itself; "normalized" is NFKC (UAX #15) without invisible characters, made only when it differs;
// "base64" is what a long base64 run (RFC 4648) decodes to, its spans being those of the run.
// What is found in the normalized form belongs to it only where it differs from the text: what stands elsewhere is plain, so that a
// finding depends on its neighbourhood alone and a stream knows it before the end of the text.

import { stretchesOf } from "./disguise/disguise.ts";
import { foldLookalikes } from "./fold.ts";
import { isPairInside } from "./offset.ts";
import { beginsUtf8 } from "./utf8.ts";

/** Which detectors want a form. A text that equals its normal form is both `given` and `normal`. */
export const reads = { given: 1, normal: 2, normalAgain: 4, decoded: 8, disguised: 16 } as const;

/** One form of a text. */
export interface View {
  readonly layer: string;
  /** The layer of something that was found in it, by its offsets. */
  readonly layerAt: (start: number, end: number) => string;
  /** Bits of `reads`. */
  readonly kinds: number;
  readonly text: string;
  /** The text with look-alike letters folded, unit for unit. */
  readonly folded: () => string;
  /** The offsets in the text as it was given. */
  readonly original: (start: number, end: number) => readonly [number, number];
}

/** Characters that are not seen: zero-width, bidirectional controls, tags, variation selectors, fillers, soft hyphen. */
const invisible =
  /\u034f|\u17b4|\u17b5|\u180b|\u180c|\u180d|\u180e|\u180f|[\u00ad\u061c\u115f\u1160\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0]|[\ufe00-\ufe0f]|\udb40[\udc00-\udfff]/g;

/** How often a disguise may be taken off. */
const deepest = 2;

/** Marks and the few letters that NFKC may join to the character before them. */
const joining = /^[\p{M}\u1160-\u11ff\uff9e\uff9f\u{16d67}]$/u;

const encodedRun = /[A-Za-z0-9+/_-]{24,}(?:\r?\n[A-Za-z0-9+/_-]{4,})*={0,2}/y;
/** The shortest and the longest base64 run that is decoded, in units. */
export const shortestRun = 24;
export const longestRun = 65_536;
const isEncoding = new Uint8Array(65_536);
for (const char of "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/_-")
  isEncoding[char.charCodeAt(0)] = 1;

/** The forms of a text, the text itself first. */
export function viewsOf(text: string, wanted: number): View[] {
  const normal = normalize(text);
  const same = normal === text;
  const views = [view("plain", same ? reads.given | reads.normal : reads.given, text, (start, end) => [start, end])];
  if (!same) views.push(normalizedView(text, normal));
  const decoded = (wanted & reads.decoded) === 0 ? [] : decodedViews(text);
  views.push(...decoded);
  if ((wanted & reads.disguised) !== 0) views.push(...disguisedViews(text), ...decoded.flatMap(disguisedAgain));
  return views;
}

/** NFKC without invisible characters. */
export function normalize(text: string): string {
  if (!/[^\0-\x7f]/.test(text)) return text;
  return text.replace(invisible, "").normalize("NFKC");
}

function view(layer: string, kinds: number, text: string, original: View["original"]): View {
  return { layer, layerAt: () => layer, kinds, text, folded: lazily(() => foldLookalikes(text)), original };
}

// Something disguised may be disguised again: base64 in base64, a turned text in hexadecimal digits.
function disguisedViews(text: string, depth = 0, within?: readonly [number, number]): View[] {
  const stretches = [
    ...stretchesOf(text),
    ...(depth === 0
      ? []
      : decodedViews(text).map(({ layer, text: decoded }) => ({ layer, text: decoded, start: 0, end: 0 }))),
  ];
  return stretches.flatMap(({ layer, start, end, text: hidden }) => {
    const span = within ?? ([start, end] as const);
    const shown = view(layer, reads.disguised, normalize(hidden), () => span);
    return depth + 1 < deepest ? [shown, ...disguisedViews(shown.text, depth + 1, span)] : [shown];
  });
}

function disguisedAgain({ text, original }: View): View[] {
  return disguisedViews(text, 1, original(0, text.length));
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

/** A value that is made when first asked for. */
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

// Normalises piece by piece, a piece being a character with all that NFKC may join to it, to learn where each unit came from.
function offsetMap(text: string, normal: string): OffsetMap {
  const starts = new Int32Array(normal.length);
  const ends = new Int32Array(normal.length);
  let filled = 0;
  for (const { start, end, visible } of normalPieces(text)) {
    const piece = visible.normalize("NFKC");
    // Where nothing changes, units stay what they are, as in a text that does not change at all.
    const isSame = piece === text.slice(start, end);
    for (let i = 0; i < piece.length; i++) {
      const [from, to] = isSame ? pointAround(piece, i) : [0, end - start];
      starts[filled] = start + from;
      ends[filled++] = start + to;
    }
  }
  if (filled !== normal.length) return { original: () => [0, text.length] };
  return { original: (start, end) => [starts[start] ?? 0, ends[end - 1] ?? text.length] };
}

/** The bounds of the character of a text that a unit belongs to. */
export function pointAround(text: string, unit: number): readonly [number, number] {
  if (isPairInside(text, unit)) return [unit - 1, unit + 1];
  return [unit, isPairInside(text, unit + 1) ? unit + 2 : unit + 1];
}

/** A character with all that NFKC may join to it. */
export interface NormalPiece {
  readonly start: number;
  readonly end: number;
  /** Without what cannot be seen. */
  readonly visible: string;
}

/** Whether a visible text begins with something that NFKC may join to the character before it. */
export function joinsPrevious(visible: string): boolean {
  const char = String.fromCodePoint(visible.codePointAt(0) ?? 0);
  return char > "\x7f" && joining.test(char);
}

/** The pieces of a text. What cannot be seen belongs to none. */
export function* normalPieces(text: string): Generator<NormalPiece> {
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

/** The form that a whole base64 run decodes to, its spans being those of the run; undefined when it is no text. */
export function decodedView(run: string, start: number): View | undefined {
  const decoded = decodeText(run);
  const span = [start, start + run.length] as const;
  return decoded === undefined ? undefined : view("base64", reads.decoded, normalize(decoded), () => span);
}

/** Whether a unit belongs to the alphabet of base64 and base64url, without padding. */
export function isEncodingUnit(unit: number): boolean {
  return isEncoding[unit] === 1;
}

/** Whether a base64 run that begins like this may still turn out to be text. */
export function mayDecode(beginning: string): boolean {
  const bytes = Buffer.from(beginning.slice(0, beginning.length - (beginning.length % 4)), "base64");
  return zeroPlace(bytes) >= 0 || (!bytes.some(isControl) && beginsUtf8(bytes));
}

// Where the next run of at least 24 characters of the alphabet begins, or -1. Every such run has one at a multiple of 24, so most of the
// text is not even looked at.
function nextRun(text: string, from: number): number {
  for (let probe = from + shortestRun - 1; probe < text.length; ) {
    if (isEncoding[text.charCodeAt(probe)] === 0) {
      probe += shortestRun;
      continue;
    }
    let start = probe;
    while (start > from && isEncoding[text.charCodeAt(start - 1)] === 1) start--;
    let end = probe + 1;
    while (end < text.length && isEncoding[text.charCodeAt(end)] === 1) end++;
    if (end - start >= shortestRun) return start;
    probe = end + shortestRun;
  }
  return -1;
}

function decodeText(run: string): string | undefined {
  if (run.length > longestRun) return undefined;
  const bytes = Buffer.from(run, "base64");
  const zeros = zeroPlace(bytes);
  // Most of what is no text shows that early, and more cheaply than a decoder that throws.
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

// UTF-16 that begins with letters of Latin-1, as PowerShell writes commands in base64, has a zero in every other byte: 1 when those are the odd
// ones (little endian), 0 when they are the even ones, -1 when it is something else. What holds for a text holds for what it begins with.
function zeroPlace(bytes: Buffer): 0 | 1 | -1 {
  if (bytes.length < 2) return -1;
  const mark = ((bytes[0] ?? 0) << 8) | (bytes[1] ?? 0);
  const begin = mark === 0xfffe || mark === 0xfeff ? 2 : 0;
  const end = Math.min(bytes.length, sampledBytes);
  const place = bytes[begin] === 0 ? 0 : 1;
  for (let i = begin; i < end; i++) if ((bytes[i] === 0) !== (i % 2 === place)) return -1;
  return place;
}

function isControl(byte: number): boolean {
  return byte < 0x09 || (byte > 0x0d && byte < 0x20) || byte === 0x7f;
}

// Random bytes are hardly ever valid UTF-8 without control characters, but words in base64's alphabet might be, by chance, in part.
function looksWritten(text: string): boolean {
  const letters = text.match(/[\p{L}\p{M}\p{N} ]/gu)?.length ?? 0;
  return letters >= text.length * 0.75;
}
