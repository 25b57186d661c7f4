// MikroORM leaves the timestamps of plain SQL as PostgreSQL's text, and text compares with a Date as neither before nor after:
// an expired token would look live. So they become a Date here, for entities and plain SQL alike.

import type pg from "pg";

// pg_type.oid of timestamptz.
const timestamptz = 1184;

/** Makes every connection of the pool read timestamps as dates. */
export function readTimestampsAsDates({ options }: pg.Pool): void {
  const { types } = options;
  if (types === undefined) throw new Error("the pool has no type parsers of its own");
  options.types = {
    getTypeParser: (oid, format) =>
      oid === timestamptz && format !== "binary" ? (text: string) => new Date(text) : types.getTypeParser(oid, format),
  };
}
