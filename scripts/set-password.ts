// `npm run set-password`: runs src/set-password.ts on the database of DATABASE_URL or, without it, of the running
// installation.

import { runOnDatabase } from "./supervisor/operator-command.ts";

await runOnDatabase("src/set-password.ts");
