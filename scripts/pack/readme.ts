// The document of a package that becomes its README.

import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";

const root = resolve(import.meta.dirname, "..", "..");

/** The text of a document in `docs/`. Links to files that the package does not have are their words only. */
export function readmeOf(name: string): string {
  const text = readFileSync(join(root, "docs", name), "utf8");
  return text.replace(/\[([^\]]*)\]\((?!https?:|#)[^)]*\)/g, "$1");
}
