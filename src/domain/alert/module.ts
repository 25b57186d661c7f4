// The services of this room: alert rules and what came of them.

import type { Database } from "../../store/connection/database.ts";
import type { MailQueue } from "../mail/mail-queue.ts";
import { StatFold } from "../telemetry/stat-fold.ts";
import { AlertRules } from "./rule.ts";

/** What the services are built from. */
export interface AlertParts {
  readonly database: Database;
  /** Undefined when mail is not configured. */
  readonly mailer: MailQueue | undefined;
}

/** Builds the services. */
export function createAlertDomain({ database, mailer }: AlertParts) {
  const statFold = new StatFold(database);
  return { alertRules: new AlertRules(database, { mailer, fold: (orgId) => statFold.fold(orgId) }) };
}
