// Quota leases: a runtime is granted a number of evaluations in advance, so that no evaluation waits for a round trip,
// and all grants together never exceed the plan. Granting, spending and the playground lock the month's counters one
// after the other:
//
//   covered evaluations + playground + outstanding leases <= the plan's limit, at every commit.
//
// The size of a lease follows from what is left and from how many runtimes share it (an eighth of an equal share, more
// for a busy runtime), so that large plans need few round trips and the last evaluations of a month do not lie unused
// at one runtime. The unused rest of a runtime that has gone comes back after two lifetimes. Evaluations that it
// reports later, and those made without a lease, are overage: they are counted and shown, never refused.

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
import { findOrganization, type OrganizationRow } from "../../store/tenancy/organization.ts";
import { monthOf } from "../telemetry/trace-tally.ts";
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
}

/** The runtime that asks. */
export type QuotaSource = InstanceKey & { readonly orgId: string };

/** Grants and renews leases. */
export class Quota {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** The quota as one stream of a runtime sees it. */
  open(source: QuotaSource): QuotaSession {
    return new QuotaSession(this.#database, source);
  }
}

/** The leases of one stream: those that the runtime names, and those that it was granted here. */
export class QuotaSession {
  readonly #database: Database;
  readonly #source: QuotaSource;
  /** Granted here and not named by the runtime yet: its status may have been sent before it got the answer. */
  readonly #unnamed = new Set<string>();

  constructor(database: Database, source: QuotaSource) {
    this.#database = database;
    this.#source = source;
  }

  /** Renews the leases that are still wanted, and grants one more if the runtime asks for it and the plan has room. */
  async answer(held: readonly string[], wish: LeaseWish | undefined, demand = 0): Promise<QuotaAnswer> {
    for (const id of held) this.#unnamed.delete(id);
    const ids = [...held, ...this.#unnamed];
    const answer = await this.#database.systemTransaction(this.#source.orgId, (tx) =>
      answerIn(tx, this.#source, { ids, wish, demand }),
    );
    this.#unnamed.clear();
    for (const { id } of answer.leases) if (!held.includes(id)) this.#unnamed.add(id);
    return answer;
  }
}

async function answerIn(
  tx: Transaction,
  source: QuotaSource,
  {
    ids,
    wish,
    demand,
  }: { readonly ids: readonly string[]; readonly wish: LeaseWish | undefined; readonly demand: number },
): Promise<QuotaAnswer> {
  const organization = await findOrganization(tx);
  const limit = monthlyLimit(organization);
  const common = { limit: limit ?? 0, used: 0, resetsAt: endOf(monthOf(tx.now)) };
  if (organization.billingBlocked) return { ...common, state: "blocked", leases: [] };
  if (limit === null) return { ...common, state: "unlimited", leases: [] };
  const grant = wish === undefined ? undefined : await grantLease(tx, source, { limit, wish, demand });
  const expiresAt = new Date(tx.now.getTime() + 2 * leaseLifetimeMs);
  const kept = await renewLeases(tx, source, { ids, fromMonth: monthOf(tx.now), expiresAt });
  const leases = [...kept, ...(grant?.lease === undefined ? [] : [grant.lease])].map(withMonth);
  const isExhausted = grant !== undefined && grant.lease === undefined;
  return { ...common, used: grant?.used ?? 0, state: isExhausted ? "exhausted" : "leased", leases };
}

async function grantLease(
  tx: Transaction,
  source: QuotaSource,
  { limit, wish, demand }: { readonly limit: number; readonly wish: LeaseWish; readonly demand: number },
): Promise<{ readonly lease: Lease | undefined; readonly used: number } | undefined> {
  const month = wish === "now" ? monthOf(tx.now) : monthOf(endOf(monthOf(tx.now)));
  // Too early: a lease granted now would be kept from other runtimes for nothing.
  if (wish === "next_month" && startOf(month).getTime() - tx.now.getTime() > earlyMs) return undefined;
  const { room, used, others } = await roomIn(tx, month, limit, source);
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

/** Locks the month and returns how much of it may still be granted. */
async function roomIn(tx: Transaction, month: string, limit: number, source: Pick<InstanceKey, "instanceId">) {
  const state = await lockMonth(tx, month);
  await reclaimLeases(tx);
  let { outstanding, others } = await readOutstanding(tx, month, source);
  if (covered(state) + outstanding > limit) {
    // The plan has become smaller. Leases beyond it are recalled; runtimes hear of that with their next answer.
    await recallLeases(tx, month);
    [outstanding, others] = [0, 0];
  }
  const used = state.evaluations + state.playground + outstanding;
  return { room: limit - used, used, others };
}

function covered({ evaluations, overage, playground }: MonthState): number {
  return evaluations - overage + playground;
}

const nobody = { instanceId: "00000000-0000-0000-0000-000000000000" };

/** How much of the current month is left for the organization; null without a limit. Locks the month. */
export async function remainingQuota(
  tx: Transaction,
  organization: OrganizationRow,
): Promise<{ readonly room: number; readonly used: number; readonly limit: number } | null> {
  const limit = monthlyLimit(organization);
  if (limit === null) return null;
  const { room, used } = await roomIn(tx, monthOf(tx.now), limit, nobody);
  return { room, used, limit };
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
