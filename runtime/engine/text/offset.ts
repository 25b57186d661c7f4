// Offsets count UTF-16 code units inside the engine; callers may ask for code points.

/** A function from UTF-16 offsets of the text to code point offsets. For "😀a" it maps 2 to 1. */
export function codePointOffsets(text: string): (offset: number) => number {
  if (!/[\ud800-\udbff]/.test(text)) return (offset) => offset;
  const counts = new Uint32Array(text.length + 1);
  let points = 0;
  for (let index = 0; index < text.length; index++) {
    counts[index] = points;
    if (!isPairInside(text, index + 1)) points++;
  }
  counts[text.length] = points;
  return (offset) => counts[offset] ?? points;
}

/** Whether the offset lies between the two halves of a surrogate pair. True for offset 1 of "😀". */
export function isPairInside(text: string, offset: number): boolean {
  const before = text.charCodeAt(offset - 1);
  const after = text.charCodeAt(offset);
  return before >= 0xd800 && before <= 0xdbff && after >= 0xdc00 && after <= 0xdfff;
}

const joiner = "\u200d";
/** Characters that are drawn with the one before them: marks, joiners, variation selectors, skin tones. */
const attached = /^(?:\p{M}|\u200d|[\u{1f3fb}-\u{1f3ff}])/u;
const maxClusterLength = 32;

/** A span in UTF-16 code units. */
interface Span {
  readonly start: number;
  readonly end: number;
}

/**
 * The smallest span around the given one after which a text can be cut, whatever text follows. A joiner keeps the
 * character after it in the span, although only some pairs are drawn as one: "a" in "a\u0301\u200db" grows to the whole
 * text.
 */
export function wholeCharacters(text: string, start: number, end: number): Span {
  return grown(text, { start, end }, mayBeJoined);
}

/** Characters that a reader does not see. */
const invisible = /^\p{DI}+$/u;

/**
 * The smallest span around the given one that does not split a character as a reader sees it. A span of invisible
 * characters does not grow: removing a row of joiners does not remove the letter before it.
 */
export function wholeSpan(text: string, start: number, end: number): Span {
  const whole = grown(text, { start, end }, () => false);
  return invisible.test(text.slice(whole.start, whole.end)) ? whole : grown(text, whole, isJoined);
}

function grown(text: string, { start, end }: Span, isWithin: (text: string, offset: number) => boolean): Span {
  let from = isPairInside(text, start) ? start - 1 : start;
  for (let steps = 0; steps < maxClusterLength && from > 0 && isWithin(text, from); steps++) from = before(text, from);
  let to = isPairInside(text, end) ? end + 1 : end;
  for (let steps = 0; steps < maxClusterLength && to < text.length && isWithin(text, to); steps++) to = after(text, to);
  return { start: from, end: to };
}

/** The first combining mark of Unicode. */
const firstMark = 0x300;

function mayBeJoined(text: string, offset: number): boolean {
  if (text.charCodeAt(offset) < firstMark && text.charCodeAt(offset - 1) < firstMark) return false;
  return text[offset - 1] === joiner || attached.test(text.slice(offset, offset + 2));
}

/**
 * The pairs that one joiner makes one character of: two pictures, or a letter with a mark and the letter after it (UAX
 * 29, GB9c and GB11).
 */
const joinedBefore = /(?:\p{ExtPict}(?:\p{M}|[\u{1f3fb}-\u{1f3ff}])*|(\p{M}))\u200d$/u;
const joinedAfter = /^(?:\p{ExtPict}|(\p{L}))/u;

function isJoined(text: string, offset: number): boolean {
  if (!mayBeJoined(text, offset)) return false;
  const next = text.slice(offset, offset + 2);
  if (text[offset - 1] !== joiner || attached.test(next)) return true;
  const left = joinedBefore.exec(text.slice(Math.max(0, offset - maxClusterLength), offset));
  const right = joinedAfter.exec(next);
  // A letter joins a mark, a picture joins a picture.
  return left !== null && right !== null && (left[1] === undefined) === (right[1] === undefined);
}

function before(text: string, offset: number): number {
  return isPairInside(text, offset - 1) ? offset - 2 : offset - 1;
}

function after(text: string, offset: number): number {
  return isPairInside(text, offset + 1) ? offset + 2 : offset + 1;
}
