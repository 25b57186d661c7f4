// Recognises text that looks like a token and is not one: the providers' documented examples, and placeholders.

import { crc32 } from "./checksum.ts";

/**
 * CRC-32 of keys from public documentation that are not marked as examples; the keys themselves are not repeated here.
 */
const documented: ReadonlySet<number> = new Set([
  0x091a9dc7, 0xdc2359b6, 0x0ba59aba, 0x3627aa84, 0x94bb94f9, 0xffddd189, 0x6159ac90, 0x7aa120d5, 0x6a4f7820,
  0xfbc47221, 0x08394327, 0xafe8ff3e, 0x6b66e8a8, 0x5c298136, 0x1f358cbe, 0x6b9463f8, 0x202f468f, 0x3c5d7fda,
]);

const marks =
  /example|placeholder|your|redacted|changeme|replace|insert|dummy|sample|x{6}|\*{4}|\.{3}|0{8}|1234567890|abcdefghij/i;
/**
 * A name in template brackets, as in "${NAME}", "{{ name }}" and "<name>"; brackets alone may be part of a password.
 */
const template = /<[^>]*>|\$\{[\w.:?+\s'"/|()-]{0,80}(?:\}|$)|\{\{[\w.:?+\s'"/|()-]{0,80}(?:\}\}|$)/;
const defaultMinEntropy = 3;

/** Whether a token is a documented example or a placeholder, or too regular to be random. */
export function isPlaceholder(token: string, minEntropy: number = defaultMinEntropy): boolean {
  return marks.test(token) || isTemplate(token) || entropy(token) < minEntropy || documented.has(crc32(token));
}

/** Whether a value contains a placeholder. */
export function isTemplate(text: string): boolean {
  return template.test(text);
}

/** Shannon entropy of the characters of a text, in bits per character. */
export function entropy(text: string): number {
  const counts = new Map<string, number>();
  for (const char of text) counts.set(char, (counts.get(char) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length);
  return bits;
}
