// CPU of the control plane and of the database, and the bytes that stay: of evaluations that come with their record,
// and of those that are only counted. The stream is left out, the decoding of its messages is not.

import { randomUUID } from "node:crypto";
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import pg from "pg";
import { BatchSchema } from "../../gen/policyguard/runtime/v1/reporting_service_pb.ts";
import { Ingest } from "../../src/domain/fleet/ingest.ts";
import { StatFold } from "../../src/domain/telemetry/stat-fold.ts";
import { TallyBuilder } from "../../src/kit/tally/tally.ts";
import { openDatabase } from "../../src/store/connection/database.ts";
import { testSealer } from "../../test/harness/sealer.ts";
import { setPlan } from "../../test/harness/vector/plan.ts";
import { createWorld } from "../../test/harness/vector/world.ts";
import { ingestedRecord } from "../ingest.ts";
import { measure, type Round } from "../measure.ts";
import { type BenchDatabase, startBenchDatabase } from "../server/database.ts";
import { cpuOf, onCpu } from "./round.ts";

const batchRecords = 256;
/** Evaluations of one tally: what a runtime at 500/s counts in ten seconds. */
const countedAtOnce = 5_000;
const names = { store: "store with its record", take: "take one that is only counted" } as const;
const traceTables = "^(trace|evaluation_key)";
const countTables = "^(stat_(outcome|rule|latency|unjudged|version|loss)|usage_day)";

/** What was sent to the ingest, and the CPU of the database for it. */
interface Spent {
  evaluations: number;
  databaseSeconds: number;
}

/** Measures so many batches of each kind. */
export async function measurePlane(batches: number) {
  const server = await startBenchDatabase();
  const database = await openDatabase({ url: server.applicationUrl, poolSize: 4 });
  const worker = await openDatabase({ url: server.workerUrl, poolSize: 2 });
  const owner = new pg.Client({ connectionString: server.migrationUrl });
  await owner.connect();
  try {
    const { orgId, projectId, environment } = await createWorld(database);
    await setPlan(database, orgId, "enterprise");
    const source = { orgId, projectId, environment, instanceId: randomUUID() };
    const ingest = new Ingest(database, { sealer: testSealer, onResult: () => undefined });
    const send = async (messages: readonly Uint8Array[]) => {
      for (const bytes of messages) await ingest.ingest(source, fromBinary(BatchSchema, bytes));
    };
    const stored: Spent = { evaluations: 0, databaseSeconds: 0 };
    const taken: Spent = { evaluations: 0, databaseSeconds: 0 };
    const rows = await measure([
      { name: names.store, run: () => timed(server, stored, batches * batchRecords, storing(batches), send) },
      { name: names.take, run: () => timed(server, taken, batches * countedAtOnce, counting(batches), send) },
    ]);
    const fold = async () => {
      await new StatFold(worker).fold(orgId);
      return bytesOf(owner, countTables);
    };
    const countBytes = await fold();
    await send(Array.from({ length: 60 }, (_, minute) => counted(new Date(Date.now() - (minute + 1) * 60_000))));
    const figures = {
      storePlaneUs: cpuOf(rows, names.store),
      storeDatabaseUs: (stored.databaseSeconds / stored.evaluations) * 1e6,
      takePlaneUs: cpuOf(rows, names.take),
      takeDatabaseUs: (taken.databaseSeconds / taken.evaluations) * 1e6,
      traceBytes: (await bytesOf(owner, traceTables)) / stored.evaluations,
      minuteBytes: ((await fold()) - countBytes) / 60,
    };
    return { rows, figures };
  } finally {
    await owner.end();
    await Promise.all([database.close(), worker.close()]);
    await server.stop();
  }
}

async function timed(
  server: BenchDatabase,
  spent: Spent,
  evaluations: number,
  messages: readonly Uint8Array[],
  send: (messages: readonly Uint8Array[]) => Promise<void>,
): Promise<Round> {
  const beforeSeconds = server.cpuSeconds();
  const round = await onCpu(evaluations, () => send(messages));
  spent.databaseSeconds += server.cpuSeconds() - beforeSeconds;
  spent.evaluations += evaluations;
  return round;
}

function storing(batches: number): Uint8Array[] {
  return Array.from({ length: batches }, () => {
    const records = Array.from({ length: batchRecords }, (_, index) => ingestedRecord(index));
    return toBinary(BatchSchema, create(BatchSchema, { firstSeq: 1, lastSeq: batchRecords, records }));
  });
}

function counting(batches: number): Uint8Array[] {
  return Array.from({ length: batches }, () => counted(new Date()));
}

/** A message of a boot of its own, so that it is taken. */
function counted(createdAt: Date): Uint8Array {
  const builder = new TallyBuilder();
  for (let index = 0; index < countedAtOnce; index++) {
    const record = ingestedRecord(index);
    builder.add(record, { createdAtMs: createdAt.getTime(), agent: record.agentId, isOverage: false });
  }
  const sent = { firstSeq: 1, lastSeq: countedAtOnce, bootId: randomUUID(), tally: builder.toTally() };
  return toBinary(BatchSchema, create(BatchSchema, sent));
}

/** Bytes of tables whose names match, with their indexes and what is stored beside them. */
async function bytesOf(owner: pg.Client, names: string): Promise<number> {
  const { rows } = await owner.query<{ bytes: string }>(
    `select coalesce(sum(pg_total_relation_size(c.oid)), 0) as bytes from pg_class c
     join pg_namespace n on n.oid = c.relnamespace
     where c.relkind = 'r' and n.nspname not in ('pg_catalog', 'information_schema') and c.relname ~ $1`,
    [names],
  );
  return Number(rows[0]?.bytes ?? 0);
}
