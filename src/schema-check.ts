// Processes work with the schema of their own version, and with those of later ones that only add to it. On an older
// one they live and are not ready, so that a roll-out waits for the migration instead of restarting them again and
// again; and so they do on a newer one that has taken away what they need.

import { setTimeout as sleep } from "node:timers/promises";
import { NotReady } from "./kit/net/management.ts";
import type { Logger } from "./kit/observability/log.ts";
import { productVersion } from "./kit/process/product-folder.ts";
import { isOlderVersion } from "./kit/process/version.ts";
import type { Database } from "./store/connection/database.ts";
import { type ProcessFacts, ProcessHeartbeat } from "./store/core/process-heartbeat.ts";
import { migrations } from "./store/schema/migrations/index.ts";

const againMs = 1_000;

/** A check of readiness. */
export async function assertSchema(database: Database): Promise<void> {
  const { missing, oldestVersion } = await database.schemaState();
  if (oldestVersion !== undefined && isOlderVersion(productVersion(), oldestVersion)) {
    const needed = `the schema of the database needs version ${oldestVersion} or later`;
    throw new NotReady("newer", `${needed}, and this process is ${productVersion()}: upgrade it`);
  }
  const [first] = missing;
  if (first === undefined) return;
  const count = missing.length === 1 ? "one migration" : `${missing.length} migrations`;
  throw new NotReady("older", `the database lacks ${count} of this version, the first is ${first}: run the migration`);
}

/** Resolves when a check of the database passes; false when the signal came first. */
export async function untilPassed(check: () => Promise<void>, log: Logger, signal: AbortSignal): Promise<boolean> {
  let told = "";
  while (!signal.aborted) {
    try {
      await check();
      return true;
    } catch (err) {
      const text = String(err);
      if (text !== told) log.warn({ err }, "waiting for the database");
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

/** Says from now on, in the database, that this process lives and of which version it is. */
export function sayAlive(database: Database, process: ProcessFacts["process"], log: Logger): ProcessHeartbeat {
  const schema = migrations.at(-1)?.name ?? "";
  return new ProcessHeartbeat(database, { process, version: productVersion(), schema }, log);
}
