// Runtimes as witnesses of the log of evidence: each gets the newest checkpoint with the proof that it continues the
// one that it keeps, and says so when it does not. A report of a fork is believed only as far as it proves itself: two
// checkpoints with the log's own signature, of which this log does not have the first.

import type { SignedStatement } from "../../kit/crypto/statement.ts";
import { type TreeHead, verifyCheckpoint } from "../../kit/evidence/checkpoint.ts";
import { consistencyRanges } from "../../kit/evidence/merkle.ts";
import { NoteError } from "../../kit/evidence/note.ts";
import { rangeHashes, tilesOf } from "../../kit/evidence/tile.ts";
import type { Logger } from "../../kit/observability/log.ts";
import { newId } from "../../kit/process/id.ts";
import type { Database } from "../../store/connection/database.ts";
import type { Transaction } from "../../store/core/transaction.ts";
import { writeAuditEntry } from "../../store/telemetry/audit-entry.ts";
import { type AuditEpochRow, findCheckpoint, findLog, readTiles } from "../../store/telemetry/evidence-log.ts";
import { serviceCaller } from "../service-caller.ts";
import { noteKeyOf } from "./checkpoint-signing.ts";
import { epochPayload, forkAction, lostHeads, maxLost, newestEpoch } from "./evidence-epoch.ts";
import type { LogKeys } from "./log-key.ts";

/** What a witness keeps. */
export interface WitnessState {
  /** Entries of its checkpoint; 0 before the first. */
  readonly size: number;
  readonly root: Uint8Array;
  /** The epoch to which it belongs. */
  readonly epoch: number;
  readonly fork: { readonly kept: string; readonly received: string } | undefined;
}

/** A checkpoint for a witness. */
export interface CheckpointForWitness {
  readonly note: string;
  readonly fromSize: number;
  readonly hashes: readonly Buffer[];
  readonly keySet: SignedStatement;
  /** For a witness of an earlier epoch. */
  readonly epoch?: SignedStatement;
}

/** Where a witness is. */
interface WitnessSource {
  readonly orgId: string;
  readonly instanceId: string;
}

/** Answers witnesses. */
export class Witnesses {
  readonly #database: Database;
  readonly #keys: LogKeys;
  readonly #log: Logger;

  constructor({ database, keys, log }: { readonly database: Database; readonly keys: LogKeys; readonly log: Logger }) {
    this.#database = database;
    this.#keys = keys;
    this.#log = log;
  }

  /**
   * The newest checkpoint, unless the witness keeps it already or has reported that it contradicts what it keeps. What
   * fails is logged, and made up for when the runtime tells its state again, a few seconds later.
   */
  async answer(source: WitnessSource, state: WitnessState): Promise<CheckpointForWitness | undefined> {
    try {
      return await this.#answer(source, state);
    } catch (err) {
      const { orgId, instanceId } = source;
      this.#log.warn({ err, orgId, instanceId }, "a witness of the log of evidence could not be answered");
      return undefined;
    }
  }

  async #answer(source: WitnessSource, state: WitnessState): Promise<CheckpointForWitness | undefined> {
    const { size, root, epoch, fork } = state;
    if (fork !== undefined) await this.#noteFork(source, fork);
    return this.#database.read(source.orgId, async (tx) => {
      const begun = size === 0 ? undefined : await newestEpoch(tx);
      if (begun !== undefined && epoch < begun.epoch) return this.#answerFormer(tx, begun);
      if (fork !== undefined) return undefined;
      const newest = await findCheckpoint(tx);
      if (newest === null || (newest.size === size && Buffer.compare(newest.root, root) === 0)) return undefined;
      const isLonger = size < newest.size;
      const ranges = isLonger ? consistencyRanges(size, newest.size) : [];
      const hashes = rangeHashes(ranges, await readTiles(tx, tilesOf(ranges)));
      return { note: newest.note, fromSize: size, hashes, keySet: await this.#keys.keySet(tx) };
    });
  }

  /** What a witness of an earlier epoch follows into the newest; undefined while that has no checkpoint. */
  async #answerFormer(tx: Transaction, begun: AuditEpochRow): Promise<CheckpointForWitness | undefined> {
    const payload = await epochPayload(tx, begun);
    const newest = await findCheckpoint(tx);
    if (payload === undefined || newest === null) return undefined;
    const ranges = consistencyRanges(begun.size, newest.size);
    const hashes = rangeHashes(ranges, await readTiles(tx, tilesOf(ranges)));
    const keySet = await this.#keys.keySet(tx);
    return { note: newest.note, fromSize: begun.size, hashes, keySet, epoch: await this.#keys.signEpoch(tx, payload) };
  }

  /** Enters a fork in the log: once for each runtime and checkpoint that it kept, and so many times at most. */
  async #noteFork({ orgId, instanceId }: WitnessSource, notes: { kept: string; received: string }): Promise<void> {
    const isNew = await this.#database.systemTransaction(orgId, async (tx) => {
      const proved = await this.#proved(tx, notes);
      if (typeof proved === "string") {
        this.#log.warn({ orgId, instanceId }, `a runtime reports a fork that it does not prove: ${proved}`);
        return false;
      }
      const resource = `runtime/${instanceId}`;
      const change = { resource, before: null, after: { kept: said(proved.kept), received: said(proved.received) } };
      // Of everything that was signed since, a hostile runtime can say that it contradicts what it keeps.
      const told = await lostHeads(tx, resource);
      const isTold = told.some(({ root_hash }) => root_hash === change.after.kept.root_hash);
      if (isTold || told.length >= maxLost) return false;
      await writeAuditEntry(tx, serviceCaller(orgId, { action, requestId: newId(), address: "" }), change);
      return true;
    });
    if (isNew) this.#log.error({ orgId, instanceId }, "a runtime proves that the log of evidence was forked");
  }

  /** The two checkpoints, or why they prove no fork. */
  async #proved(tx: Transaction, notes: { readonly kept: string; readonly received: string }) {
    const log = await findLog(tx);
    if (log === null) return "there is no log";
    // A key that was revoked since may have signed what a witness keeps.
    const keys = (await this.#keys.allLogKeys(tx)).map((jwk) => noteKeyOf(log.origin, jwk));
    try {
      const [kept, received] = [verifyCheckpoint(notes.kept, keys), verifyCheckpoint(notes.received, keys)];
      if (kept.size > log.treeSize) return { kept, received };
      const ranges = [{ start: 0, end: kept.size }];
      const [own] = rangeHashes(ranges, await readTiles(tx, tilesOf(ranges)));
      return own?.equals(kept.root) === true ? "this log continues the kept checkpoint" : { kept, received };
    } catch (error) {
      if (error instanceof NoteError) return error.message;
      throw error;
    }
  }
}

const action = forkAction;

function said({ size, root }: TreeHead) {
  return { tree_size: size, root_hash: root.toString("hex") };
}
