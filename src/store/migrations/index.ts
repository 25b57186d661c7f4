// The migrations in their order. One that has landed is never edited.

import type { MigrationObject } from "@mikro-orm/core";
import { Initial } from "./0001-initial.ts";

/** Name and class of each. */
export const migrations: readonly MigrationObject[] = [{ name: "0001-initial", class: Initial }];
