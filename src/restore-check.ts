// Whether the database is the one that the installation worked on last. One that was restored to an earlier moment has
// forgotten what runtimes remember: nothing may go on there before the operator's `after-restore`.

import { NotReady } from "./kit/net/management.ts";
import type { Database } from "./store/connection/database.ts";
import { type NewTimeline, restoredDatabase } from "./store/core/database-identity.ts";

/** A check of readiness. On an older schema there is nothing to compare, and the schema's own check says so. */
export async function assertNotRestored(database: Database, newTimeline: NewTimeline): Promise<void> {
  if ((await database.schemaState()).missing.length > 0) return;
  const restored = await restoredDatabase(database, newTimeline);
  if (restored !== undefined) throw new NotReady("restored", restored);
}

/** Whether this is what the check above has found. */
export function isRestored(error: unknown): boolean {
  return error instanceof NotReady && error.code === "restored";
}
