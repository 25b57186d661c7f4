// Finds projects that have used far more on a day than on the same weekday of the weeks before: a loop in an
// application, or a token in the wrong hands. One notice for each project and week.

import { tryEach } from "../../platform/try-each.ts";
import { readProjectDays } from "../../store/billing/usage-day.ts";
import type { Database } from "../../store/connection/database.ts";
import type { Transaction } from "../../store/core/transaction.ts";
import { findProject } from "../../store/project/project.ts";
import { lookUpOrganizations } from "../../store/tenancy/organization.ts";
import { publishAlert } from "../alert/alert.ts";
import { inLine } from "../mail/mail.ts";
import { dayOf } from "../telemetry/trace-tally.ts";
import { type NoticeMailer, tellBilling } from "./notice.ts";

const dayMs = 86_400_000;
/** Weeks that a day is compared with. */
const weeks = 4;
/** How many times the usual use is far more. */
const factor = 3;
/** Days with fewer evaluations are never worth a notice. */
const minEvaluations = 1_000;
/** Days that one search looks at, so that one that did not take place is made up for by the next. */
const days = 2;

interface Anomaly {
  readonly projectId: string;
  readonly day: string;
  readonly evaluations: number;
  /** Median of the same weekday of the weeks before. */
  readonly usual: number;
}

/** Finds days of unusual use. */
export class UsageAnomalies {
  readonly #database: Database;
  readonly #mailer: NoticeMailer;

  constructor(database: Database, { mailer }: { readonly mailer: NoticeMailer }) {
    this.#database = database;
    this.#mailer = mailer;
  }

  /**
   * Tells organizations of the last days before `now`. Returns how many projects they were told of. A failure in one
   * organization does not stop the others: at the end, an AggregateError contains the failures.
   */
  async find(now: Date): Promise<number> {
    let told = 0;
    await tryEach(await lookUpOrganizations(this.#database), {
      nameOf: ({ id }) => id,
      work: async ({ id }) => {
        told += await this.#findIn(id, now);
      },
    });
    return told;
  }

  async #findIn(orgId: string, now: Date): Promise<number> {
    const anomalies = await this.#database.read(orgId, (tx) => anomaliesOf(tx, now));
    if (anomalies.length === 0) return 0;
    return this.#database.systemTransaction(orgId, async (tx) => {
      let count = 0;
      for (const anomaly of anomalies) count += Number(await this.#tell(tx, anomaly));
      return count;
    });
  }

  async #tell(tx: Transaction, { projectId, day, evaluations, usual }: Anomaly): Promise<boolean> {
    // It may have been deleted since.
    const name = inLine((await findProject(tx, projectId))?.name ?? projectId);
    const isNew = await tellBilling(tx, this.#mailer, {
      kind: "usage_anomaly",
      about: `${projectId} ${mondayOf(day)}`,
      projectId,
      value: evaluations,
      subject: "a project uses far more evaluations than usual",
      text: `The project ${name} has made ${evaluations} evaluations on ${day} (UTC). On that weekday of the four weeks before it were about ${usual}. If this is not what you want, look for a loop in the application, or for a runtime token in the wrong hands: GET /v1/billing/breakdown?group_by=environment&group_by=agent&project_id=${projectId}`,
    });
    if (!isNew) return false;
    await publishAlert(tx, {
      name: "A project uses far more evaluations than usual",
      metric: "usage_anomaly",
      value: evaluations,
      threshold: Math.max(minEvaluations, factor * usual),
      window_seconds: dayMs / 1_000,
      project_id: projectId,
    });
    return true;
  }
}

async function anomaliesOf(tx: Transaction, now: Date): Promise<Anomaly[]> {
  const anomalies: Anomaly[] = [];
  for (let back = days; back >= 1; back--) {
    const [day = "", ...before] = Array.from({ length: weeks + 1 }, (_, week) =>
      dayOf(new Date(now.getTime() - (back + 7 * week) * dayMs)),
    );
    const counts = await readProjectDays(tx, [day, ...before]);
    const of = (projectId: string, wanted: string) =>
      counts.find((count) => count.projectId === projectId && count.day === wanted)?.evaluations ?? 0;
    for (const { projectId, evaluations } of counts.filter((count) => count.day === day)) {
      const usual = medianOf(before.map((earlier) => of(projectId, earlier)));
      if (evaluations >= minEvaluations && evaluations > factor * usual)
        anomalies.push({ projectId, day, evaluations, usual });
    }
  }
  return anomalies;
}

/** The mean of the two in the middle, of an even number of them. */
function medianOf(counts: readonly number[]): number {
  const sorted = [...counts].sort((a, b) => a - b);
  const [low, high] = [sorted[Math.floor((sorted.length - 1) / 2)], sorted[Math.floor(sorted.length / 2)]];
  return ((low ?? 0) + (high ?? 0)) / 2;
}

/** The Monday of a day's week, such as "2026-11-23". */
function mondayOf(day: string): string {
  const date = new Date(`${day}T00:00:00Z`);
  return dayOf(new Date(date.getTime() - ((date.getUTCDay() + 6) % 7) * dayMs));
}
