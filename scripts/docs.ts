// Writes the parts of docs/ that follow from the code (permissions, errors, variables, limits, detectors) and the JSON
// Schemas of documents into schemas/. With --check it writes nothing, and fails when a document is stale.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { generatedDocuments, withBlocks } from "./docs/blocks.ts";
import { schemaFiles } from "./docs/schemas.ts";

const root = join(import.meta.dirname, "..");
const isCheck = process.argv.includes("--check");

const texts: Record<string, (present: string) => string> = {
  ...Object.fromEntries(generatedDocuments.map((document) => [document, (text: string) => withBlocks(document, text)])),
  ...schemaFiles,
};

for (const [document, textOf] of Object.entries(texts)) {
  const path = join(root, document);
  const present = existsSync(path) ? readFileSync(path, "utf8") : "";
  const current = textOf(present);
  if (current === present) continue;
  if (isCheck) {
    console.error(`${document} is not what the code says; run: npx node scripts/docs.ts`);
    process.exitCode = 1;
  } else {
    writeFileSync(path, current);
    console.log(`${document}: written`);
  }
}
