// Quota leases: a runtime is granted a number of evaluations in advance, so that no evaluation waits for a round trip,
// and all grants together never exceed the plan. Granting, spending and the playground lock the month's counters one
// after the other:
//
//   covered evaluations + playground + outstanding leases <= the plan's limit, at every commit.
//
// A lease is an eighth of an equal share of what is left, and more for a busy runtime. So large plans need few round
// trips, and the last evaluations of a month do not lie unused at one runtime. The unused rest of a runtime that has
// gone comes back after two lifetimes. Evaluations that it reports later, and those made without a lease, are overage:
// they are counted and shown, never refused.

import { newId } from "../../kit/process/id.ts";
import {
  insertLease,
  type Lease,
  lockMonth,
  type MonthState,
  readOutstanding,
  recallLeases,
  reclaimLeases,
  renewLeases,
} from "../../store/billing/quota-lease.ts";
import type { Database } from "../../store/connection/database.ts";
import type { Transaction } from "../../store/core/transaction.ts";
import type { InstanceKey } from "../../store/fleet/runtime-instance.ts";
import { findOrganization, readQuotaTerms } from "../../store/tenancy/organization.ts";
import { monthOf } from "../telemetry/trace-tally.ts";
import { type BillingMode, quotaAdvice } from "./advice.ts";
import { monthlyLimit } from "./plan.ts";

/** How long a runtime may go on using its leases without hearing from the control plane. */
export const leaseLifetimeMs = 60_000;
/** How long before a month begins its evaluations may be leased. */
const earlyMs = 120_000;
const minSize = 5;
const maxSize = 10_000;

/** The month that a runtime wants a lease of. */
export type LeaseWish = "now" | "next_month";

/** The leases that a runtime holds. */
export interface QuotaAnswer {
  readonly state: "leased" | "unlimited" | "exhausted" | "blocked";
  readonly leases: readonly (Lease & { readonly startsAt: Date; readonly endsAt: Date })[];
  readonly limit: number;
  readonly used: number;
  readonly resetsAt: Date;
  /** How the organization gets more. */
  readonly advice: string;
}

/** The runtime that asks. */
export type QuotaSource = InstanceKey & { readonly orgId: string };

/** Grants and renews leases. */
export class Quota {
  readonly #database: Database;
  readonly #mode: BillingMode;

  /** `mode` decides what runtimes are told when nothing is left. */
  constructor(database: Database, { mode }: { readonly mode: BillingMode }) {
    this.#database = database;
    this.#mode = mode;
  }

  /** The quota as one stream of a runtime sees it. */
  open(source: QuotaSource): QuotaSession {
    return new QuotaSession(this.#database, source, quotaAdvice(this.#mode, source.orgId));
  }
}

/**
 * The leases of one stream: those that the runtime names, and those that it was granted here. Answers are given one
 * after the other, since a change of the plan may call for one while another is made.
 */
export class QuotaSession {
  readonly #database: Database;
  readonly #source: QuotaSource;
  /** Granted here and not named by the runtime yet: its status may have been sent before it got the answer. */
  readonly #unnamed = new Set<string>();
  #named: readonly string[] = [];
  #inTurn: Promise<unknown> = Promise.resolve();

  readonly #advice: string;

  constructor(database: Database, source: QuotaSource, advice: string) {
    this.#database = database;
    this.#source = source;
    this.#advice = advice;
  }

  /** Renews the leases that are still wanted, and grants one more if the runtime asks for it and the plan has room. */
  answer(held: readonly string[], wish: LeaseWish | undefined, demand = 0): Promise<QuotaAnswer> {
    return this.#next(() => {
      this.#named = held;
      for (const id of held) this.#unnamed.delete(id);
      return this.#ask(wish, demand);
    });
  }

  /** The same for a runtime that did not ask, because its plan has changed: one without a lease gets one. */
  refresh(): Promise<QuotaAnswer> {
    return this.#next(() => this.#ask("now_if_none", 0));
  }

  #next(work: () => Promise<QuotaAnswer>): Promise<QuotaAnswer> {
    const result = this.#inTurn.then(work);
    this.#inTurn = result.catch(() => undefined);
    return result;
  }

  async #ask(wish: Question["wish"], demand: number): Promise<QuotaAnswer> {
    const ids = [...new Set([...this.#named, ...this.#unnamed])];
    const answer = await this.#database.systemTransaction(this.#source.orgId, (tx) =>
      answerIn(tx, this.#source, { ids, wish, demand }),
    );
    this.#unnamed.clear();
    for (const { id } of answer.leases) if (!this.#named.includes(id)) this.#unnamed.add(id);
    return { ...answer, advice: this.#advice };
  }
}

interface Question {
  readonly ids: readonly string[];
  /** "now_if_none": only a runtime without a lease of this month gets one. */
  readonly wish: LeaseWish | "now_if_none" | undefined;
  readonly demand: number;
}

async function answerIn(
  tx: Transaction,
  source: QuotaSource,
  { ids, wish, demand }: Question,
): Promise<Omit<QuotaAnswer, "advice">> {
  const organization = await findOrganization(tx);
  const limit = monthlyLimit(organization);
  const common = { limit: limit ?? 0, used: 0, resetsAt: endOf(monthOf(tx.now)) };
  if (organization.billingBlocked) return { ...common, state: "blocked", leases: [] };
  if (limit === null) return { ...common, state: "unlimited", leases: [] };
  const grant =
    wish === undefined || wish === "now_if_none" ? undefined : await grantLease(tx, source, { wish, demand });
  const kept = await keepLeases(tx, source, ids);
  const isBare = wish === "now_if_none" && !kept.some(({ month }) => month === monthOf(tx.now));
  const late = isBare ? await grantLease(tx, source, { wish: "now", demand }) : undefined;
  const granted = grant ?? late;
  const leases = [...kept, ...(granted?.lease === undefined ? [] : [granted.lease])].map(withMonth);
  const isExhausted = granted !== undefined && granted.lease === undefined;
  return { ...common, used: granted?.used ?? 0, state: isExhausted ? "exhausted" : "leased", leases };
}

function keepLeases(tx: Transaction, source: QuotaSource, ids: readonly string[]): Promise<Lease[]> {
  const expiresAt = new Date(tx.now.getTime() + 2 * leaseLifetimeMs);
  return renewLeases(tx, source, { ids, fromMonth: monthOf(tx.now), expiresAt });
}

async function grantLease(
  tx: Transaction,
  source: QuotaSource,
  { wish, demand }: { readonly wish: LeaseWish; readonly demand: number },
): Promise<{ readonly lease: Lease | undefined; readonly used: number } | undefined> {
  const month = wish === "now" ? monthOf(tx.now) : monthOf(endOf(monthOf(tx.now)));
  // Too early: a lease granted now would be kept from other runtimes for nothing.
  if (wish === "next_month" && startOf(month).getTime() - tx.now.getTime() > earlyMs) return undefined;
  const found = await roomIn(tx, month, source);
  if (found === undefined) return undefined;
  const { room, used, others } = found;
  if (room <= 0) return { lease: undefined, used };
  const size = sizeOf(room, others + 1, demand);
  const lease = { id: newId(), month, size };
  await insertLease(tx, source, { ...lease, expiresAt: new Date(tx.now.getTime() + 2 * leaseLifetimeMs) });
  return { lease, used: used + size };
}

/** An eighth of an equal share; up to half of one for a runtime that needs that many until its next lease arrives. */
function sizeOf(room: number, runtimes: number, demand: number): number {
  const share = room / runtimes;
  const wanted = Math.max(share / 8, Math.min(share / 2, Number.isFinite(demand) ? demand : 0));
  return Math.min(room, Math.max(minSize, Math.min(maxSize, Math.floor(wanted))));
}

/**
 * Locks the month and returns how much of it may still be granted; undefined when there is no limit any more. The limit
 * is read under the lock, since a plan may change while this waits for it.
 */
async function roomIn(tx: Transaction, month: string, source: Pick<InstanceKey, "instanceId">) {
  const state = await lockMonth(tx, month);
  const limit = monthlyLimit(await readQuotaTerms(tx));
  if (limit === null) return undefined;
  await reclaimLeases(tx);
  const { outstanding, others } = await readOutstanding(tx, month, source);
  // The plan has become smaller. What its leases allowed stays outstanding until they expire.
  if (covered(state) + outstanding > limit) await recallLeases(tx, month);
  const used = state.evaluations + state.playground + outstanding;
  return { room: limit - used, used, others, limit };
}

function covered({ evaluations, overage, playground }: MonthState): number {
  return evaluations - overage + playground;
}

const nobody = { instanceId: "00000000-0000-0000-0000-000000000000" };

/** How much of the current month is left for the organization; null without a limit. Locks the month. */
export async function remainingQuota(
  tx: Transaction,
): Promise<{ readonly room: number; readonly used: number; readonly limit: number } | null> {
  return (await roomIn(tx, monthOf(tx.now), nobody)) ?? null;
}

/** When the current month ends. */
export function quotaResetsAt(now: Date): Date {
  return endOf(monthOf(now));
}

function withMonth(lease: Lease) {
  return { ...lease, startsAt: startOf(lease.month), endsAt: endOf(lease.month) };
}

function startOf(month: string): Date {
  return new Date(`${month}T00:00:00Z`);
}

function endOf(month: string): Date {
  const start = startOf(month);
  return new Date(Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + 1));
}
