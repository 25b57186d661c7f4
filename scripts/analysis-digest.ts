// The analysis of patterns by its digest: what one version found out about a pattern holds for another one when both were made of the same modules
// and the same library.

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";

const root = join(import.meta.dirname, "..");

/** The content of gen/engine/analysis.json. */
export function printAnalysisDigest(): string {
  const { dependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    dependencies: Record<string, string>;
  };
  const digest = createHash("sha256").update(`re2js ${dependencies.re2js}`);
  for (const path of [...modulesBehind(join(root, "runtime/engine/pattern-facts.ts"))].sort())
    digest.update(`\n${relative(root, path)}\n`).update(readFileSync(path));
  return `${JSON.stringify({ digest: digest.digest("base64url") })}\n`;
}

// A module and all that it imports from this repository. Types are imported too, and change what is found out as little as comments do:
// a digest that changes without need costs a start some time, and nothing else.
function modulesBehind(path: string, found = new Set<string>()): Set<string> {
  if (found.has(path)) return found;
  found.add(path);
  for (const [, from = ""] of readFileSync(path, "utf8").matchAll(/ from "(\.[^"]+\.ts)"/g))
    modulesBehind(join(dirname(path), from), found);
  return found;
}
