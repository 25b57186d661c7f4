// Texts as they are compared, and sets of texts as files of hashes: the first eight bytes of SHA-256 of each text,
// sorted. Such a set recognizes a text and tells nobody what it says.

import { hash } from "node:crypto";
import { endianness } from "node:os";

const hashBytes = 8;

/**
 * Runs of combining marks above this length are no text of any language. Putting one into the order of NFC takes time
 * by the square of its length: eight seconds for 240 KB of marks. (Unicode's Stream-Safe Text Format, UAX #15 section
 * 13, has the same bound.)
 */
const longMarks = /\p{M}{31}/u;

/** Without any of these a text is in NFC. */
const composable = /[\u0300-\uffff]/;
/** What collapsing white space would change, within a text. Most texts have none of it, and looking is much cheaper. */
const untidy = /[^\S ]| {2}/;

/** The text as it is compared: in NFC, and with white space collapsed. */
export function comparableText(text: string): string {
  const composed = !composable.test(text) || longMarks.test(text) ? text : text.normalize("NFC");
  return (untidy.test(composed) ? composed.replaceAll(/\s+/g, " ") : composed).trim();
}

/** A set of texts. */
export interface TextSet {
  /** Whether the text, as `comparableText` has it, is one of them. */
  readonly has: (text: string) => boolean;
}

/** The set that a file of hashes describes. */
export function readTextHashes(file: Uint8Array): TextSet {
  const copy = Buffer.from(file);
  if (endianness() === "LE") copy.swap64();
  const hashes = new BigUint64Array(new Uint8Array(copy).buffer);
  return { has: (text) => contains(hashes, hashText(text).readBigUInt64BE()) };
}

/** The file of the hashes of these texts, which are as `comparableText` has them. */
export function writeTextHashes(texts: Iterable<string>): Buffer {
  const hashes = new Map<string, Buffer>();
  for (const text of texts) {
    const hashed = hashText(text);
    hashes.set(hashed.toString("hex"), hashed);
  }
  return Buffer.concat([...hashes.values()].sort(Buffer.compare));
}

function hashText(text: string): Buffer {
  return hash("sha256", text, "buffer").subarray(0, hashBytes);
}

function contains(sorted: BigUint64Array, wanted: bigint): boolean {
  let from = 0;
  let to = sorted.length;
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((sorted[middle] ?? 0n) < wanted) from = middle + 1;
    else to = middle;
  }
  return sorted[from] === wanted;
}
