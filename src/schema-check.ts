// Processes work with the schema of their own version, and with those of later ones that only add to it. On an older
// one they live and are not ready, so that a roll-out waits for the migration instead of restarting them again and
// again.

import { setTimeout as sleep } from "node:timers/promises";
import { NotReady } from "./kit/net/management.ts";
import type { Logger } from "./kit/observability/log.ts";
import type { Database } from "./store/connection/database.ts";

const againMs = 1_000;

/** A check of readiness. */
export async function assertSchema(database: Database): Promise<void> {
  const { missing } = await database.schemaState();
  const [first] = missing;
  if (first === undefined) return;
  const count = missing.length === 1 ? "one migration" : `${missing.length} migrations`;
  throw new NotReady("older", `the database lacks ${count} of this version, the first is ${first}: run the migration`);
}

/** Resolves when the database has the schema of this version; false when the signal came first. */
export async function untilSchema(database: Database, log: Logger, signal: AbortSignal): Promise<boolean> {
  let told = "";
  while (!signal.aborted) {
    try {
      await assertSchema(database);
      return true;
    } catch (err) {
      const text = String(err);
      if (text !== told) log.warn({ err }, "waiting for the schema of this version");
      told = text;
    }
    await sleep(againMs, undefined, { signal }).catch(() => undefined);
  }
  return false;
}

/** Logs when the database is ahead: a newer version has migrated it, and this one goes on beside it. */
export async function tellNewerSchema(database: Database, log: Logger): Promise<void> {
  const { unknown } = await database.schemaState();
  if (unknown.length > 0) log.warn({ migrations: unknown }, "the database has migrations of a newer version");
}
