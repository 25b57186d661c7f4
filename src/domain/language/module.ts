// The services of this room: language packs and an organization's own keywords.

import type { Clock } from "../../kit/process/clock.ts";
import type { Database } from "../../store/connection/database.ts";
import type { Analysis } from "../analysis/analysis.ts";
import { LanguageCoverage } from "./coverage.ts";
import { Languages } from "./language.ts";
import { type Republish, Republisher } from "./republish.ts";
import { shippedLanguages } from "./shipped.ts";

/** What the services are built from. */
export interface LanguageParts {
  readonly database: Database;
  readonly clock: Clock;
  readonly republish: Republish;
  readonly analysis: Analysis;
}

/** Builds the services. */
export function createLanguageDomain({ database, clock, republish, analysis }: LanguageParts) {
  const republisher = new Republisher(republish);
  const library = shippedLanguages();
  return {
    languages: new Languages(library, { database, clock, republisher, analysis }),
    languageCoverage: new LanguageCoverage(database, analysis, library),
  };
}
