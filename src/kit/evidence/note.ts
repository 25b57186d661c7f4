// Signed notes (https://c2sp.org/signed-note) with Ed25519: a text, an empty line, and lines of signatures, each with
// the name of a key and the first four bytes of a hash of name and key.

import { createHash, createPublicKey, type KeyObject, verify } from "node:crypto";

/** A key that notes are verified with. */
export interface NoteKey {
  /** Neither empty nor with spaces or "+". */
  readonly name: string;
  readonly key: KeyObject;
}

/** A signature line. */
export interface NoteSignature {
  readonly name: string;
  readonly keyId: Buffer;
  readonly signature: Buffer;
}

/** A note that is read and not verified. */
export interface Note {
  /** With its last newline: the bytes that are signed. */
  readonly text: string;
  readonly signatures: readonly NoteSignature[];
}

/** A note that is none, or that no known key signed. */
export class NoteError extends Error {
  override readonly name = "NoteError";
}

/** A note of which no known key is a signer. */
export class UnknownSigner extends NoteError {}

const ed25519 = 1;
const keyIdBytes = 4;
const maxSignatures = 64;
const maxNoteBytes = 64 * 1024;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what a note must not have.
const control = /[\u0000-\u0009\u000b-\u001f]/;
const keyName = /^[^\s+\p{Z}]+$/u;

/** Whether a key may have this name. */
export function isKeyName(name: string): boolean {
  return keyName.test(name);
}

/** The four bytes by which a signature names its key. */
export function noteKeyId({ name, key }: NoteKey): Buffer {
  return createHash("sha256")
    .update(`${name}\n`)
    .update(Buffer.of(ed25519))
    .update(publicBytes(key))
    .digest()
    .subarray(0, keyIdBytes);
}

/** The key as a text, "<name>+<key id>+<type and key>", as the tools of other logs take it. */
export function verifierKeyText(key: NoteKey): string {
  const encoded = Buffer.concat([Buffer.of(ed25519), publicBytes(key.key)]).toString("base64");
  return `${key.name}+${noteKeyId(key).toString("hex")}+${encoded}`;
}

/** Reads what `verifierKeyText` writes. Throws a NoteError. */
export function readVerifierKey(text: string): NoteKey {
  const match = /^([^+]+)\+([0-9a-f]{8})\+(.+)$/.exec(text.trim());
  const [, name = "", keyId = "", encoded = ""] = match ?? [];
  const bytes = decoded(encoded);
  if (match === null || !isKeyName(name) || bytes?.length !== 33)
    throw new NoteError('a key of a log has the form "<name>+<8 hexadecimal digits>+<base64>"');
  if (bytes[0] !== ed25519) throw new NoteError("the key of the log is of another kind than Ed25519");
  const x = bytes.subarray(1).toString("base64url");
  const key = { name, key: createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x }, format: "jwk" }) };
  if (noteKeyId(key).toString("hex") !== keyId) throw new NoteError("the id in the key of the log is not its own");
  return key;
}

/** The line of a signature over the text. */
export function signatureLine(key: NoteKey, signature: Uint8Array): string {
  return `\u2014 ${key.name} ${Buffer.concat([noteKeyId(key), signature]).toString("base64")}\n`;
}

/** Reads a note. Throws a NoteError. */
export function readNote(note: string): Note {
  if (note.length > maxNoteBytes) throw new NoteError(`a note has at most ${maxNoteBytes} characters`);
  if (!note.isWellFormed() || control.test(note)) throw new NoteError("a note has no control characters");
  const end = note.lastIndexOf("\n\n");
  if (end < 0 || !note.endsWith("\n")) throw new NoteError("a note is a text, an empty line, and lines of signatures");
  const lines = note.slice(end + 2, -1).split("\n");
  if (lines.length > maxSignatures) throw new NoteError(`a note has at most ${maxSignatures} signatures`);
  return { text: note.slice(0, end + 1), signatures: lines.map(readSignature) };
}

/**
 * Verifies a note. At least one of the keys must have signed it, and every signature by one of them must be right.
 * Signatures by other keys are ignored. Throws a NoteError.
 */
export function verifyNote(note: string, keys: readonly NoteKey[]): Note {
  const read = readNote(note);
  const known = keys.map((key) => ({ ...key, keyId: noteKeyId(key) }));
  let isSigned = false;
  for (const { name, keyId, signature } of read.signatures) {
    const key = known.find((each) => each.name === name && each.keyId.equals(keyId));
    if (key === undefined) continue;
    if (!verify(null, Buffer.from(read.text), key.key, signature))
      throw new NoteError(`the signature of ${name} does not fit the note`);
    isSigned = true;
  }
  if (!isSigned) throw new UnknownSigner("none of the given keys signed the note");
  return read;
}

function readSignature(line: string): NoteSignature {
  const match = /^\u2014 (\S+) (\S+)$/.exec(line);
  const [, name = "", encoded = ""] = match ?? [];
  const bytes = decoded(encoded);
  if (match === null || !isKeyName(name) || bytes === undefined || bytes.length <= keyIdBytes)
    throw new NoteError('a signature is a line "\u2014 <name> <base64>"');
  return { name, keyId: bytes.subarray(0, keyIdBytes), signature: bytes.subarray(keyIdBytes) };
}

/** Strict: one text for each sequence of bytes. */
function decoded(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, "base64");
  return bytes.toString("base64") === text ? bytes : undefined;
}

function publicBytes(key: KeyObject): Buffer {
  return Buffer.from(key.export({ format: "jwk" }).x ?? "", "base64url");
}
