// `npm run console`: builds the console below build/console, or below the folder that is named, and prints where.

import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildConsole } from "./console/build.ts";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const [into = join(root, "build", "console")] = process.argv.slice(2);

console.log(await buildConsole({ root, into }));
