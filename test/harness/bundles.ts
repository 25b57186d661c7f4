// Bundles of a test, with the gates that they have in a control plane.

import { ownAnalysis } from "../../src/domain/analysis/own-analysis.ts";
import { Bundles } from "../../src/domain/bundle/bundle.ts";
import { createGateKeeper } from "../../src/domain/bundle/module.ts";
import type { SigningKeys } from "../../src/domain/bundle/signing-keys.ts";
import { gateMeasures } from "../../src/gate-measures.ts";
import { systemClock } from "../../src/kit/process/clock.ts";
import type { Database } from "../../src/store/connection/database.ts";

/** What checks gates. */
export function keeperOf(database: Database, { clock = systemClock, analysis = ownAnalysis() } = {}) {
  return createGateKeeper({ database, analysis, measures: gateMeasures({ database, clock }) });
}

/** Bundles that are signed with these keys. */
export function bundlesOf(
  database: Database,
  keys: SigningKeys,
  { clock = systemClock, analysis = ownAnalysis() } = {},
) {
  return new Bundles(database, { keys, analysis, gates: keeperOf(database, { clock, analysis }) });
}
