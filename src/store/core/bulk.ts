// Statements with many rows. `Transaction.sql` writes its parameters into the text, character by character; here they
// are sent apart from the text, which is several times as fast for a batch of a megabyte.

import { newId } from "../../kit/process/id.ts";
import type { Transaction } from "./transaction.ts";

/** Rows of one statement: few enough for PostgreSQL's 65,535 parameters; more would not be faster. */
const rowsPerStatement = 128;

/** Runs SQL with `$1` parameters in the transaction. */
export async function runBound<Row extends object>(
  tx: Pick<Transaction, "em">,
  text: string,
  parameters: readonly unknown[],
): Promise<Row[]> {
  // A finished statement in the form in which Kysely hands it to the driver; inside a transaction it is the
  // transaction's own.
  const statement = {
    sql: text,
    parameters,
    query: { kind: "RawNode" as const, sqlFragments: [text], parameters: [] },
    queryId: { queryId: newId() },
  };
  const { rows } = await tx.em.getKysely<unknown>().executeQuery<Row>(statement);
  return rows;
}

/** An insert of many rows. */
export interface BulkInsert {
  readonly table: string;
  readonly columns: readonly string[];
  /** One list of values for each row, in the order of the columns. */
  readonly rows: readonly (readonly unknown[])[];
  /** The text after the values, such as `on conflict do nothing returning id`. */
  readonly suffix?: string;
}

/** Inserts rows by multi-row VALUES, in their order. Returns the rows that the suffix returns. */
export async function insertRows<Row extends object>(tx: Pick<Transaction, "em">, insert: BulkInsert): Promise<Row[]> {
  const { table, columns, rows, suffix = "" } = insert;
  const returned: Row[] = [];
  for (const chunk of chunksOf(rows, rowsPerStatement)) {
    const text = `insert into ${table} (${columns.join(", ")}) values ${placeholders(chunk.length, columns.length)} ${suffix}`;
    const found = await runBound<Row>(tx, text, chunk.flat());
    returned.push(...found);
  }
  return returned;
}

/** A column that has a value for each row. */
export interface BulkColumn {
  readonly name: string;
  readonly type: ColumnType;
  readonly values: readonly BulkValue[];
}

type ColumnType = "uuid" | "text" | "text[]" | "int" | "smallint" | "boolean" | "timestamptz" | "hex";
/** What a column may have: a list of texts for `text[]`, short bytes for `hex`. */
type BulkValue = string | number | boolean | Date | readonly string[] | Uint8Array | null;

/** An insert of many rows that share some of their values. */
export interface ColumnInsert {
  readonly table: string;
  /** Columns in which all rows have the same value. */
  readonly common: readonly { readonly name: string; readonly type: string; readonly value: unknown }[];
  readonly columns: readonly BulkColumn[];
  /** A column of bytes. */
  readonly bytes: { readonly name: string; readonly values: readonly Uint8Array[] };
}

/**
 * Inserts rows by arrays, in their order. For PostgreSQL it costs less than `insertRows`: a statement of a few
 * parameters is parsed, not of thousands. Bytes are sent as one value and cut there, since an array of them would have
 * to be text.
 */
export async function insertByColumns(
  tx: Pick<Transaction, "em">,
  { table, common, columns, bytes }: ColumnInsert,
): Promise<void> {
  if (bytes.values.length === 0) return;
  let end = 0;
  const ends = bytes.values.map(({ length }) => {
    end += length;
    return end;
  });
  const at = common.length + columns.length + 1;
  const names = [...common, ...columns, bytes].map(({ name }) => name);
  const text = `insert into ${table} (${names.join(", ")})
    select ${[
      ...common.map(({ type }, index) => `$${index + 1}::${type}`),
      ...columns.map(({ name, type }) => readBack[type]?.(name) ?? name),
    ].join(", ")}, substring($${at + 1}::bytea from bytes_end - bytes_size + 1 for bytes_size)
    from unnest(${[
      ...columns.map(({ type }, index) => `$${common.length + index + 1}::${arrayTypes[type]}`),
      `$${at}::int[], $${at + 2}::int[]`,
    ].join(", ")}) as row (${columns.map(({ name }) => name).join(", ")}, bytes_end, bytes_size)`;
  await runBound(tx, text, [
    ...common.map(({ value }) => value),
    ...columns.map(arrayOf),
    arrayText(ends),
    Buffer.concat(bytes.values),
    arrayText(bytes.values.map(({ length }) => length)),
  ]);
}

const arrayTypes = {
  uuid: "uuid[]",
  text: "text[]",
  // An array of arrays has to be a rectangle.
  "text[]": "text[]",
  hex: "text[]",
  boolean: "boolean[]",
  int: "int[]",
  smallint: "smallint[]",
  timestamptz: "float8[]",
} as const;

const readBack: Readonly<Partial<Record<ColumnType, (name: string) => string>>> = {
  timestamptz: (name) => `to_timestamp(${name} / 1000.0)`,
  "text[]": (name) => `${name}::text[]`,
  hex: (name) => `decode(${name}, 'hex')`,
};

// The driver escapes each item of an array, which only texts need.
function arrayOf({ type, values }: BulkColumn): unknown {
  if (type === "text") return values;
  if (type === "text[]") return values.map((value) => (Array.isArray(value) ? textArray(value) : value));
  return arrayText(values.map(plainItem));
}

function plainItem(value: BulkValue): BulkValue {
  if (value instanceof Date) return value.getTime();
  return value instanceof Uint8Array ? bufferOf(value).toString("hex") : value;
}

function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function arrayText(values: readonly BulkValue[]): string {
  return `{${values.map((value) => value ?? "NULL").join(",")}}`;
}

function textArray(texts: readonly string[]): string {
  return `{${texts.map((text) => `"${text.replaceAll(/["\\]/g, "\\$&")}"`).join(",")}}`;
}

/** The items in groups of at most this size, in their order. */
export function* chunksOf<T>(items: readonly T[], size: number): Generator<readonly T[]> {
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size);
}

const known = new Map<string, string>();

function placeholders(rows: number, columns: number): string {
  const key = `${rows}x${columns}`;
  const cached = known.get(key);
  if (cached !== undefined) return cached;
  const row = (at: number) => `(${Array.from({ length: columns }, (_, i) => `$${at * columns + i + 1}`).join(", ")})`;
  const text = Array.from({ length: rows }, (_, at) => row(at)).join(", ");
  // There are at most rowsPerStatement texts for each width, so the map stays small.
  known.set(key, text);
  return text;
}

/**
 * Ids as the text of an array. As a parameter of `Transaction.sql` it becomes part of the statement, so that the
 * planner knows how many there are.
 */
export function idArray(ids: readonly string[]): string {
  return `{${ids.join(",")}}`;
}
