// Bounds how many different agents, languages, rules and so on a cube has at one place, such as an hour of an
// environment. The first ones have rows of their own; all further ones share a row, so that totals stay exact.

import type { Transaction } from "../../store/core/transaction.ts";
import { type Cube, type CubeCap, type CubeRow, type CubeValue, readKnownValues } from "../../store/telemetry/cube.ts";

/** The rows as the cube may have them: values beyond a cap are replaced, and rows that become equal are added. */
export async function admit<Counts>(
  tx: Transaction,
  cube: Cube,
  rows: readonly CubeRow<Counts>[],
  add: (into: Counts, more: Counts) => Counts,
): Promise<readonly CubeRow<Counts>[]> {
  let admitted = rows;
  for (const cap of cube.caps) admitted = await admitBy(tx, { cube, cap }, admitted, add);
  return admitted;
}

async function admitBy<Counts>(
  tx: Transaction,
  { cube, cap }: { readonly cube: Cube; readonly cap: CubeCap },
  rows: readonly CubeRow<Counts>[],
  add: (into: Counts, more: Counts) => Counts,
): Promise<readonly CubeRow<Counts>[]> {
  const size = cube.place.length;
  const columns = cap.columns.map((name) => size + cube.keys.findIndex((column) => column.name === name));
  const other = JSON.stringify(cap.other);
  const combinationOf = ({ key }: CubeRow<Counts>) => JSON.stringify(columns.map((column) => key[column]));
  const places = new Map<string, { readonly place: readonly CubeValue[]; readonly wanted: Set<string> }>();
  for (const row of rows) {
    const place = row.key.slice(0, size);
    const name = place.join("\0");
    const entry = places.get(name) ?? { place, wanted: new Set() };
    places.set(name, entry);
    const value = combinationOf(row);
    if (value !== other) entry.wanted.add(value);
  }
  const known = await readKnownValues(
    tx,
    cube,
    cap,
    [...places.values()].map(({ place }) => place),
  );
  const refused = new Map<string, ReadonlySet<string>>();
  for (const [i, [name, { place, wanted }]] of [...places].entries()) {
    // PostgreSQL writes lists of JSON with blanks.
    const there = new Set((known[i] ?? []).map((list) => JSON.stringify(JSON.parse(list))));
    there.delete(other);
    const added = [...wanted].filter((value) => !there.has(value)).sort();
    const room = Math.max(0, cap.limit(place[0] ?? 0) - there.size);
    if (added.length > room) refused.set(name, new Set(added.slice(room)));
  }
  if (refused.size === 0) return rows;
  const merged = new Map<string, CubeRow<Counts>>();
  for (const row of rows) {
    const isRefused = refused.get(row.key.slice(0, size).join("\0"))?.has(combinationOf(row)) === true;
    const key = isRefused ? replaced(row.key, columns, cap.other) : row.key;
    const name = key.join("\0");
    const before = merged.get(name);
    merged.set(name, { key, counts: before === undefined ? row.counts : add(before.counts, row.counts) });
  }
  return [...merged.values()];
}

function replaced(
  key: readonly CubeValue[],
  columns: readonly number[],
  values: readonly CubeValue[],
): readonly CubeValue[] {
  const copy = [...key];
  for (const [i, column] of columns.entries()) copy[column] = values[i] ?? "";
  return copy;
}
