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

/** Characters that are drawn with the one before them: marks, joiners, variation selectors, skin tones. */
const attached = /^(?:\p{M}|\u200d|[\u{1f3fb}-\u{1f3ff}])/u;
const longestCluster = 32;

/** The smallest span around the given one that does not cut what a reader sees as one character. */
export function wholeCharacters(
  text: string,
  start: number,
  end: number,
): { readonly start: number; readonly end: number } {
  let from = isPairInside(text, start) ? start - 1 : start;
  for (let steps = 0; steps < longestCluster && from > 0 && isJoined(text, from); steps++) from = before(text, from);
  let to = isPairInside(text, end) ? end + 1 : end;
  for (let steps = 0; steps < longestCluster && to < text.length && isJoined(text, to); steps++) to = after(text, to);
  return { start: from, end: to };
}

/** The first mark of Unicode. */
const firstMark = 0x300;

function isJoined(text: string, offset: number): boolean {
  if (text.charCodeAt(offset) < firstMark && text.charCodeAt(offset - 1) < firstMark) return false;
  return text[offset - 1] === "\u200d" || attached.test(text.slice(offset, offset + 2));
}

function before(text: string, offset: number): number {
  return isPairInside(text, offset - 1) ? offset - 2 : offset - 1;
}

function after(text: string, offset: number): number {
  return isPairInside(text, offset + 1) ? offset + 2 : offset + 1;
}
