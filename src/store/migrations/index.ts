// The migrations in their order. One that has landed is never edited.

import type { MigrationObject } from "@mikro-orm/core";
import { Initial } from "./0001-initial.ts";
import { NarrowDeliveryIndexes } from "./0002-narrow-delivery-indexes.ts";
import { SayWhyCandidatesFail } from "./0003-say-why-candidates-fail.ts";

/** Name and class of each. */
export const migrations: readonly MigrationObject[] = [
  { name: "0001-initial", class: Initial },
  { name: "0002-narrow-delivery-indexes", class: NarrowDeliveryIndexes },
  { name: "0003-say-why-candidates-fail", class: SayWhyCandidatesFail },
];
