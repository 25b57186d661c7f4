// Brings traces of form 0 to form 1: seals their text in a table of its own, adds their facets, counts them, and
// replaces the digest of their payload by a keyed one. Such traces were stored before this version; where there are
// none, a look at an empty index tells so.

import { fromBinary } from "@bufbuild/protobuf";
import { EvaluationRecordSchema } from "../../../gen/policyguard/policy/v1/record_pb.ts";
import { TallyBuilder } from "../../kit/tally/tally.ts";
import type { Sealer } from "../../platform/seal.ts";
import type { Database } from "../../store/connection/database.ts";
import type { Transaction } from "../../store/core/transaction.ts";
import { type FormerTrace, lockFormerTraces, writeUpgraded } from "../../store/telemetry/former-trace.ts";
import { insertDelta } from "../../store/telemetry/stat-delta.ts";
import { insertFacets } from "../../store/telemetry/trace-facet.ts";
import { insertTexts } from "../../store/telemetry/trace-text.ts";
import { lookUpOrganizations } from "../../store/tenancy/organization.ts";
import { facetsOf } from "./trace-record.ts";
import { writeTally } from "./trace-tally.ts";
import { splitRecord, type TraceSeal, TraceSeals } from "./trace-text.ts";

/** What one transaction brings to form 1. A record has 4 MiB at most, and is held several times meanwhile. */
const atOnce = { traces: 200, bytes: 8 << 20 };

/** Brings traces to their present form. */
export class TraceUpgrade {
  readonly #database: Database;
  readonly #seals: TraceSeals;
  /** Nobody adds traces of form 0 any more, so whoever found none need not look again. */
  #isDone = false;

  constructor(database: Database, sealer: Sealer) {
    this.#database = database;
    this.#seals = new TraceSeals(sealer);
  }

  /** Upgrades traces of all organizations for as long as `goOn` says. Returns how many. */
  async run(goOn: () => boolean): Promise<number> {
    let traces = 0;
    if (this.#isDone) return traces;
    for (const { id } of await lookUpOrganizations(this.#database)) {
      for (let upgraded = 1; upgraded > 0; traces += upgraded) {
        if (!goOn()) return traces;
        upgraded = await this.#database.systemTransaction(id, (tx) => this.#upgradeSome(tx));
      }
    }
    this.#isDone = true;
    return traces;
  }

  async #upgradeSome(tx: Transaction): Promise<number> {
    const former = await lockFormerTraces(tx, atOnce);
    if (former.length > 0) await upgrade(tx, former, await this.#seals.forWriting(tx));
    return former.length;
  }
}

async function upgrade(tx: Transaction, former: readonly FormerTrace[], seal: TraceSeal): Promise<void> {
  const traces = former.map(({ record, ...trace }) => {
    const reported = fromBinary(EvaluationRecordSchema, record);
    return { ...trace, reported, ...splitRecord(reported) };
  });
  await insertTexts(
    tx,
    traces.flatMap(({ id, createdAt, text }) =>
      text === null ? [] : [{ id, createdAt, sealed: seal.sealText(id, text) }],
    ),
  );
  await insertFacets(
    tx,
    traces.map(({ id, createdAt, reported }) => ({ id, createdAt, facets: facetsOf(reported) })),
  );
  await writeUpgraded(
    tx,
    traces.map(({ id, createdAt, ...parts }) => ({
      id,
      createdAt,
      record: parts.record,
      payloadHash: seal.payloadHash(parts),
    })),
  );
  const builders = new Map<string, TallyBuilder>();
  for (const { projectId, environment, agentKey, createdAt, reported } of traces) {
    const place = JSON.stringify([projectId, environment]);
    const builder = builders.get(place) ?? new TallyBuilder();
    builders.set(place, builder);
    // Which of them were overage is known of the month only.
    builder.add(reported, { createdAtMs: createdAt.getTime(), agent: agentKey ?? "", isOverage: false });
  }
  for (const [place, builder] of builders) {
    const [projectId = "", environment = ""]: string[] = JSON.parse(place);
    insertDelta(tx, { projectId, environment, tally: writeTally(builder.toTally()) });
  }
}
