// The services of this room: alert rules and what came of them.

import type { Database } from "../../store/connection/database.ts";
import type { MailQueue } from "../mail/mail-queue.ts";
import { StatFold } from "../telemetry/stat-fold.ts";
import type { PlanUsageReader } from "./evaluation.ts";
import { AlertRules } from "./rule.ts";

/** What the services are built from. */
export interface AlertParts {
  readonly database: Database;
  /** Undefined when mail is not configured. */
  readonly mailer: MailQueue | undefined;
  readonly publicUrl: string;
  readonly readPlanUsage: PlanUsageReader;
}

/** Builds the services. */
export function createAlertDomain({ database, mailer, publicUrl, readPlanUsage }: AlertParts) {
  const statFold = new StatFold(database);
  return {
    alertRules: new AlertRules(database, { mailer, publicUrl, readPlanUsage, fold: (orgId) => statFold.fold(orgId) }),
  };
}
