// Retention of traces, and the partitions that they are stored in.

import type { Clock } from "../../kit/process/clock.ts";
import type { Database } from "../../store/connection/database.ts";
import { forgetReportBoots } from "../../store/fleet/report-boot.ts";
import { deleteAnnotationsBefore } from "../../store/measure/annotation/annotation.ts";
import { forgetErasedSubjects } from "../../store/telemetry/erased-subject.ts";
import { deleteKeysBefore } from "../../store/telemetry/evaluation-key.ts";
import { deleteTraces } from "../../store/telemetry/trace.ts";
import { createTracePartitions, dropTracePartitions } from "../../store/telemetry/trace-partition.ts";
import { deleteRollups, listExpiredDays } from "../../store/telemetry/trace-rollup.ts";
import { deleteTextsBefore } from "../../store/telemetry/trace-text.ts";
import { findOrganization, lookUpOrganizations } from "../../store/tenancy/organization.ts";
import { noteRemoval, removeInBatches } from "../removal.ts";
import { maxDailyRetentionDays, type RetentionOptions, retentionOf } from "./retention.ts";
import { purgeStats, purgeStatsOfDeleted } from "./stat-retention.ts";
import { ageLimitMs } from "./trace-record.ts";
import { dayOf } from "./trace-tally.ts";

const dayMs = 86_400_000;

/** Months of partitions that hold the longest retention. */
const keptMonths = 13;

/** Days of partitions besides the retention: its first day is a part of one, and clocks differ. */
const spareDays = 2;

/** Days that marks are kept, whether or not their traces are. */
const markDays = 400;

/** Keys that one transaction deletes: few enough that no ingest has to wait long. */
const keyBatch = 5_000;

/** Texts that one transaction deletes. */
const textBatch = 5_000;

/** How much a purge removed. */
export interface Purged {
  readonly traces: number;
  /** Texts of traces that stay. */
  readonly texts: number;
  readonly keys: number;
  /** Rows of counts by minute, hour and day. */
  readonly counts: number;
  readonly partitions: readonly string[];
}

/** Makes partitions in advance and removes expired traces. */
export class TraceRetention {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #options: RetentionOptions;

  constructor(database: Database, clock: Clock, options: RetentionOptions) {
    this.#database = database;
    this.#clock = clock;
    this.#options = options;
  }

  /** Makes the partitions of the next months or days. Returns the names of the new ones. */
  createPartitions(): Promise<string[]> {
    return createTracePartitions(this.#database, this.#options.partition);
  }

  /** Removes, in every organization, traces and texts past their retention, those of deleted projects, and old keys. */
  async purge(): Promise<Purged> {
    let traces = 0;
    let texts = 0;
    let keys = 0;
    let counts = 0;
    const now = this.#clock.now().getTime();
    for (const { id } of await lookUpOrganizations(this.#database)) {
      const kept = retentionOf(await this.#database.read(id, findOrganization), this.#options);
      traces += await this.#purgeTraces(id, kept.effectiveTraceDays, { isTold: true });
      texts += await this.#purgeTexts(id, kept.effectiveTextDays);
      // A day longer than evaluations are accepted, since clocks differ.
      keys += await this.#purgeKeys(id, new Date(now - ageLimitMs - dayMs), { isTold: true });
      counts += await purgeStats(this.#database, id, this.#clock.now());
      await this.#forgetSubjects(id);
      await this.#forgetBoots(id);
      await this.#purgeMarks(id);
    }
    return { traces, texts, keys, counts, partitions: await dropTracePartitions(this.#database, this.#keptSince()) };
  }

  /**
   * Removes an organization's traces that are older than `days`, and those of deleted projects. The traces of a day and
   * its counts are removed in one transaction, so that totals stay exact, and the log of evidence tells it.
   */
  async #purgeTraces(orgId: string, keptDays: number, { isTold }: { readonly isTold: boolean }): Promise<number> {
    const beforeDay = dayOf(new Date(this.#clock.now().getTime() - keptDays * dayMs));
    const days = await this.#database.read(orgId, (tx) => listExpiredDays(tx, beforeDay));
    let purged = 0;
    for (const day of days) {
      purged += await this.#database.systemTransaction(orgId, async (tx) => {
        await deleteRollups(tx, day);
        const traces = await deleteTraces(tx, day);
        if (isTold && traces > 0) await noteRemoval(tx, `project/${day.projectId}`, { day: day.day, traces });
        return traces;
      });
    }
    return purged;
  }

  /**
   * Removes all rows of a deleted organization in tables without a foreign key. New evaluations for it are refused
   * already.
   */
  async purgeOrganization(orgId: string): Promise<{ readonly traces: number; readonly keys: number }> {
    // Its projects are gone, so all its days are removed, whatever their age; so is its log.
    const traces = await this.#purgeTraces(orgId, 0, { isTold: false });
    await purgeStatsOfDeleted(this.#database, orgId, this.#clock.now());
    const all = new Date(this.#clock.now().getTime() + dayMs);
    return { traces, keys: await this.#purgeKeys(orgId, all, { isTold: false }) };
  }

  /** The first day (UTC) that partitions are kept of. */
  #keptSince(): string {
    const now = this.#clock.now();
    return this.#options.partition === "day"
      ? dayOf(new Date(now.getTime() - (maxDailyRetentionDays + spareDays) * dayMs))
      : dayOf(new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - keptMonths)));
  }

  async #purgeTexts(orgId: string, keptDays: number): Promise<number> {
    // Whole days, as traces are: what is left of a day goes with the day.
    const before = new Date(`${dayOf(new Date(this.#clock.now().getTime() - keptDays * dayMs))}T00:00:00Z`);
    return removeInBatches(this.#database, orgId, {
      atOnce: textBatch,
      remove: (tx) => deleteTextsBefore(tx, before, textBatch),
      entry: { resource: "trace_texts", removed: { made_before: before.toISOString() } },
    });
  }

  // Runtimes can report nothing any more that was made before these erasures.
  async #forgetSubjects(orgId: string): Promise<void> {
    const before = new Date(this.#clock.now().getTime() - ageLimitMs - dayMs);
    await this.#database.systemTransaction(orgId, (tx) => forgetErasedSubjects(tx, before));
  }

  // Longer than the longest retention: as long as there are traces, lists say whether they are a sample.
  async #forgetBoots(orgId: string): Promise<void> {
    const before = new Date(this.#clock.now().getTime() - markDays * dayMs);
    await this.#database.systemTransaction(orgId, (tx) => forgetReportBoots(tx, before));
  }

  async #purgeMarks(orgId: string): Promise<void> {
    const before = new Date(this.#clock.now().getTime() - markDays * dayMs);
    await this.#database.systemTransaction(orgId, async (tx) => {
      const annotations = await deleteAnnotationsBefore(tx, before);
      if (annotations > 0) await noteRemoval(tx, "annotations", { annotations, traces_before: before.toISOString() });
    });
  }

  #purgeKeys(orgId: string, before: Date, { isTold }: { readonly isTold: boolean }): Promise<number> {
    return removeInBatches(this.#database, orgId, {
      atOnce: keyBatch,
      remove: (tx) => deleteKeysBefore(tx, before, keyBatch),
      entry: isTold ? { resource: "evaluation_keys", removed: { made_before: before.toISOString() } } : undefined,
    });
  }
}
