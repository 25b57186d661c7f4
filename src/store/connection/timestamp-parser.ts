// MikroORM returns the timestamps of plain SQL as PostgreSQL's text, and a text is neither before nor after a Date: an
// expired token would look live. So every timestamp becomes a Date here, for entities and plain SQL alike.

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
