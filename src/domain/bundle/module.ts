// The services of this room: bundles, their approvals, gates, candidates and overrides, and the keys that sign them.

import type { Sealer } from "../../platform/seal.ts";
import type { Database } from "../../store/connection/database.ts";
import type { NewTimeline } from "../../store/core/database-identity.ts";
import type { Analysis } from "../analysis/analysis.ts";
import { ActivationHistory } from "./activation-history.ts";
import { BundleApprovals } from "./approval.ts";
import { Bundles } from "./bundle.ts";
import { Candidates } from "./candidate.ts";
import { BundleComparisons } from "./compare.ts";
import type { ExternalSigner } from "./external-signer.ts";
import { GateKeeper } from "./gate/gate.ts";
import { Gates } from "./gate/gates.ts";
import { LanguagesGate } from "./gate/languages-gate.ts";
import type { GateMeasures } from "./gate/measure.ts";
import { KeyRotation } from "./key-rotation.ts";
import { LatestBundles } from "./latest.ts";
import { Overrides } from "./override.ts";
import { SigningKeys } from "./signing-keys.ts";

/** What the services are built from. */
export interface BundleParts {
  readonly database: Database;
  readonly sealer: Sealer;
  /** Where new keys are made; undefined to keep keys in the database. */
  readonly signer: ExternalSigner | undefined;
  /** What a new timeline of the database means. */
  readonly newTimeline: NewTimeline;
  readonly analysis: Analysis;
  /** What finds out about gates in other rooms. */
  readonly measures: Omit<GateMeasures, "languages">;
}

/** Builds the services. */
export function createBundleDomain({ database, sealer, signer, newTimeline, analysis, measures }: BundleParts) {
  const keys = new SigningKeys(database, sealer, signer, { newTimeline });
  const gateKeeper = createGateKeeper({ database, analysis, measures });
  return {
    keys,
    keyRotation: new KeyRotation(database, keys),
    bundles: new Bundles(database, { keys, analysis, gates: gateKeeper }),
    activations: new ActivationHistory(database),
    comparisons: new BundleComparisons(database, analysis),
    approvals: new BundleApprovals(database, gateKeeper),
    gates: new Gates(database, gateKeeper),
    gateKeeper,
    candidates: new Candidates(database, keys),
    overrides: new Overrides(database, keys, analysis),
    latest: new LatestBundles(database),
  };
}

/** Builds what checks gates. */
export function createGateKeeper({
  database,
  analysis,
  measures,
}: Pick<BundleParts, "database" | "analysis" | "measures">): GateKeeper {
  return new GateKeeper(database, { ...measures, languages: new LanguagesGate(database, analysis) });
}
