// Words around a value that identify it. Only a bounded part of the text is read, so a finding depends on its
// neighbourhood only.

const maxBeforeLength = 72;
const maxAfterLength = 32;

/** Whether a word of a pattern precedes a value, or follows it closely. */
export function hasContext(text: string, start: number, end: number, words: RegExp): boolean {
  if (words.test(text.slice(Math.max(0, start - maxBeforeLength), start))) return true;
  // After the value, only text on the same line refers to it.
  const after = text.slice(end, end + maxAfterLength);
  const line = after.indexOf("\n");
  return words.test(line < 0 ? after : after.slice(0, line));
}

/**
 * Whether the adjacent characters do not continue a value: no letter, digit or underscore, no decimal point with a
 * digit, and no suffix as in article numbers.
 */
export function standsAlone(text: string, start: number, end: number): boolean {
  const before = text[start - 1] ?? " ";
  const after = text[end] ?? " ";
  if (/[A-Za-z0-9_]/.test(before) || /[A-Za-z0-9_]/.test(after)) return false;
  if (/[.,:/-]/.test(before) && /[0-9]/.test(text[start - 2] ?? "")) return false;
  return !/^(?:[.,:/-][0-9]|-[A-Za-z](?![A-Za-z]))/.test(text.slice(end, end + 3));
}
