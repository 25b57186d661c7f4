// Checkpoints that somebody kept, as files: signed notes.

import { type KnownKeys, type TreeHead, verifyCheckpoint } from "../../kit/evidence/checkpoint.ts";
import { NoteError, UnknownSigner } from "../../kit/evidence/note.ts";
import { refusal, usageFailure } from "../failure.ts";
import { decode, readBytes } from "../file.ts";

const maxBytes = 65_536;
/** A page has up to two hundred of them. */
const maxPageBytes = 1_048_576;

/** The text of a kept checkpoint. */
export function readCheckpointFile(path: string): string {
  return decode(readBytes(path, maxBytes), path);
}

/** The verified checkpoint of a file: a call with one that no key signed is wrong. */
export function keptCheckpoint(path: string, keys: KnownKeys): TreeHead {
  return verified(path, readCheckpointFile(path), keys);
}

/**
 * The verified checkpoints of a file: the note of one, or an answer of `GET …/evidence/checkpoints`. Of an answer those
 * count that a given key signed, since older ones may be of a former key; there has to be one.
 */
export function keptCheckpoints(path: string, keys: KnownKeys): TreeHead[] {
  const text = decode(readBytes(path, maxPageBytes), path);
  if (!text.startsWith("{")) return [verified(path, text, keys)];
  const heads: TreeHead[] = [];
  for (const note of notesIn(path, text)) {
    try {
      heads.push(verifyCheckpoint(note, keys));
    } catch (error) {
      if (error instanceof UnknownSigner) continue;
      throw error instanceof NoteError ? usageFailure(`${path}: ${error.message}`) : error;
    }
  }
  if (heads.length === 0) throw usageFailure(`${path}: there is no checkpoint in it that a given key signed`);
  return heads;
}

function notesIn(path: string, text: string): string[] {
  try {
    const { checkpoints }: { checkpoints?: unknown } = JSON.parse(text);
    if (Array.isArray(checkpoints) && checkpoints.every((each) => typeof each?.note === "string"))
      return checkpoints.map(({ note }) => note);
  } catch {
    // No JSON, which is said below.
  }
  throw usageFailure(`${path}: this is neither a checkpoint nor an answer of GET …/evidence/checkpoints`);
}

function verified(path: string, note: string, keys: KnownKeys): TreeHead {
  try {
    return verifyCheckpoint(note, keys);
  } catch (error) {
    if (error instanceof NoteError) throw usageFailure(`${path}: ${error.message}`);
    throw error;
  }
}

/** The verified checkpoint that a server sent. */
export function receivedCheckpoint(note: string, keys: KnownKeys): TreeHead {
  try {
    return verifyCheckpoint(note, keys);
  } catch (error) {
    const hint = "If the log's key was rotated, `policy-guard evidence keys` follows it.";
    if (error instanceof NoteError)
      throw refusal("checkpoint_invalid", `the server's checkpoint: ${error.message}`, {
        ...(error instanceof UnknownSigner && { hint }),
      });
    throw error;
  }
}
