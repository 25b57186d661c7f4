// Adds what ingests counted to the cubes, exactly once: deltas are deleted and their counts added in one transaction.
// An evaluation counts in its minute, its hour and its day, and in the metered usage of its day.

import { fromBinary } from "@bufbuild/protobuf";
import { TallySchema } from "../../../gen/policyguard/policy/v1/tally_pb.ts";
import type { LatencyHistogram } from "../../kit/tally/latency-histogram.ts";
import type { Database } from "../../store/connection/database.ts";
import type { Transaction } from "../../store/core/transaction.ts";
import { addCounts, type CubeRow, readBytes, writeBytes } from "../../store/telemetry/cube.ts";
import { latencyCube, tryLockCubes } from "../../store/telemetry/stat-cube.ts";
import { lookUpUnfolded, type StatDelta, takeDeltas } from "../../store/telemetry/stat-delta.ts";
import { admit } from "./cube-cap.ts";
import { CubeSums } from "./cube-sums.ts";

/** Deltas that one transaction folds: few enough that it takes well under a second. */
const deltasAtOnce = 500;

/** What a fold did. */
export interface Folded {
  readonly organizations: number;
  readonly deltas: number;
  /** Age of the oldest delta that was there when it began; 0 when there was none. */
  readonly lagMs: number;
}

/** Folds deltas into cubes. */
export class StatFold {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Folds what is there, of every organization. */
  async foldAll(now: Date): Promise<Folded> {
    const waiting = await lookUpUnfolded(this.#database);
    let deltas = 0;
    for (const { org_id } of waiting) deltas += await this.fold(org_id);
    const oldestMs = Math.min(now.getTime(), ...waiting.map(({ oldest }) => new Date(oldest).getTime()));
    return { organizations: waiting.length, deltas, lagMs: now.getTime() - oldestMs };
  }

  /** Folds what is there of an organization, unless another worker does. Returns how many deltas there were. */
  async fold(orgId: string): Promise<number> {
    let folded = 0;
    for (let taken = deltasAtOnce; taken === deltasAtOnce; folded += taken) {
      taken = await this.#database.systemTransaction(orgId, foldSome);
    }
    return folded;
  }
}

async function foldSome(tx: Transaction): Promise<number> {
  if (!(await tryLockCubes(tx))) return 0;
  const deltas = await takeDeltas(tx, deltasAtOnce);
  if (deltas.length === 0) return 0;
  await addToCubes(tx, deltas);
  return deltas.length;
}

/** Adds deltas to the cubes, which have to be locked. */
async function addToCubes(tx: Transaction, deltas: readonly StatDelta[]): Promise<void> {
  const sums = new CubeSums(tx.now);
  for (const delta of deltas) sums.add(delta, fromBinary(TallySchema, delta.tally));
  for (const { cube, rows } of sums.counts()) await addCounts(tx, cube, await admit(tx, cube, rows, addNumbers));
  await addLatencies(tx, sums.latencies());
}

async function addLatencies(tx: Transaction, added: readonly CubeRow<LatencyHistogram>[]): Promise<void> {
  const rows = await admit(tx, latencyCube, added, addHistograms);
  const known = await readBytes(
    tx,
    latencyCube,
    "buckets",
    rows.map(({ key }) => key),
  );
  const merged = rows.map(({ key, counts }, at) => {
    const before = known[at];
    if (before !== undefined) counts.addBytes(before);
    return { key, counts: counts.toBytes() };
  });
  await writeBytes(tx, latencyCube, "buckets", merged);
}

function addNumbers(into: readonly number[], more: readonly number[]): readonly number[] {
  return into.map((count, i) => count + (more[i] ?? 0));
}

function addHistograms(into: LatencyHistogram, more: LatencyHistogram): LatencyHistogram {
  into.addBytes(more.toBytes());
  return into;
}
