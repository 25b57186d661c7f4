// Checkpoints of a log (https://c2sp.org/tlog-checkpoint): the size of its tree and the root, as a signed note. And
// proofs of inclusion as a text (https://c2sp.org/tlog-proof), which need nothing but the leaf and the log's key.

import { hashBytes, isIncluded } from "./merkle.ts";
import { NoteError, type NoteKey, readNote, verifyNote } from "./note.ts";
import { isSameLog } from "./origin.ts";

/** What a checkpoint says. */
export interface TreeHead {
  /** Name of the log. */
  readonly origin: string;
  readonly size: number;
  readonly root: Buffer;
}

/** Keys of logs, or a function that gives them for the name of a log. */
export type KnownKeys = readonly NoteKey[] | ((origin: string) => readonly NoteKey[]);

/** The text of a checkpoint, which is signed. */
export function checkpointText({ origin, size, root }: TreeHead): string {
  return `${origin}\n${size}\n${root.toString("base64")}\n`;
}

/** Reads a checkpoint, whoever signed it. Throws a NoteError. */
export function readCheckpoint(note: string): TreeHead {
  return readHead(readNote(note).text);
}

/**
 * Verifies a checkpoint: one of the keys signed it, under the name of its origin. Throws a NoteError.
 */
export function verifyCheckpoint(note: string, keys: KnownKeys): TreeHead {
  const head = readCheckpoint(note);
  const given = typeof keys === "function" ? keys(head.origin) : keys;
  // A key speaks for the log of its own name only, in whichever epoch.
  const own = given
    .filter(({ name }) => isSameLog(name, head.origin))
    .map(({ key }): NoteKey => ({ name: head.origin, key }));
  if (own.length === 0) throw new NoteError(`none of the given keys is of the log ${head.origin}`);
  verifyNote(note, own);
  return head;
}

/** A proof that an entry is in a log. */
export interface TlogProof {
  /** Whatever belongs to the proof; not vouched for by it. */
  readonly extra: Uint8Array | undefined;
  readonly index: number;
  readonly path: readonly Uint8Array[];
  /** The signed note. */
  readonly checkpoint: string;
}

const firstLine = "c2sp.org/tlog-proof@v1";
const maxPath = 63;

/** Writes a proof. */
export function tlogProofText({ extra, index, path, checkpoint }: TlogProof): string {
  const lines = [
    firstLine,
    ...(extra === undefined ? [] : [`extra ${Buffer.from(extra).toString("base64")}`]),
    `index ${index}`,
    ...path.map((hash) => Buffer.from(hash).toString("base64")),
  ];
  return `${lines.join("\n")}\n\n${checkpoint}`;
}

/** Reads a proof, which is not verified yet. Throws a NoteError. */
export function readTlogProof(text: string): TlogProof {
  const end = text.indexOf("\n\n");
  const [first, ...lines] = text.slice(0, Math.max(end, 0)).split("\n");
  if (end < 0 || first !== firstLine) throw new NoteError(`a proof begins with "${firstLine}"`);
  const extra = lines[0]?.startsWith("extra ") ? bytesOf(lines.shift()?.slice("extra ".length) ?? "") : undefined;
  const index = /^index (0|[1-9]\d{0,15})$/.exec(lines.shift() ?? "")?.[1];
  if (index === undefined) throw new NoteError('a proof has a line "index <number>"');
  const path = lines.map(hashOf);
  if (path.length > maxPath) throw new NoteError(`a proof has at most ${maxPath} hashes`);
  return { extra, index: Number(index), path, checkpoint: text.slice(end + 2) };
}

/**
 * Verifies that the leaf of this hash is in the log of one of the keys. Returns the tree that it is in. Throws a
 * NoteError.
 */
export function verifyTlogProof(proof: TlogProof, leafHash: Uint8Array, keys: KnownKeys): TreeHead {
  const head = verifyCheckpoint(proof.checkpoint, keys);
  const { index, path } = proof;
  if (!isIncluded({ leafHash, index, path, size: head.size, root: head.root }))
    throw new NoteError(`the proof does not lead from entry ${index} to the root of the checkpoint`);
  return head;
}

function readHead(text: string): TreeHead {
  const [origin = "", size = "", root = "", ...rest] = text.split("\n");
  if (origin === "") throw new NoteError("a checkpoint begins with the name of its log");
  if (!/^(0|[1-9]\d{0,15})$/.test(size) || !Number.isSafeInteger(Number(size)))
    throw new NoteError("the second line of a checkpoint is the size of the tree");
  // The last newline, and extensions, which are not empty.
  if (rest.pop() !== "" || rest.includes("")) throw new NoteError("a checkpoint has no empty lines");
  return { origin, size: Number(size), root: hashOf(root) };
}

function hashOf(line: string): Buffer {
  const bytes = bytesOf(line);
  if (bytes.length !== hashBytes) throw new NoteError(`a hash has ${hashBytes} bytes`);
  return bytes;
}

function bytesOf(text: string): Buffer {
  const bytes = Buffer.from(text, "base64");
  if (bytes.toString("base64") !== text) throw new NoteError("bytes are written in base64 (RFC 4648, section 4)");
  return bytes;
}
