// How long an organization's traces and their text are kept: as long as its plan allows, or for fewer days.

import { validationFailed } from "../../kit/fault/fault.ts";
import type { Caller } from "../../kit/rpc/context.ts";
import type { Database } from "../../store/connection/database.ts";
import { findOrganization, type OrganizationRow } from "../../store/tenancy/organization.ts";

/** Days that traces are kept, by plan. */
export const retentionDays = { free: 30, growth: 90, enterprise: 365 } as const;

/** Days that text is kept unless an organization says otherwise. */
const defaultTextDays = 30;

/** The setting, and what follows from it. */
export interface Retention {
  readonly traceDays: number | null;
  readonly textDays: number | null;
  readonly effectiveTraceDays: number;
  readonly effectiveTextDays: number;
  readonly maxTraceDays: number;
}

/** Reads and changes the setting. */
export class RetentionSettings {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** The setting. */
  get(caller: Caller): Promise<Retention> {
    return this.#database.read(caller.orgId, async (tx) => retentionOf(await findOrganization(tx)));
  }

  /** Replaces the setting. Unset days are those of the plan. */
  update(
    caller: Caller,
    { traceDays, textDays }: { readonly traceDays: number | undefined; readonly textDays: number | undefined },
  ): Promise<Retention> {
    return this.#database.transaction(caller, async (tx) => {
      const organization = await findOrganization(tx);
      const before = auditView(organization);
      Object.assign(organization, { traceDays: traceDays ?? null, textDays: textDays ?? null });
      const { maxTraceDays, effectiveTraceDays } = retentionOf(organization);
      if (traceDays !== undefined && traceDays > maxTraceDays) {
        const message = `the plan "${organization.plan}" keeps traces for ${maxTraceDays} days at most`;
        throw validationFailed([{ field: "trace_days", message }]);
      }
      if (textDays !== undefined && textDays > effectiveTraceDays) {
        const message = `text is kept no longer than its traces, which are kept for ${effectiveTraceDays} days`;
        throw validationFailed([{ field: "text_days", message }]);
      }
      tx.changed({ resource: "retention", before, after: auditView(organization) });
      return retentionOf(organization);
    });
  }
}

/** What an organization's setting comes to. */
export function retentionOf(organization: Pick<OrganizationRow, "plan" | "traceDays" | "textDays">): Retention {
  const plan: keyof typeof retentionDays = organization.plan;
  const maxTraceDays = retentionDays[plan];
  const traceDays = organization.traceDays ?? null;
  const textDays = organization.textDays ?? null;
  const effectiveTraceDays = Math.min(traceDays ?? maxTraceDays, maxTraceDays);
  const effectiveTextDays = Math.min(textDays ?? defaultTextDays, effectiveTraceDays);
  return { traceDays, textDays, effectiveTraceDays, effectiveTextDays, maxTraceDays };
}

function auditView({ traceDays, textDays }: OrganizationRow) {
  return { trace_days: traceDays ?? null, text_days: textDays ?? null };
}
