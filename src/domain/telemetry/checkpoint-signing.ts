// Signs checkpoints of the logs of evidence. A checkpoint binds for ever: nothing is signed that does not continue the
// one before, that is not committed, or over an entry whose hash is not that of a leaf of form 2.

import type { PublicJwk } from "../../kit/crypto/signing-key.ts";
import { trustKeys } from "../../kit/crypto/signing-key.ts";
import { signedBy } from "../../kit/crypto/statement.ts";
import { checkpointText, type TreeHead } from "../../kit/evidence/checkpoint.ts";
import { emptyRoot } from "../../kit/evidence/merkle.ts";
import { type NoteKey, signatureLine } from "../../kit/evidence/note.ts";
import { grownTiles, lastTiles, rangeHashes, tilesOf } from "../../kit/evidence/tile.ts";
import type { Clock } from "../../kit/process/clock.ts";
import { tryEach } from "../../platform/try-each.ts";
import type { Database } from "../../store/connection/database.ts";
import type { Transaction } from "../../store/core/transaction.ts";
import {
  addCheckpoint,
  findCheckpoint,
  headSize,
  leavesToSign,
  lockLog,
  lookUpLogsToSign,
  readTiles,
  writeTiles,
} from "../../store/telemetry/evidence-log.ts";
import type { LogKey, LogKeys } from "./log-key.ts";

/** Entries that one transaction brings into tiles. */
const leavesAtOnce = 5_000;

/** Age from which a log without news is compared with its checkpoint again. */
const checkAgeMs = 86_400_000;

/** A log over which no checkpoint may be signed. */
export class UnsignableLog extends Error {
  override readonly name = "UnsignableLog";
}

/** Signs checkpoints. */
export class CheckpointSigning {
  readonly #database: Database;
  readonly #keys: LogKeys;
  readonly #clock: Clock;

  constructor(database: Database, keys: LogKeys, clock: Clock) {
    this.#database = database;
    this.#keys = keys;
    this.#clock = clock;
  }

  /**
   * Signs a checkpoint of every log that has news, and once a day compares the others with theirs. Returns how many
   * were signed. A log that cannot be signed does not stop the others: at the end, an AggregateError has the failures.
   */
  async signAll(): Promise<number> {
    const due = await lookUpLogsToSign(this.#database, new Date(this.#clock.now().getTime() - checkAgeMs));
    let signed = 0;
    await tryEach(due, {
      nameOf: ({ org_id }) => `the log of organization ${org_id}`,
      work: async ({ org_id }) => {
        if (await this.sign(org_id)) signed++;
      },
    });
    return signed;
  }

  /** Signs a checkpoint over everything that is committed. Returns whether there was something new. */
  async sign(orgId: string): Promise<boolean> {
    for (;;) {
      const done = await this.#database.systemTransaction(orgId, (tx) => this.#step(tx));
      if (done !== undefined) return done === "signed";
    }
  }

  /** Brings some entries into tiles, and signs when all are there. */
  async #step(tx: Transaction): Promise<"signed" | "checked" | undefined> {
    const log = await lockLog(tx);
    const size = await headSize(tx);
    if (size < log.treeSize) throw new UnsignableLog(`the log has ${size} entries and had ${log.treeSize}`);
    log.treeSize += await grow(tx, log.treeSize);
    if (log.treeSize < size) return undefined;
    const last = await findCheckpoint(tx);
    if ((last?.size ?? 0) !== log.signedSize) throw new UnsignableLog("the newest checkpoint is missing");
    if (last !== null && !(await treeRoot(tx, last.size)).equals(last.root))
      throw new UnsignableLog(`the tree does not continue the checkpoint over ${last.size} entries`);
    log.checkedAt = tx.now;
    if (size === log.signedSize) return "checked";
    const head = { origin: log.origin, size, root: await treeRoot(tx, size) };
    addCheckpoint(tx, { ...head, note: await signedNote(head, await this.#keys.signingLog(tx)) });
    log.signedSize = size;
    return "signed";
  }
}

/** The log's key under the log's name. */
export function noteKeyOf(origin: string, jwk: PublicJwk): NoteKey {
  const key = trustKeys([jwk]).get(jwk.kid);
  if (key === undefined) throw new Error("a trust root has its keys");
  return { name: origin, key };
}

async function signedNote(head: TreeHead, keys: readonly LogKey[]): Promise<string> {
  const text = checkpointText(head);
  const lines = keys.map(async ({ jwk, key }) =>
    signatureLine(noteKeyOf(head.origin, jwk), await signedBy(key, Buffer.from(text))),
  );
  return `${text}\n${(await Promise.all(lines)).join("")}`;
}

/** Adds the next entries to the tiles. Returns how many. */
async function grow(tx: Transaction, from: number): Promise<number> {
  const leaves = await leavesToSign(tx, from, leavesAtOnce);
  for (const [i, { seq, isSound }] of leaves.entries()) {
    if (seq !== from + i) throw new UnsignableLog(`entry ${from + i} is missing`);
    if (!isSound) throw new UnsignableLog(`entry ${seq} is no leaf of form 2 with its hash`);
  }
  const tileAt = await readTiles(tx, lastTiles(from));
  const hashes = leaves.map(({ leafHash }) => leafHash);
  if (hashes.length > 0) await writeTiles(tx, grownTiles(from, hashes, tileAt));
  return leaves.length;
}

async function treeRoot(tx: Transaction, size: number): Promise<Buffer> {
  const ranges = [{ start: 0, end: size }];
  const [root] = rangeHashes(ranges, await readTiles(tx, tilesOf(ranges)));
  return root ?? emptyRoot;
}
