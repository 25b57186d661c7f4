// Whether the database has the schema of this version.

import { migrations } from "../schema/migrations/index.ts";

/** The migrations of this version that the database lacks, and those that it has and this version does not know. */
export interface SchemaState {
  readonly missing: readonly string[];
  readonly unknown: readonly string[];
  /** The oldest release whose processes work on the schema; undefined when all do that know of it. */
  readonly oldestVersion?: string;
}

/** Compares with what the database says that it has; undefined when it cannot even say that. */
export function schemaState(applied: readonly string[] | undefined): SchemaState {
  const own = migrations.map(({ name }) => name);
  const has = new Set(applied);
  const knows = new Set<string>(own);
  return { missing: own.filter((name) => !has.has(name)), unknown: [...has].filter((name) => !knows.has(name)) };
}
