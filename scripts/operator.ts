// `npm run operator`: runs src/operator.ts on the database of DATABASE_URL or, without it, of the running installation.

import { readOperatorArguments, tellUsage } from "../src/operator-arguments.ts";
import { runOnDatabase } from "./supervisor/operator-command.ts";

const command = readOperatorArguments(process.argv.slice(2));
if ("exitCode" in command) process.exitCode = tellUsage(command);
else await runOnDatabase("src/operator.ts");
