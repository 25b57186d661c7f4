// What looks like a token and is known not to be one: the providers' documented examples, and texts that mark a place to fill in.

const marks = /example|placeholder|your|redacted|changeme|x{6}|\*{4}|\.{3}|<[^>]*>|0{8}|1234567890|abcdefghij/i;
const least = 3;

/** Whether a token is a documented example or a placeholder, or too regular to be random. */
export function isPlaceholder(token: string): boolean {
  return marks.test(token) || entropy(token) < least;
}

/** Shannon entropy of the characters of a text, in bits for each. */
export function entropy(text: string): number {
  const counts = new Map<string, number>();
  for (const char of text) counts.set(char, (counts.get(char) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length);
  return bits;
}
