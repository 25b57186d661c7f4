// Writes into docs/ what the documentation takes from the code: permissions, errors, variables, limits, detectors. With
// --check it writes nothing and fails when a document is stale.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { generatedDocuments, withBlocks } from "./docs/blocks.ts";

const root = join(import.meta.dirname, "..");
const isCheck = process.argv.includes("--check");

for (const document of generatedDocuments) {
  const path = join(root, document);
  const present = readFileSync(path, "utf8");
  const current = withBlocks(document, present);
  if (current === present) continue;
  if (isCheck) {
    console.error(`${document} is not what the code says; run: npx node scripts/docs.ts`);
    process.exitCode = 1;
  } else {
    writeFileSync(path, current);
    console.log(`${document}: written`);
  }
}
