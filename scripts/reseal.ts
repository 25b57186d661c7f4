// `npm run reseal`: runs src/reseal.ts.

import { runOnWorkerDatabase } from "./on-worker-database.ts";

await runOnWorkerDatabase("reseal.ts");
