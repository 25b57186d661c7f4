// Fifty runtimes and a control plane by a clock of their own, for trying quota leases: the leases, the ledger and the
// ingest are the product's; only the network between them is made up, so that it can be cut anywhere and a schedule can
// be repeated.

import { randomUUID } from "node:crypto";
import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { EvaluationRecord } from "../../../gen/policyguard/policy/v1/record_pb.ts";
import { LeaseWish, QuotaSchema, QuotaState } from "../../../gen/policyguard/runtime/v1/reporting_service_pb.ts";
import { QuotaLeases } from "../../../runtime/control-plane/quota-leases.ts";
import { Quota, type QuotaAnswer, type QuotaSession } from "../../../src/domain/billing/quota.ts";
import { Ingest } from "../../../src/domain/fleet/ingest.ts";
import { Fault } from "../../../src/kit/fault/fault.ts";
import type { Database } from "../../../src/store/connection/database.ts";
import { evaluation } from "../../src/domain/telemetry/evaluation.ts";
import type { MovedClock } from "../moved-clock.ts";
import { testSealer } from "../sealer.ts";
import type { World } from "../vector/world.ts";

const states = {
  leased: QuotaState.LEASED,
  unlimited: QuotaState.UNLIMITED,
  exhausted: QuotaState.EXHAUSTED,
  blocked: QuotaState.BLOCKED,
} as const;

/** The counters of a month. */
export interface MonthCounters {
  readonly month: string;
  readonly evaluations: number;
  readonly playground: number;
  readonly overage: number;
  readonly outstanding: number;
}

/** A runtime whose stream can be cut, and which can be killed. */
export class SimulatedRuntime {
  readonly #world: World;
  readonly #quota: Quota;
  readonly #ingest: Ingest;
  readonly #clock: MovedClock;
  readonly #instanceId = randomUUID();
  /** What outlives a crash. */
  #spool: EvaluationRecord[] = [];
  #acked = 0;
  #reporting: Promise<void> = Promise.resolve();
  #session: QuotaSession | undefined;
  #leases: QuotaLeases;
  /** Evaluations that were refused. */
  refused = 0;
  made = 0;
  statuses = 0;

  constructor(world: World, database: Database, clock: MovedClock) {
    this.#world = world;
    this.#quota = new Quota(database, { mode: "off" });
    this.#ingest = new Ingest(database, { sealer: testSealer, onResult: () => undefined });
    this.#clock = clock;
    this.#leases = this.#newLeases();
  }

  get isConnected(): boolean {
    return this.#session !== undefined;
  }

  get waiting(): number {
    return this.#spool.length;
  }

  connect(): void {
    this.#leases.reconnecting();
    this.#session ??= this.#quota.open(this.#source);
  }

  cut(): void {
    this.#session = undefined;
  }

  /** What was leased is forgotten; what was recorded is not. */
  crash(): void {
    this.cut();
    this.#leases = this.#newLeases();
  }

  /** One evaluation. False when it was refused. */
  evaluate(): boolean {
    try {
      const leaseId = this.#leases.take(this.#clock.now());
      this.#spool.push(evaluation({ leaseId }, this.#clock.now()));
      this.made += 1;
      return true;
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      this.refused += 1;
      return false;
    }
  }

  /** A status over the stream and its answer; the answer can be lost on the way. */
  async status({ isAnswerLost = false } = {}): Promise<void> {
    if (this.#session === undefined) return;
    this.statuses += 1;
    const held = this.#leases.held();
    const wish = this.#leases.wish(this.#clock.now());
    const wanted = wish === LeaseWish.NOW ? "now" : wish === LeaseWish.NEXT_MONTH ? "next_month" : undefined;
    const answer = await this.#session.answer(held, wanted, this.#leases.demand);
    if (isAnswerLost) this.cut();
    else this.#leases.replace(messageOf(answer));
  }

  /**
   * Reports what waits; the acknowledgement can be lost, so that it all comes again. A stream carries one batch after
   * the other, so a second call waits for the first.
   */
  report({ isAckLost = false, most = 500 } = {}): Promise<void> {
    const report = this.#reporting.then(() => this.#reportOnce(isAckLost, most));
    this.#reporting = report.catch(() => undefined);
    return report;
  }

  async #reportOnce(isAckLost: boolean, most: number): Promise<void> {
    if (this.#session === undefined || this.#spool.length === 0) return;
    const records = this.#spool.slice(0, most);
    const firstSeq = this.#acked + 1;
    await this.#ingest.ingest(this.#source, { firstSeq, lastSeq: this.#acked + records.length, records });
    if (isAckLost) return;
    this.#spool.splice(0, records.length);
    this.#acked += records.length;
  }

  get #source() {
    const { orgId, projectId, environment } = this.#world;
    return { orgId, projectId, environment, instanceId: this.#instanceId };
  }

  #newLeases(): QuotaLeases {
    return new QuotaLeases({
      isConnected: () => this.isConnected,
      onLow: () => undefined,
      spool: () => ({ firstSeq: this.#acked + 1, nextSeq: this.#acked + this.#spool.length + 1 }),
    });
  }
}

/** An answer as it comes over the wire. */
export function messageOf({ state, leases, limit, used, resetsAt, advice }: QuotaAnswer) {
  return create(QuotaSchema, {
    state: states[state],
    leases: leases.map(({ id, size, startsAt, endsAt }) => ({
      leaseId: id,
      size,
      startsAt: timestampFromDate(startsAt),
      endsAt: timestampFromDate(endsAt),
    })),
    limit,
    used,
    resetsAt: timestampFromDate(resetsAt),
    advice,
  });
}

/** The counters of every month of an organization. */
export function readCounters(database: Database, orgId: string): Promise<MonthCounters[]> {
  return database.read(orgId, async (tx) => {
    const rows = await tx.sql<Record<keyof MonthCounters, string>>(
      `select month::text, evaluations, playground_evaluations as playground, overage,
         (select coalesce(sum(size - spent), 0) from quota_lease lease
          where lease.org_id = usage_month.org_id and lease.month = usage_month.month) as outstanding
       from usage_month where org_id = ?`,
      [orgId],
    );
    return rows.map(({ month, ...counts }) => ({
      month,
      evaluations: Number(counts.evaluations),
      playground: Number(counts.playground),
      overage: Number(counts.overage),
      outstanding: Number(counts.outstanding),
    }));
  });
}
