// `npm run reapply-erasures -- <export>`: runs src/reapply-erasures.ts.

import { runOnWorkerDatabase } from "./on-worker-database.ts";

await runOnWorkerDatabase("reapply-erasures.ts", process.argv.slice(2));
