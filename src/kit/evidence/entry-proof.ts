// Proofs of single entries: a C2SP tlog-proof, and the leaf that it is about.

import type { JsonObject } from "@bufbuild/protobuf";
import { type KnownKeys, type TlogProof, type TreeHead, verifyTlogProof } from "./checkpoint.ts";
import { leafFault, leafMembers } from "./known-entry.ts";
import { leafHash } from "./leaf.ts";
import { NoteError } from "./note.ts";
import { readOrigin } from "./origin.ts";

/** An entry that a proof has proved. */
export interface ProvedEntry {
  /** The tree that it is in. */
  readonly head: TreeHead;
  /** What its leaf says. */
  readonly members: JsonObject;
}

/**
 * Verifies that the leaf is the entry of the proof's number, in a log of one of the keys. Throws a NoteError, also for a
 * leaf that was signed and is of another form, number or organization.
 */
export function verifyEntryProof(proof: TlogProof, leaf: string, keys: KnownKeys): ProvedEntry {
  const head = verifyTlogProof(proof, leafHash(leaf), keys);
  const members = leafMembers(leaf);
  const fault = leafFault(members, { seq: proof.index, orgId: readOrigin(head.origin)?.orgId });
  if (fault !== undefined) throw new NoteError(`entry ${proof.index}: ${fault}`);
  if (!Object.values(members).every((value) => typeof value === "string" || typeof value === "number"))
    throw new NoteError(`entry ${proof.index}: its leaf has other values than form 2`);
  return { head, members };
}
