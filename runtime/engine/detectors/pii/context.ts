// Words around a value that say what it is. A bounded part of the text is read, so that what is found depends on its neighbourhood only.

const longestBefore = 72;
const longestAfter = 32;

/** Whether a word of a pattern stands before a value, or shortly behind it. */
export function hasContext(text: string, start: number, end: number, words: RegExp): boolean {
  if (words.test(text.slice(Math.max(0, start - longestBefore), start))) return true;
  // Behind the value, only what is on the same line is about it.
  const after = text.slice(end, end + longestAfter);
  const line = after.indexOf("\n");
  return words.test(line < 0 ? after : after.slice(0, line));
}

/** Whether the characters around a value do not continue it: no letter, digit or underscore, and no decimal point with a digit. */
export function standsAlone(text: string, start: number, end: number): boolean {
  const before = text[start - 1] ?? " ";
  const after = text[end] ?? " ";
  if (/[A-Za-z0-9_]/.test(before) || /[A-Za-z0-9_]/.test(after)) return false;
  if (/[.,:/-]/.test(before) && /[0-9]/.test(text[start - 2] ?? "")) return false;
  return !(/[.,:/-]/.test(after) && /[0-9]/.test(text[end + 1] ?? ""));
}
