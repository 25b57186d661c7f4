// Checkpoints that somebody kept, as files: signed notes.

import { type KnownKeys, type TreeHead, verifyCheckpoint } from "../../kit/evidence/checkpoint.ts";
import { NoteError, UnknownSigner } from "../../kit/evidence/note.ts";
import { refusal, usageFailure } from "../failure.ts";
import { decode, readBytes } from "../file.ts";

const maxBytes = 65_536;

/** The text of a kept checkpoint. */
export function readCheckpointFile(path: string): string {
  return decode(readBytes(path, maxBytes), path);
}

/** The verified checkpoint of a file: a call with one that no key signed is wrong. */
export function keptCheckpoint(path: string, keys: KnownKeys): TreeHead {
  try {
    return verifyCheckpoint(readCheckpointFile(path), keys);
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
