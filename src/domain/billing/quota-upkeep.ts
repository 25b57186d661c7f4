// Maintains quotas: tells organizations that a month is nearly used up, and closes months that are over. None of this
// is part of an ingest, so that ingests stay short.

import type { Clock } from "../../kit/process/clock.ts";
import { tryEach } from "../../platform/try-each.ts";
import { lockMonth, reclaimLeases } from "../../store/billing/quota-lease.ts";
import {
  deleteNoticesBefore,
  insertNotice,
  lookUpMonthlyUse,
  type MonthlyUse,
} from "../../store/billing/usage-notice.ts";
import type { Database } from "../../store/connection/database.ts";
import type { Transaction } from "../../store/core/transaction.ts";
import { findOrganization } from "../../store/tenancy/organization.ts";
import { alertAdmins } from "../alert/alert.ts";
import { quotaMail, type TransactionalMailer } from "../mail/mail.ts";
import { monthOf } from "../telemetry/trace-tally.ts";
import { evaluationsPerMonth, monthlyLimit } from "./plan.ts";
import { quotaResetsAt } from "./quota.ts";

/** Percentages of the limit at which organizations are told, in descending order. */
const percents = [100, 80] as const;
const minPercent = Math.min(...percents);

/** Months for which notices are kept: as long as the history of usage. */
const keptMonths = 25;

/** Sends notices and closes months. */
export class QuotaUpkeep {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #mailer: TransactionalMailer | undefined;

  /** `mailer` is undefined when mail is not configured. */
  constructor(
    database: Database,
    { clock, mailer }: { readonly clock: Clock; readonly mailer: TransactionalMailer | undefined },
  ) {
    this.#database = database;
    this.#clock = clock;
    this.#mailer = mailer;
  }

  /**
   * Tells each organization that 80 % and 100 % are used, once for each month and limit. Returns how many were told. A
   * failure in one does not stop the others: at the end, an AggregateError contains the failures.
   */
  async notify(): Promise<number> {
    const now = this.#clock.now();
    const month = monthOf(now);
    let told = 0;
    const uses = (await lookUpMonthlyUse(this.#database, month, now)).filter(isWorthALook);
    await tryEach(uses, {
      nameOf: ({ orgId }) => orgId,
      work: async (use) => {
        const isTold = await this.#database.systemTransaction(use.orgId, (tx) => this.#tell(tx, use, month));
        told += Number(isTold);
      },
    });
    return told;
  }

  /**
   * Takes back the unspent leases of the month before that have ended, and deletes old notices. Returns how many
   * organizations had evaluations in that month. A failure in one does not stop the others, as above.
   */
  async closeMonth(): Promise<number> {
    const now = this.#clock.now();
    const last = monthsBefore(now, 1);
    const organizations = await lookUpMonthlyUse(this.#database, last, now);
    await tryEach(organizations, {
      nameOf: ({ orgId }) => orgId,
      work: ({ orgId }) =>
        this.#database.systemTransaction(orgId, async (tx) => {
          await lockMonth(tx, last);
          await reclaimLeases(tx);
          await deleteNoticesBefore(tx, monthsBefore(now, keptMonths));
        }),
    });
    return organizations.length;
  }

  // An organization that passes both percentages at once is told of the larger one.
  async #tell(tx: Transaction, { used }: MonthlyUse, month: string): Promise<boolean> {
    const limit = monthlyLimit(await findOrganization(tx));
    if (limit === null) return false;
    let isTold = false;
    for (const percent of percents.filter((share) => used * 100 >= limit * share)) {
      const isNew = await insertNotice(tx, { month, limit, percent, value: used });
      if (isNew && !isTold) await this.#alert(tx, { used, limit, percent });
      isTold ||= isNew;
    }
    return isTold;
  }

  #alert(
    tx: Transaction,
    { used, limit, percent }: { readonly used: number; readonly limit: number; readonly percent: number },
  ): Promise<void> {
    const resetsAt = quotaResetsAt(tx.now);
    const begin = new Date(`${monthOf(tx.now)}T00:00:00Z`);
    return alertAdmins(tx, this.#mailer, {
      alert: {
        name: `${percent} % of the plan's evaluations are used`,
        metric: "plan_usage",
        value: used,
        threshold: Math.ceil((limit * percent) / 100),
        window_seconds: (resetsAt.getTime() - begin.getTime()) / 1_000,
      },
      mail: (email, organization) => quotaMail(email, { organization, percent, used, limit, resetsAt }),
    });
  }
}

// The operator can only raise the plan's limit, so below the first percentage of the plan's own there is nothing to
// tell.
function isWorthALook({ plan, used }: MonthlyUse): boolean {
  const planLimit = evaluationsPerMonth[plan];
  return planLimit !== null && used * 100 >= planLimit * minPercent;
}

/** First day of the month `count` months earlier. */
function monthsBefore(now: Date, months: number): string {
  return monthOf(new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - months)));
}
