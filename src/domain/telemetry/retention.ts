// How long an organization's traces, their text and its log of evidence are kept: as long as its plan allows, or for
// fewer days.

import { type FieldViolation, validationFailed } from "../../kit/fault/fault.ts";
import type { Caller } from "../../kit/rpc/context.ts";
import type { Database } from "../../store/connection/database.ts";
import type { PartitionLength } from "../../store/telemetry/trace-partition.ts";
import { findOrganization, type OrganizationRow } from "../../store/tenancy/organization.ts";

/** Days that traces are kept, by plan. */
export const retentionDays = { free: 30, growth: 90, enterprise: 365 } as const;

/** Days that entries of the log of evidence are kept, by plan. */
const evidenceRetentionDays = { free: 365, growth: 1_095, enterprise: 2_555 } as const;

/** Days that text is kept unless an organization says otherwise. */
const defaultTextDays = 30;

/** Days that traces are kept at most where their partitions are days: with more of them each look-up would be slow. */
export const maxDailyRetentionDays = 90;

/** What an installation sets. */
export interface RetentionOptions {
  /** Length of the partitions of traces. */
  readonly partition: PartitionLength;
}

/** What an organization sets; unset days are those of the plan. */
export interface RetentionInput {
  readonly traceDays: number | undefined;
  readonly textDays: number | undefined;
  readonly evidenceDays: number | undefined;
}

/** The setting, and what follows from it. */
export interface Retention {
  readonly traceDays: number | null;
  readonly textDays: number | null;
  readonly evidenceDays: number | null;
  readonly effectiveTraceDays: number;
  readonly effectiveTextDays: number;
  readonly effectiveEvidenceDays: number;
  readonly maxTraceDays: number;
  readonly maxEvidenceDays: number;
}

/** Reads and changes the setting. */
export class RetentionSettings {
  readonly #database: Database;
  readonly #options: RetentionOptions;

  constructor(database: Database, options: RetentionOptions) {
    this.#database = database;
    this.#options = options;
  }

  /** The setting. */
  get(caller: Caller): Promise<Retention> {
    return this.#database.read(caller.orgId, async (tx) => retentionOf(await findOrganization(tx), this.#options));
  }

  /** Replaces the setting. */
  update(caller: Caller, input: RetentionInput): Promise<Retention> {
    return this.#database.transaction(caller, async (tx) => {
      const organization = await findOrganization(tx);
      const before = auditView(organization);
      const { traceDays = null, textDays = null, evidenceDays = null } = input;
      Object.assign(organization, { traceDays, textDays, evidenceDays });
      const retention = retentionOf(organization, this.#options);
      const violations = violationsOf(retention, organization.plan);
      if (violations.length > 0) throw validationFailed(violations);
      tx.changed({ resource: "retention", before, after: auditView(organization) });
      return retention;
    });
  }
}

function violationsOf(retention: Retention, plan: string): FieldViolation[] {
  const { traceDays, textDays, evidenceDays, maxTraceDays, effectiveTraceDays, maxEvidenceDays } = retention;
  const violations: FieldViolation[] = [];
  if (traceDays !== null && traceDays > maxTraceDays) {
    const message = `the plan "${plan}" keeps traces for ${maxTraceDays} days at most`;
    violations.push({ field: "trace_days", message });
  }
  if (textDays !== null && textDays > effectiveTraceDays) {
    const message = `text is kept no longer than its traces, which are kept for ${effectiveTraceDays} days`;
    violations.push({ field: "text_days", message });
  }
  if (evidenceDays !== null && evidenceDays > maxEvidenceDays) {
    const message = `the plan "${plan}" keeps the log of evidence for ${maxEvidenceDays} days at most`;
    violations.push({ field: "evidence_days", message });
  }
  return violations;
}

type Kept = Pick<OrganizationRow, "plan" | "traceDays" | "textDays" | "evidenceDays">;

/** What an organization's setting comes to. */
export function retentionOf(organization: Kept, { partition }: RetentionOptions): Retention {
  const plan: keyof typeof retentionDays = organization.plan;
  const maxTraceDays = Math.min(retentionDays[plan], partition === "day" ? maxDailyRetentionDays : Infinity);
  const maxEvidenceDays = evidenceRetentionDays[plan];
  const traceDays = organization.traceDays ?? null;
  const textDays = organization.textDays ?? null;
  const evidenceDays = organization.evidenceDays ?? null;
  const effectiveTraceDays = Math.min(traceDays ?? maxTraceDays, maxTraceDays);
  const effectiveTextDays = Math.min(textDays ?? defaultTextDays, effectiveTraceDays);
  const effectiveEvidenceDays = Math.min(evidenceDays ?? maxEvidenceDays, maxEvidenceDays);
  return {
    ...{ traceDays, textDays, evidenceDays, effectiveTraceDays, effectiveTextDays, effectiveEvidenceDays },
    ...{ maxTraceDays, maxEvidenceDays },
  };
}

function auditView({ traceDays, textDays, evidenceDays }: OrganizationRow) {
  return { trace_days: traceDays ?? null, text_days: textDays ?? null, evidence_days: evidenceDays ?? null };
}
