// The services of this room: bundles, their approvals, gates and candidates, and the keys that sign them.

import type { Sealer } from "../../platform/seal.ts";
import type { Database } from "../../store/connection/database.ts";
import type { Analysis } from "../analysis/analysis.ts";
import { BundleApprovals } from "./approval.ts";
import { Bundles } from "./bundle.ts";
import { Candidates } from "./candidate.ts";
import type { ExternalSigner } from "./external-signer.ts";
import { Gates } from "./gate/definition.ts";
import { KeyRotation } from "./key-rotation.ts";
import { LatestBundles } from "./latest.ts";
import { SigningKeys } from "./signing-keys.ts";

/** What the services are built from. */
export interface BundleParts {
  readonly database: Database;
  readonly sealer: Sealer;
  /** Where new keys are made; undefined to keep keys in the database. */
  readonly signer: ExternalSigner | undefined;
  readonly analysis: Analysis;
}

/** Builds the services. */
export function createBundleDomain({ database, sealer, signer, analysis }: BundleParts) {
  const keys = new SigningKeys(database, sealer, signer);
  return {
    keys,
    keyRotation: new KeyRotation(database, keys),
    bundles: new Bundles(database, keys, analysis),
    approvals: new BundleApprovals(database),
    gates: new Gates(database),
    candidates: new Candidates(database, keys),
    latest: new LatestBundles(database),
  };
}
