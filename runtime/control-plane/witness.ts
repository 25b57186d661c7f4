// A runtime as a witness of the log of evidence: it keeps the newest checkpoint that it saw, and takes a newer one only
// with the proof that the log continues what it keeps. So whoever holds the log and its key cannot rewrite it, nor go
// back to an old backup, without every runtime saying so. What is enforced does not depend on it.

import { join } from "node:path";
import type { EvidenceFork, WitnessedCheckpoint } from "../../gen/policyguard/runtime/v1/reporting_service_pb.ts";
import type { PublicJwk } from "../../src/kit/crypto/signing-key.ts";
import { trustKeys } from "../../src/kit/crypto/signing-key.ts";
import { readCheckpoint, type TreeHead, verifyCheckpoint } from "../../src/kit/evidence/checkpoint.ts";
import { isConsistent } from "../../src/kit/evidence/merkle.ts";
import type { Logger } from "../../src/kit/observability/log.ts";
import { DurableFile, type DurableFileOptions } from "./durable-file.ts";

const fileName = "evidence-checkpoint.json";

/** What a runtime knows of the log's keys. */
export interface KnownLog {
  readonly orgId: string;
  readonly keys: readonly PublicJwk[];
}

/** What a witness says of itself. */
export interface Witnessed {
  readonly witnessedSize: number;
  readonly witnessedRoot: Uint8Array<ArrayBuffer>;
  readonly evidenceFork: Pick<EvidenceFork, "kept" | "received"> | undefined;
}

/** What is on disk. */
interface Kept {
  readonly note: string;
  /** The checkpoint that contradicts it. */
  readonly contradictedBy?: string;
}

/** Keeps the newest checkpoint in the data folder. */
export class Witness {
  readonly #file: DurableFile;
  readonly #log: Logger;
  #kept: Kept | undefined;
  #head: TreeHead | undefined;

  constructor(folder: string, log: Logger, options?: DurableFileOptions) {
    this.#file = new DurableFile(join(folder, fileName), options);
    this.#log = log;
    const text = this.#file.read();
    if (text === undefined) return;
    this.#kept = readKept(text, this.#file.path);
    // It was verified before it was kept, perhaps by a key that is no longer in use.
    this.#head = readCheckpoint(this.#kept.note);
  }

  /** Whether the log contradicts what it keeps. */
  get isForked(): boolean {
    return this.#kept?.contradictedBy !== undefined;
  }

  /** What to tell the control plane. */
  status(): Witnessed {
    const { note = "", contradictedBy } = this.#kept ?? {};
    const evidenceFork = contradictedBy === undefined ? undefined : { kept: note, received: contradictedBy };
    const { size = 0, root = [] } = this.#head ?? {};
    return { witnessedSize: size, witnessedRoot: Uint8Array.from(root), evidenceFork };
  }

  /** Takes a checkpoint that the control plane sent. One that no key of the log signed is ignored, and logged. */
  take({ note, fromSize, hashes }: WitnessedCheckpoint, { orgId, keys }: KnownLog): void {
    let received: TreeHead;
    try {
      const known = keys.length === 0 ? [] : [...trustKeys(keys).values()];
      const keysOf = (name: string) => known.map((key) => ({ name, key }));
      received = verifyCheckpoint(note, keysOf);
      if (received.origin.split("/").at(-1) !== orgId) throw new Error(`it is of the log ${received.origin}`);
    } catch (err) {
      this.#log.warn({ err }, "a checkpoint of the log of evidence is not signed as it should be, and was ignored");
      return;
    }
    const kept = this.#head;
    // An answer to an earlier status, which is sent again with the next.
    if (kept !== undefined && fromSize !== kept.size) return;
    if (kept === undefined || continues(kept, received, hashes)) {
      if (kept?.size === received.size) return;
      this.#keep({ note }, received);
    } else if (!this.isForked) {
      this.#keep({ note: this.#kept?.note ?? "", contradictedBy: note }, kept);
      const sizes = { kept: kept.size, received: received.size };
      this.#log.error(
        sizes,
        "the log of evidence does not continue the checkpoint that this runtime keeps: it was rewritten, or the control plane was restored from a backup",
      );
    }
  }

  /** Ends the retries of a write that the disk refused. */
  close(): void {
    this.#file.close();
  }

  #keep(kept: Kept, head: TreeHead): void {
    this.#kept = kept;
    this.#head = head;
    this.#file.keep(JSON.stringify(kept));
  }
}

/** Whether the log of a checkpoint is known to begin with that of another. */
function continues(kept: TreeHead, received: TreeHead, path: readonly Uint8Array[]): boolean {
  if (received.origin !== kept.origin || received.size < kept.size) return false;
  return isConsistent({ from: kept.size, fromRoot: kept.root, to: received.size, toRoot: received.root, path });
}

// What a witness forgot it cannot vouch for, so damage is told and not passed over.
function readKept(text: string, path: string): Kept {
  try {
    const kept: Kept = JSON.parse(text);
    readCheckpoint(kept.note);
    return kept;
  } catch (cause) {
    throw new Error(`${path} is damaged; remove it to begin anew as a witness of the log of evidence`, { cause });
  }
}
