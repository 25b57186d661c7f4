// Ledgers of erasures that were kept elsewhere, as files: answers of `GET /v1/orgs/{org_id}/erasures`.

import { readFileSync } from "node:fs";
import { type LedgerEntry, readLedgers } from "./domain/operator/erasure-repeat.ts";
import { validationFailed } from "./kit/fault/fault.ts";

/** Reads as many files as there are, pages of one ledger or of several. */
export function readLedgerFiles(paths: readonly string[]): LedgerEntry[] {
  return readLedgers(paths.map(readJson));
}

function readJson(path: string): unknown {
  const text = readFileSync(path, "utf8");
  try {
    return JSON.parse(text);
  } catch {
    throw validationFailed([{ field: "erasures", message: `${path} is no JSON` }]);
  }
}
