// Offsets: inside the engine they count UTF-16 code units; callers may ask for code points.

/** A function from UTF-16 offsets of the text to code point offsets. */
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

/** True when the offset lies between the two halves of a surrogate pair. */
export function isPairInside(text: string, offset: number): boolean {
  const before = text.charCodeAt(offset - 1);
  const after = text.charCodeAt(offset);
  return before >= 0xd800 && before <= 0xdbff && after >= 0xdc00 && after <= 0xdfff;
}

const joiner = "\u200d";
/** Characters that are drawn with the one before them: marks, joiners, variation selectors, skin tones. */
const attached = /^(?:\p{M}|\u200d|[\u{1f3fb}-\u{1f3ff}])/u;
const longestCluster = 32;

/** A span in UTF-16 code units. */
interface Stretch {
  readonly start: number;
  readonly end: number;
}

/**
 * The smallest span around the given one behind which text can be cut, whatever is still to come: a joiner keeps what follows it,
 * although only some characters are drawn as one with what is before it.
 */
export function wholeCharacters(text: string, start: number, end: number): Stretch {
  return grown(text, { start, end }, mayBeJoined);
}

/** Characters of which a reader sees nothing. */
const invisible = /^\p{DI}+$/u;

/**
 * The smallest span around the given one that does not cut what a reader sees as one character. Of what nobody sees it takes
 * nothing along: to remove a row of joiners is not to remove the letter before it.
 */
export function wholeSpan(text: string, start: number, end: number): Stretch {
  const whole = grown(text, { start, end }, () => false);
  return invisible.test(text.slice(whole.start, whole.end)) ? whole : grown(text, whole, isJoined);
}

function grown(text: string, { start, end }: Stretch, isWithin: (text: string, offset: number) => boolean): Stretch {
  let from = isPairInside(text, start) ? start - 1 : start;
  for (let steps = 0; steps < longestCluster && from > 0 && isWithin(text, from); steps++) from = before(text, from);
  let to = isPairInside(text, end) ? end + 1 : end;
  for (let steps = 0; steps < longestCluster && to < text.length && isWithin(text, to); steps++) to = after(text, to);
  return { start: from, end: to };
}

/** The first mark of Unicode. */
const firstMark = 0x300;

function mayBeJoined(text: string, offset: number): boolean {
  if (text.charCodeAt(offset) < firstMark && text.charCodeAt(offset - 1) < firstMark) return false;
  return text[offset - 1] === joiner || attached.test(text.slice(offset, offset + 2));
}

/** What one joiner makes one character of: two pictures, or a letter with a mark and the letter after it (UAX 29, GB9c and GB11). */
const joinedBefore = /(?:\p{ExtPict}(?:\p{M}|[\u{1f3fb}-\u{1f3ff}])*|(\p{M}))\u200d$/u;
const joinedAfter = /^(?:\p{ExtPict}|(\p{L}))/u;

function isJoined(text: string, offset: number): boolean {
  if (!mayBeJoined(text, offset)) return false;
  const next = text.slice(offset, offset + 2);
  if (text[offset - 1] !== joiner || attached.test(next)) return true;
  const left = joinedBefore.exec(text.slice(Math.max(0, offset - longestCluster), offset));
  const right = joinedAfter.exec(next);
  // Letters go with marks, pictures with pictures.
  return left !== null && right !== null && (left[1] === undefined) === (right[1] === undefined);
}

function before(text: string, offset: number): number {
  return isPairInside(text, offset - 1) ? offset - 2 : offset - 1;
}

function after(text: string, offset: number): number {
  return isPairInside(text, offset + 1) ? offset + 2 : offset + 1;
}
