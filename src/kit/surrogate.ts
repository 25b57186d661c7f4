// Texts that were cut within a surrogate pair.

/** A text in three: the half of a pair that it begins with, that which it ends with, and what is between them; "" for what is not there. */
export interface CutText {
  readonly before: string;
  readonly whole: string;
  readonly after: string;
}

/** Takes the halves of pairs off both ends of a text. */
export function withoutHalves(text: string): CutText {
  const start = (text.charCodeAt(0) & 0xfc00) === 0xdc00 ? 1 : 0;
  const end = (text.charCodeAt(text.length - 1) & 0xfc00) === 0xd800 ? text.length - 1 : text.length;
  return { before: text.slice(0, start), whole: text.slice(start, end), after: text.slice(end) };
}
