// Texts that were cut within a surrogate pair.

/**
 * A text in three parts: the half of a surrogate pair at its start, the half at its end, and the text between; "" for
 * an absent one.
 */
export interface CutText {
  readonly before: string;
  readonly whole: string;
  readonly after: string;
}

/** Splits the halves of surrogate pairs off both ends of a text. */
export function withoutHalves(text: string): CutText {
  const start = (text.charCodeAt(0) & 0xfc00) === 0xdc00 ? 1 : 0;
  const end = (text.charCodeAt(text.length - 1) & 0xfc00) === 0xd800 ? text.length - 1 : text.length;
  return { before: text.slice(0, start), whole: text.slice(start, end), after: text.slice(end) };
}
