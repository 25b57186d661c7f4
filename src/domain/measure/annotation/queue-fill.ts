// Fills the queues of all projects, hourly. Whatever runs twice adds nothing twice.

import { fromBinary } from "@bufbuild/protobuf";
import { EvaluationRecordSchema } from "../../../../gen/policyguard/policy/v1/record_pb.ts";
import type { Clock } from "../../../kit/process/clock.ts";
import type { Sealer } from "../../../platform/seal.ts";
import type { Database } from "../../../store/connection/database.ts";
import type { Transaction } from "../../../store/core/transaction.ts";
import {
  disputedCandidates,
  fillInformativeLane,
  fillRandomLane,
  fingerprintsSince,
  informativeCandidates,
  trimQueue,
} from "../../../store/measure/annotation/annotation-queue.ts";
import { countStrata, deleteRatesBefore, setRates } from "../../../store/measure/annotation/annotation-rate.ts";
import { listProjects } from "../../../store/project/project.ts";
import { lookUpOrganizations } from "../../../store/tenancy/organization.ts";
import { organizationKey } from "../../organization-key.ts";
import { annotationSettingOf } from "./annotation-setting.ts";
import { interestOf, mostInteresting, ratesFor } from "./queue-sampling.ts";

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** Open items of a project. */
export const maxOpen = 10_000;

/** Days before a day whose traffic sets its rates. */
const rateDays = 7;

/** How long after it was made a trace may arrive and still be sampled. */
const sampledMs = 26 * hourMs;

/** The newest traces that one fill compares for the informative lane, and as many about which annotators disagree. */
const maxCompared = 500;

/** How old traces are that are compared, and those about which annotators disagree. */
const comparedMs = 2 * hourMs;
const disputedMs = 30 * dayMs;

const projectsAtOnce = 200;

/** Fills queues. */
export class QueueFill {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #sealer: Sealer;

  constructor(database: Database, clock: Clock, sealer: Sealer) {
    this.#database = database;
    this.#clock = clock;
    this.#sealer = sealer;
  }

  /** Fills the queue of every project. */
  async fillAll(): Promise<void> {
    for (const { id } of await lookUpOrganizations(this.#database)) await this.fillOrganization(id);
  }

  /** Fills the queues of an organization, each in a transaction of its own. */
  async fillOrganization(orgId: string): Promise<void> {
    for (let offset = 0; ; offset += projectsAtOnce) {
      const page = { limit: projectsAtOnce, offset };
      const [projects] = await this.#database.read(orgId, (tx) => listProjects(tx, page));
      for (const { id } of projects) await this.#database.systemTransaction(orgId, (tx) => this.#fill(tx, id));
      if (projects.length < projectsAtOnce) break;
    }
    const before = dayOf(this.#clock.now().getTime() - 60 * dayMs);
    await this.#database.systemTransaction(orgId, (tx) => deleteRatesBefore(tx, before));
  }

  async #fill(tx: Transaction, projectId: string): Promise<void> {
    const now = this.#clock.now();
    const { targetPerDay, informativePerDay } = await annotationSettingOf(tx, projectId);
    // The rates of tomorrow are set today; those of today only where nobody has, on a project's first day.
    const today = startOfDay(now);
    const window = { since: new Date(today - rateDays * dayMs), until: new Date(today) };
    const rates = ratesFor(targetPerDay, await countStrata(tx, projectId, window));
    for (const dayStart of [today, today + dayMs]) await setRates(tx, projectId, dayOf(dayStart), rates);
    const key = await organizationKey(tx, this.#sealer, "annotation_queue_key");
    await fillRandomLane(tx, { projectId, since: new Date(now.getTime() - sampledMs), until: now, key });
    await this.#fillInformative(tx, projectId, { now, informativePerDay });
    await trimQueue(tx, projectId, maxOpen);
  }

  async #fillInformative(
    tx: Transaction,
    projectId: string,
    { now, informativePerDay }: { readonly now: Date; readonly informativePerDay: number },
  ): Promise<void> {
    const start = startOfDay(now);
    const today = await fingerprintsSince(tx, projectId, new Date(start));
    // The day's number is spread over its hours.
    const due = Math.ceil((informativePerDay * (now.getTime() - start + hourMs)) / dayMs);
    const limit = Math.min(due, informativePerDay) - today.length;
    if (limit <= 0) return;
    const windowOf = (ms: number) => ({ projectId, since: new Date(now.getTime() - ms), limit: maxCompared });
    const disputed = await disputedCandidates(tx, windowOf(disputedMs));
    const known = new Set(disputed.map(({ id }) => id));
    const newest = await informativeCandidates(tx, windowOf(comparedMs));
    const found = [...disputed, ...newest.filter(({ id }) => !known.has(id))];
    const records = found.map((each) => ({ ...each, record: fromBinary(EvaluationRecordSchema, each.record) }));
    const seen = new Map<string, number>();
    for (const { fingerprint } of records.flatMap(({ record }) => record.findings)) {
      seen.set(fingerprint, (seen.get(fingerprint) ?? 0) + 1);
    }
    const candidates = records.flatMap((each) => {
      const interest = interestOf(each.record, { ...each, seen });
      return interest === undefined ? [] : [{ ...each, interest }];
    });
    const items = mostInteresting(candidates, { limit, today }).map(({ interest, ...each }) => ({
      ...{ id: each.id, createdAt: each.createdAt, environment: each.environment, stratum: each.stratum },
      ...{ rank: 1 - interest.weight, reason: interest.reason, fingerprint: interest.fingerprint },
    }));
    await fillInformativeLane(tx, projectId, items);
  }
}

function startOfDay(now: Date): number {
  return Math.floor(now.getTime() / dayMs) * dayMs;
}

function dayOf(atMs: number): string {
  return new Date(atMs).toISOString().slice(0, 10);
}
