// Tables of counts to which only the fold adds. A row is named by its place (when and where) and by what it counts; its
// counts add up. Since nobody else writes them, and only one fold works for an organization at a time, rows need no
// order of locks.

import { runBound } from "../core/bulk.ts";
import type { Transaction } from "../core/transaction.ts";

/** A column of a cube's key. */
export interface CubeColumn {
  readonly name: string;
  readonly type: "smallint" | "integer" | "timestamptz" | "date" | "uuid" | "text";
}

/** Columns of which one place has at most so many different values. */
export interface CubeCap {
  readonly columns: readonly string[];
  /** By the value of the first column of the place. */
  readonly limit: (period: CubeValue) => number;
  /** What the columns have in the row that counts all further values. */
  readonly other: readonly CubeValue[];
}

/** A table of counts. */
export interface Cube {
  readonly table: string;
  /** After org_id: where a cap counts. */
  readonly place: readonly CubeColumn[];
  readonly keys: readonly CubeColumn[];
  readonly caps: readonly CubeCap[];
}

/** A cube whose counts are added by the database. */
export interface CountCube extends Cube {
  readonly counts: readonly string[];
}

/** A value of a key. Times are ISO texts. */
export type CubeValue = string | number;

/** A row to add: the values of place and keys in their order, and what it counts. */
export interface CubeRow<Counts> {
  readonly key: readonly CubeValue[];
  readonly counts: Counts;
}

/** The different values of a cap's columns at these places: a JSON list for each place. */
export async function readKnownValues(
  tx: Transaction,
  { table, place }: Cube,
  cap: CubeCap,
  places: readonly (readonly CubeValue[])[],
): Promise<string[][]> {
  const known: string[][] = places.map(() => []);
  if (places.length === 0) return known;
  const same = place.map(({ name }) => `t.${name} = wanted.${name}`).join(" and ");
  const rows = await runBound<{ at: string; found: string[] }>(
    tx,
    `select wanted.at, array_agg(distinct json_build_array(${cap.columns.map((name) => `t.${name}`).join(", ")})::text) as found
     from unnest(${place.map(({ type }, i) => `$${i + 2}::${type}[]`).join(", ")}) with ordinality
       as wanted (${place.map(({ name }) => name).join(", ")}, at)
     join ${table} t on t.org_id = $1 and ${same}
     group by wanted.at`,
    [tx.orgId, ...place.map((_, column) => places.map((values) => values[column]))],
  );
  for (const { at, found } of rows) known[Number(at) - 1] = found;
  return known;
}

/** Adds counts to the rows, which are made where there are none. */
export async function addCounts(
  tx: Transaction,
  { table, place, keys, counts }: CountCube,
  rows: readonly CubeRow<readonly number[]>[],
): Promise<void> {
  if (rows.length === 0) return;
  const columns = [...place, ...keys];
  const names = columns.map(({ name }) => name);
  const types = [...columns.map(({ type }) => type), ...counts.map(() => "bigint")];
  await runBound(
    tx,
    `insert into ${table} (org_id, ${[...names, ...counts].join(", ")})
     select $1, added.* from unnest(${types.map((type, i) => `$${i + 2}::${type}[]`).join(", ")}) as added
     on conflict (org_id, ${names.join(", ")}) do update
       set ${counts.map((name) => `${name} = ${table}.${name} + excluded.${name}`).join(", ")}`,
    [
      tx.orgId,
      ...columns.map((_, column) => rows.map(({ key }) => key[column])),
      ...counts.map((_, count) => rows.map((row) => row.counts[count])),
    ],
  );
}

/** Writes the bytes of rows, which are made where there are none. */
export async function writeBytes(
  tx: Transaction,
  { table, place, keys }: Cube,
  column: string,
  rows: readonly CubeRow<Uint8Array>[],
): Promise<void> {
  if (rows.length === 0) return;
  const columns = [...place, ...keys];
  const names = columns.map(({ name }) => name);
  const types = [...columns.map(({ type }) => type), "bytea"];
  await runBound(
    tx,
    `insert into ${table} (org_id, ${[...names, column].join(", ")})
     select $1, added.* from unnest(${types.map((type, i) => `$${i + 2}::${type}[]`).join(", ")}) as added
     on conflict (org_id, ${names.join(", ")}) do update set ${column} = excluded.${column}`,
    [
      tx.orgId,
      ...columns.map((_, at) => rows.map(({ key }) => key[at])),
      // The driver writes an array of buffers as text, in which a byte is an escape of its own.
      rows.map(({ counts }) => `\\x${Buffer.from(counts).toString("hex")}`),
    ],
  );
}

/** The bytes of these rows; undefined for those that do not exist. */
export async function readBytes(
  tx: Transaction,
  { table, place, keys }: Cube,
  column: string,
  wanted: readonly (readonly CubeValue[])[],
): Promise<(Buffer | undefined)[]> {
  const found: (Buffer | undefined)[] = wanted.map(() => undefined);
  if (wanted.length === 0) return found;
  const columns = [...place, ...keys];
  const rows = await runBound<{ at: string; bytes: Buffer }>(
    tx,
    `select wanted.at, t.${column} as bytes
     from unnest(${columns.map(({ type }, i) => `$${i + 2}::${type}[]`).join(", ")}) with ordinality
       as wanted (${columns.map(({ name }) => name).join(", ")}, at)
     join ${table} t on t.org_id = $1 and ${columns.map(({ name }) => `t.${name} = wanted.${name}`).join(" and ")}`,
    [tx.orgId, ...columns.map((_, at) => wanted.map((key) => key[at]))],
  );
  for (const { at, bytes } of rows) found[Number(at) - 1] = bytes;
  return found;
}
