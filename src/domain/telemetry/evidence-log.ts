// Reads the log of evidence as a tree: checkpoints, and proofs made of tiles.

import { tlogProofText } from "../../kit/evidence/checkpoint.ts";
import { consistencyRanges, inclusionRanges, type LeafRange } from "../../kit/evidence/merkle.ts";
import { verifierKeyText } from "../../kit/evidence/note.ts";
import { rangeHashes, tilesOf } from "../../kit/evidence/tile.ts";
import { type Fault, notFound, validationFailed } from "../../kit/fault/fault.ts";
import type { Caller } from "../../kit/rpc/context.ts";
import type { Page } from "../../kit/rpc/page.ts";
import type { Database } from "../../store/connection/database.ts";
import type { Transaction } from "../../store/core/transaction.ts";
import {
  type AuditCheckpointRow,
  type AuditEpochRow,
  type AuditLogRow,
  findCheckpoint,
  findLog,
  listCheckpoints,
  listEpochs,
  readTiles,
} from "../../store/telemetry/evidence-log.ts";
import { noteKeyOf } from "./checkpoint-signing.ts";
import type { LogKeys } from "./log-key.ts";

/** A signed checkpoint. */
export interface Checkpoint {
  readonly size: number;
  /** In hexadecimal digits. */
  readonly root: string;
  readonly note: string;
  readonly createdAt: Date;
}

/** A page of checkpoints, and what they are verified with. */
export interface CheckpointPage {
  readonly total: number;
  /** Name of the log; undefined before the first checkpoint. */
  readonly origin: string | undefined;
  /** The keys of the log as texts. */
  readonly verifierKeys: readonly string[];
  /** When the tree was last found to continue the newest checkpoint. */
  readonly checkedAt: Date | undefined;
  readonly checkpoints: readonly Checkpoint[];
  /** Those that began after a restore, newest first. */
  readonly epochs: readonly Epoch[];
}

/** An epoch of the log. */
export type Epoch = Pick<AuditEpochRow, "epoch" | "origin" | "size" | "reason" | "createdAt">;

/** A proof that an entry is in the log. */
export interface InclusionProof {
  readonly seq: number;
  readonly treeSize: number;
  /** Hashes in hexadecimal digits, from the entry's neighbour up. */
  readonly path: readonly string[];
  readonly checkpoint: Checkpoint;
  /** The same as one text. */
  readonly text: string;
}

/** A proof that the log of a size begins with that of another. */
export interface ConsistencyProof {
  readonly from: number;
  readonly to: number;
  readonly fromRoot: string;
  readonly toRoot: string;
  readonly path: readonly string[];
}

/** Reads checkpoints and proofs. */
export class EvidenceLog {
  readonly #database: Database;
  readonly #keys: LogKeys;

  constructor(database: Database, keys: LogKeys) {
    this.#database = database;
    this.#keys = keys;
  }

  /** The newest checkpoint. */
  checkpoint(caller: Caller): Promise<Checkpoint> {
    return this.#database.read(caller.orgId, async (tx) => checkpointOf(await requireCheckpoint(tx)));
  }

  /** A page of the checkpoints, newest first. */
  checkpoints(caller: Caller, page: Page): Promise<CheckpointPage> {
    return this.#database.read(caller.orgId, async (tx) => {
      const log = await findLog(tx);
      if (log === null) {
        const none = { origin: undefined, verifierKeys: [], checkedAt: undefined };
        return { total: 0, ...none, checkpoints: [], epochs: [] };
      }
      const [rows, total] = await listCheckpoints(tx, page);
      const keys = await this.#keys.logKeys(tx);
      return {
        total,
        origin: log.origin,
        verifierKeys: keys.map((jwk) => verifierKeyText(noteKeyOf(log.origin, jwk))),
        checkedAt: log.checkedAt ?? undefined,
        checkpoints: rows.map(checkpointOf),
        epochs: await listEpochs(tx),
      };
    });
  }

  /** Proves that an entry is in the tree of a checkpoint, the newest unless `treeSize` names one. */
  proof(caller: Caller, seq: number, treeSize: number | undefined): Promise<InclusionProof> {
    return this.#database.read(caller.orgId, async (tx) => {
      const checkpoint = await requireCheckpoint(tx, treeSize);
      // An entry that is not signed yet is in no tree that could be proved.
      if (seq >= checkpoint.size) throw notFound("entry");
      const path = await hashesOf(tx, inclusionRanges(seq, checkpoint.size));
      return {
        seq,
        treeSize: checkpoint.size,
        path: path.map(hex),
        checkpoint: checkpointOf(checkpoint),
        text: tlogProofText({ extra: undefined, index: seq, path, checkpoint: checkpoint.note }),
      };
    });
  }

  /** Proves that the log of `to` entries, by default those of the newest checkpoint, begins with the first `from`. */
  consistency(caller: Caller, from: number, to: number | undefined): Promise<ConsistencyProof> {
    return this.#database.read(caller.orgId, async (tx) => {
      const signedSize = (await requireLog(tx)).signedSize;
      const end = to ?? signedSize;
      if (end > signedSize) throw wrongSize("to", `${signedSize}, the size of the newest checkpoint`);
      if (from > end) throw wrongSize("from", `${end}, the size of the later tree`);
      const ranges = [{ start: 0, end: from }, { start: 0, end }, ...consistencyRanges(from, end)];
      const [fromRoot, toRoot, ...path] = (await hashesOf(tx, ranges)).map(hex);
      return { from, to: end, fromRoot: fromRoot ?? "", toRoot: toRoot ?? "", path };
    });
  }
}

function wrongSize(field: "from" | "to", limit: string): Fault {
  return validationFailed([{ field, message: `must be at most ${limit}` }]);
}

function checkpointOf({ size, root, note, createdAt }: AuditCheckpointRow): Checkpoint {
  return { size, root: hex(root), note, createdAt };
}

async function requireCheckpoint(tx: Transaction, size?: number): Promise<AuditCheckpointRow> {
  const found = await findCheckpoint(tx, size);
  if (found === null) throw notFound("checkpoint");
  return found;
}

async function requireLog(tx: Transaction): Promise<AuditLogRow> {
  const found = await findLog(tx);
  if (found === null) throw notFound("checkpoint");
  return found;
}

async function hashesOf(tx: Transaction, ranges: readonly LeafRange[]): Promise<Buffer[]> {
  return rangeHashes(ranges, await readTiles(tx, tilesOf(ranges)));
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("hex");
}
