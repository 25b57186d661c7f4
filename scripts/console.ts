// `npm run console`: builds the console below build/console, or below the folder that is named, and prints where.

import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildConsole } from "./console/build.ts";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
// Whoever calls, what is served is never a build for development or tests.
process.env.NODE_ENV = "production";
const [into = join(root, "build", "console")] = process.argv.slice(2);

console.log(await buildConsole({ root, into }));
