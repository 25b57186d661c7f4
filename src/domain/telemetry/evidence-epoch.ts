// Epochs of a log of evidence. When a database was restored from a backup, the log goes on from fewer entries than it
// had, under numbers that were signed before: witnesses find that out and report it. Once the operator says that it was
// a restore, the log begins an epoch: it goes on under a new name, so that its checkpoints no longer contradict those
// of before, and witnesses follow a signed statement about it. What they had seen stays in their folders.

import { Reason } from "../../../gen/policyguard/common/v1/reason_pb.ts";
import type { EpochPayload, LostHead } from "../../kit/bundle/statement-payload.ts";
import { originOf, readOrigin } from "../../kit/evidence/origin.ts";
import { rangeHashes, tilesOf } from "../../kit/evidence/tile.ts";
import { Fault } from "../../kit/fault/fault.ts";
import type { Transaction } from "../../store/core/transaction.ts";
import { listEvidence } from "../../store/telemetry/evidence.ts";
import {
  type AuditEpochRow,
  addEpoch,
  findCheckpoint,
  findLog,
  headSize,
  listEpochs,
  lockLog,
  readTiles,
} from "../../store/telemetry/evidence-log.ts";
import { numberAfterRestore } from "../number-after-restore.ts";

/** The action of entries about forks that runtimes have proved. */
export const forkAction = "evidence.fork";

/** Lost heads that a statement names. */
export const maxLost = 16;

/** An epoch that began. */
export interface BegunEpoch {
  readonly epoch: number;
  readonly origin: string;
  /** Entries that the restored log has. */
  readonly size: number;
}

/** Begins an epoch of the organization's log, with its entry. Throws when the log has no checkpoint. */
export async function beginEpoch(tx: Transaction, reason: string): Promise<BegunEpoch> {
  if ((await findLog(tx)) === null) {
    const message = "its log of evidence has no checkpoint, which nothing could contradict: there is no epoch to begin";
    throw new Fault(Reason.CONFLICT, message);
  }
  const log = await lockLog(tx);
  const former = readOrigin(log.origin);
  if (former === undefined) throw new Error(`${log.origin} is no name of a log`);
  const epoch = numberAfterRestore(former.epoch, tx.now);
  const begun = { epoch, origin: originOf(former.log, epoch), size: await headSize(tx) };
  const head = await findCheckpoint(tx);
  const before = {
    ...{ epoch: former.epoch, origin: log.origin },
    // The last head that the restored log knows of.
    ...(head && { tree_size: head.size, root_hash: Buffer.from(head.root).toString("hex") }),
  };
  await addEpoch(tx, log, { ...begun, reason });
  const after = { epoch, origin: begun.origin, tree_size: begun.size, reason };
  tx.changed({ resource: "evidence", action: "evidence.begin_epoch", before, after });
  return begun;
}

/** What the statement about the log's newest epoch says; undefined while its first checkpoint is not signed. */
export async function epochPayload(tx: Transaction, row: AuditEpochRow): Promise<EpochPayload | undefined> {
  const log = await findLog(tx);
  if (log === null || log.signedSize <= row.size) return undefined;
  const ranges = [{ start: 0, end: row.size }];
  const [root] = rangeHashes(ranges, await readTiles(tx, tilesOf(ranges)));
  if (root === undefined) throw new Error("a range has a hash");
  return {
    ...{ org_id: tx.orgId, epoch: row.epoch, origin: row.origin, tree_size: row.size, root_hash: root.toString("hex") },
    ...{ reason: row.reason, began_at: row.createdAt.toISOString(), lost: await lostHeads(tx) },
  };
}

/** The log's newest epoch, if a later one than the first has begun. */
export async function newestEpoch(tx: Transaction): Promise<AuditEpochRow | undefined> {
  return (await listEpochs(tx))[0];
}

/**
 * Heads that witnesses have proved the log to have had, newest report first: all of them, or one, by the
 * resource of its entries. At most `maxLost` reports count.
 */
export async function lostHeads(tx: Transaction, resource?: string): Promise<LostHead[]> {
  const filter = { action: forkAction, actor: undefined, resource, since: undefined, until: undefined };
  const [found] = await listEvidence(tx, filter, { limit: maxLost, offset: 0 });
  const heads = found.flatMap(({ openings }) => {
    const kept = openings.after?.value === undefined ? undefined : JSON.parse(openings.after.value).kept;
    return kept === undefined ? [] : [{ tree_size: Number(kept.tree_size), root_hash: String(kept.root_hash) }];
  });
  return [...new Map(heads.map((head) => [head.root_hash, head])).values()];
}
