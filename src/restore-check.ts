// Whether the database is the one that the installation worked on last. One that was restored to an earlier moment has
// forgotten what runtimes remember: nothing may go on there before the operator's `after-restore`.

import { NotReady } from "./kit/net/management.ts";
import type { Database } from "./store/connection/database.ts";
import { readIdentity } from "./store/core/database-identity.ts";

/** What a new timeline of the same cluster means: a recovery to an earlier moment, or a replica that lacks nothing. */
export type NewTimeline = "stop" | "follow";

/** A check of readiness. On an older schema there is nothing to compare, and the schema's own check says so. */
export async function assertNotRestored(database: Database, newTimeline: NewTimeline): Promise<void> {
  if ((await database.schemaState()).missing.length > 0) return;
  const { known, present } = await readIdentity(database);
  if (known === undefined || present === undefined) return;
  const isSame = known.cluster === present.cluster;
  if (isSame && (newTimeline === "follow" || known.timeline === present.timeline)) return;
  const what = isSame
    ? `timeline ${present.timeline} of the database, and it was ${known.timeline}`
    : "another cluster";
  throw new NotReady(
    "restored",
    `this is ${what}: if it was restored from a backup, run \`npm run operator -- after-restore --reason <text>\`; if nothing was lost, \`… after-restore --nothing-lost`,
  );
}
