// A runtime as a witness of the log of evidence: it keeps the newest checkpoint that it saw, and takes a newer one only
// with the proof that the log continues what it keeps. So whoever holds the log and its key cannot rewrite it, nor go
// back to an old backup, without every runtime saying so. What is enforced does not depend on it.

import { join } from "node:path";
import type { Statement } from "../../gen/policyguard/bundle/v1/bundle_pb.ts";
import type { EvidenceFork, WitnessedCheckpoint } from "../../gen/policyguard/runtime/v1/reporting_service_pb.ts";
import { readEpoch } from "../../src/kit/bundle/statement-payload.ts";
import type { PublicJwk } from "../../src/kit/crypto/signing-key.ts";
import { type TrustedKeys, trustKeys } from "../../src/kit/crypto/signing-key.ts";
import { verifyStatement } from "../../src/kit/crypto/statement.ts";
import { readCheckpoint, type TreeHead, verifyCheckpoint } from "../../src/kit/evidence/checkpoint.ts";
import { isConsistent } from "../../src/kit/evidence/merkle.ts";
import { isSameLog, readOrigin } from "../../src/kit/evidence/origin.ts";
import type { Logger } from "../../src/kit/observability/log.ts";
import { DurableFile, type DurableFileOptions } from "./durable-file.ts";

const fileName = "evidence-checkpoint.json";

/** What a runtime knows of the log's keys. */
export interface KnownLog {
  readonly orgId: string;
  readonly keys: readonly PublicJwk[];
  /** The pinned keys of bundles, which sign statements about epochs of the log. */
  readonly trust: TrustedKeys;
}

/** What a witness says of itself. */
export interface Witnessed {
  readonly witnessedSize: number;
  readonly witnessedRoot: Uint8Array<ArrayBuffer>;
  readonly witnessedEpoch: number;
  readonly evidenceFork: Pick<EvidenceFork, "kept" | "received"> | undefined;
}

/** What is on disk. */
interface Kept {
  readonly note: string;
  /** The checkpoint that contradicts it. */
  readonly contradictedBy?: string;
  /** What was kept of earlier epochs, newest first, until the control plane was restored from a backup. */
  readonly former?: readonly Former[];
}

interface Former {
  readonly note: string;
  readonly contradictedBy?: string;
}

/** Checkpoints of earlier epochs that are kept. */
const maxFormer = 8;

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
    const witnessedEpoch = this.#head === undefined ? 0 : epochOf(this.#head);
    return { witnessedSize: size, witnessedRoot: Uint8Array.from(root), witnessedEpoch, evidenceFork };
  }

  /** Takes a checkpoint that the control plane sent. One that no key of the log signed is ignored, and logged. */
  async take(checkpoint: WitnessedCheckpoint, known: KnownLog): Promise<void> {
    const { note, fromSize, hashes, epoch } = checkpoint;
    try {
      const received = verified(note, known);
      if (epoch === undefined) this.#takeNext(received, { note, fromSize, hashes });
      else await this.#follow(received, { note, hashes, epoch }, known);
    } catch (err) {
      this.#log.warn({ err }, "a checkpoint of the log of evidence is not signed as it should be, and was ignored");
    }
  }

  #takeNext(
    received: TreeHead,
    { note, fromSize, hashes }: Pick<WitnessedCheckpoint, "note" | "fromSize" | "hashes">,
  ): void {
    const kept = this.#head;
    // An answer to an earlier status, which is sent again with the next.
    if (kept !== undefined && fromSize !== kept.size) return;
    if (kept === undefined || continues(kept, received, hashes)) {
      if (kept?.size === received.size) return;
      const former = this.#kept?.former;
      this.#keep({ note, ...(former && { former }) }, received);
    } else if (!this.isForked) {
      this.#keep({ ...this.#kept, note: this.#kept?.note ?? "", contradictedBy: note }, kept);
      const sizes = { kept: kept.size, received: received.size };
      this.#log.error(
        sizes,
        "the log of evidence does not continue the checkpoint that this runtime keeps: it was rewritten, or the control plane was restored from a backup",
      );
    }
  }

  /**
   * Begins anew in a later epoch, which the pinned keys vouch for. What was kept so far stays on disk: it shows what
   * the log had before it was restored.
   */
  async #follow(
    received: TreeHead,
    {
      note,
      hashes,
      epoch,
    }: { readonly note: string; readonly hashes: readonly Uint8Array[]; readonly epoch: Statement },
    { orgId, trust }: KnownLog,
  ): Promise<void> {
    const said = readEpoch((await verifyStatement("epoch", epoch, trust)).payload);
    const [kept, head] = [this.#kept, this.#head];
    // Two answers may come at once, and the second finds that the first was taken.
    if (kept === undefined || head === undefined || epochOf(head) >= said.epoch) return;
    const isOfLog = said.org_id === orgId && said.origin === received.origin && isSameLog(said.origin, head.origin);
    const from = { from: said.tree_size, fromRoot: Buffer.from(said.root_hash, "hex") };
    const claim = { ...from, to: received.size, toRoot: received.root, path: hashes };
    if (!isOfLog || epochOf(received) !== said.epoch || !isConsistent(claim))
      throw new Error("the statement about its epoch is of another log");
    const { note: former, contradictedBy } = kept;
    const past = { note: former, ...(contradictedBy !== undefined && { contradictedBy }) };
    this.#keep({ note, former: [past, ...(kept.former ?? [])].slice(0, maxFormer) }, received);
    const sizes = { kept: head.size, restored: said.tree_size, epoch: said.epoch, reason: said.reason };
    this.#log.warn(
      sizes,
      "the log of evidence began an epoch: its operator says that it was restored from a backup; the former checkpoint stays on disk",
    );
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

/** The checkpoint, which a key of the log signed and which is of this organization. */
function verified(note: string, { orgId, keys }: KnownLog): TreeHead {
  const known = keys.length === 0 ? [] : [...trustKeys(keys).values()];
  const head = verifyCheckpoint(note, (name) => known.map((key) => ({ name, key })));
  if (readOrigin(head.origin)?.orgId !== orgId) throw new Error(`it is of the log ${head.origin}`);
  return head;
}

function epochOf({ origin }: TreeHead): number {
  return readOrigin(origin)?.epoch ?? 1;
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
