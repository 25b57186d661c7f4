// A log of evidence as a file: lines of JSON, from which everything can be verified in one pass, without a network and
// without holding the log in memory. The file is the Merkle tree from its root down:
//
//   {"checkpoint":"<signed note>"}                         the first line: size and root of the tree, signed
//   {"tile":[level,n],"hashes":"<base64>"}                 the last tiles of the tree, from level 0 up: they make the
//                                                          root. Then every full tile before the first entry below it,
//                                                          after its own parent, which has its hash
//   {"seq":7,"leaf":"<bytes>","openings":{"actor":{"salt":"<hex>","value":"<canonical JSON>"},…}}
//                                                          an entry, whose leaf has the hash in its tile; null in place
//                                                          of an opening that was erased
//   {"left_out":[from,to],"because":"retention"}           entries that the file leaves out, `to` not among them
//
// Entries are in their order, and every entry of the tree is either there or left out. A line is exactly what
// JSON.stringify writes, so that it has one form only.

import type { JsonValue } from "@bufbuild/protobuf";
import { type CommittedField, committedFields, type Opening } from "./leaf.ts";
import { hashBytes } from "./merkle.ts";
import { type Tile, tileWidth } from "./tile.ts";

/** Why entries are left out: their retention is over, or the export was of others. */
export const leftOutReasons = ["retention", "query"] as const;

/** Why entries are left out. */
export type LeftOutReason = (typeof leftOutReasons)[number];

/** An entry with the openings that were not erased. */
export interface LogEntry {
  readonly seq: number;
  readonly leaf: string;
  readonly openings: Partial<Readonly<Record<CommittedField, Opening>>>;
}

/** Entries from `from` up to and without `to`. */
export interface LeftOut {
  readonly from: number;
  readonly to: number;
  readonly because: LeftOutReason;
}

/** A line that was read. */
export type LogLine =
  | { readonly case: "checkpoint"; readonly note: string }
  | { readonly case: "tile"; readonly tile: Tile }
  | { readonly case: "entry"; readonly entry: LogEntry }
  | { readonly case: "left_out"; readonly leftOut: LeftOut };

/** A line that is none. */
export class LineError extends Error {
  override readonly name = "LineError";
}

/** Characters that a line may have: an entry with two values of 64 KiB, every character of them escaped, has fewer. */
export const maxLineChars = 1_048_576;

/** The line of a checkpoint, with its newline. */
export function checkpointLine(note: string): string {
  return `${JSON.stringify({ checkpoint: note })}\n`;
}

/** The line of a tile. */
export function tileLine({ level, n, hashes }: Tile): string {
  return `${JSON.stringify({ tile: [level, n], hashes: Buffer.from(hashes).toString("base64") })}\n`;
}

/** The line of an entry. */
export function entryLine({ seq, leaf, openings }: LogEntry): string {
  const said = (field: CommittedField) => {
    const opening = openings[field];
    return opening === undefined ? null : { salt: hexOf(opening.salt), value: opening.value };
  };
  const opened = { actor: said("actor"), address: said("address"), before: said("before"), after: said("after") };
  return `${JSON.stringify({ seq, leaf, openings: opened })}\n`;
}

function hexOf(bytes: Uint8Array): string {
  return (Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes)).toString("hex");
}

/** The line of entries that are left out. */
export function leftOutLine({ from, to, because }: LeftOut): string {
  return `${JSON.stringify({ left_out: [from, to], because })}\n`;
}

/** Reads a line, without its newline. Nothing of it is verified. Throws a LineError. */
export function readLogLine(line: string): LogLine {
  const entry = usualEntry(line);
  if (entry !== undefined) return { case: "entry", entry };
  const value = parsed(line);
  if (!isObject(value)) throw new LineError("this is no line that an export of the log writes");
  if ("checkpoint" in value) return readCheckpointLine(value);
  if ("tile" in value) return readTileLine(value);
  if ("seq" in value) return readEntryLine(value);
  if ("left_out" in value) return readLeftOutLine(value);
  throw new LineError("this is neither a checkpoint, nor a tile, nor an entry");
}

// Nearly all lines of a long log are entries without any escape but that of quotes. Taking them apart by their form costs
// half of reading the JSON and writing it again. Nothing is in this form that could be spelt otherwise: control
// characters, other escapes and surrogates go the long way, as long lines do.
const plainForm = String.raw`[^"\\\x00-\x1f\ud800-\udfff]*`;
const textForm = String.raw`"(${plainForm}(?:\\"${plainForm})*)"`;
const openingForm = String.raw`(?:null|\{"salt":"([0-9a-f]{32})","value":${textForm}\})`;
const openingsForm = committedFields.map((field) => `"${field}":${openingForm}`).join(",");
const usualForm = new RegExp(
  String.raw`^\{"seq":(0|[1-9]\d{0,14}),"leaf":${textForm},"openings":\{${openingsForm}\}\}$`,
);
const maxUsualChars = 8_192;

/** The entry of a line in the usual form; undefined when it is something else. */
function usualEntry(line: string): LogEntry | undefined {
  const found = line.length > maxUsualChars ? null : usualForm.exec(line);
  if (found === null) return undefined;
  const openings: Partial<Record<CommittedField, Opening>> = {};
  let at = 3;
  for (const field of committedFields) {
    const salt = found[at];
    if (salt !== undefined) openings[field] = { salt: Buffer.from(salt, "hex"), value: unescaped(found[at + 1] ?? "") };
    at += 2;
  }
  return { seq: Number(found[1]), leaf: unescaped(found[2] ?? ""), openings };
}

// Faster than replacing what is escaped.
function unescaped(text: string): string {
  return text.includes("\\") ? JSON.parse(`"${text}"`) : text;
}

type Members = Readonly<Record<string, JsonValue>>;

function readCheckpointLine({ checkpoint, ...rest }: Members): LogLine {
  if (typeof checkpoint !== "string" || !isEmpty(rest)) throw new LineError("this is no line of a checkpoint");
  return { case: "checkpoint", note: checkpoint };
}

function readTileLine({ tile, hashes, ...rest }: Members): LogLine {
  const [level, n] = numbers(tile);
  const bytes = Buffer.from(typeof hashes === "string" ? hashes : "", "base64");
  const isWhole = bytes.length > 0 && bytes.length % hashBytes === 0 && bytes.length <= tileWidth * hashBytes;
  if (level === undefined || n === undefined || !isWhole || bytes.toString("base64") !== hashes || !isEmpty(rest))
    throw new LineError("this is no line of a tile");
  return { case: "tile", tile: { level, n, hashes: bytes } };
}

// Logs have millions of these. Counting members is several times faster than gathering those that are left.
function readEntryLine(line: Members): LogLine {
  const { seq, leaf, openings } = line;
  if (!isNumber(seq) || typeof leaf !== "string" || !isObject(openings) || membersIn(line) !== 3)
    throw new LineError("this is no line of an entry");
  if (membersIn(openings) > committedFields.length)
    throw new LineError("the entry has openings of members that are none");
  const read: Partial<Record<CommittedField, Opening>> = {};
  for (const field of committedFields) {
    const opening = openings[field];
    if (opening !== null) read[field] = readOpening(field, opening);
  }
  return { case: "entry", entry: { seq, leaf, openings: read } };
}

function readLeftOutLine({ left_out, because, ...rest }: Members): LogLine {
  const [from, to] = numbers(left_out);
  const reason = leftOutReasons.find((each) => each === because);
  if (from === undefined || to === undefined || to <= from || reason === undefined || !isEmpty(rest))
    throw new LineError("this is no line of entries that are left out");
  return { case: "left_out", leftOut: { from, to, because: reason } };
}

function readOpening(field: string, value: JsonValue | undefined): Opening {
  if (!isObject(value)) throw new LineError(`${field} has neither an opening nor null`);
  const { salt, value: opened } = value;
  if (typeof salt !== "string" || !/^[0-9a-f]{32}$/.test(salt) || typeof opened !== "string" || membersIn(value) !== 2)
    throw new LineError(`the opening of ${field} is no salt with a value`);
  return { salt: Buffer.from(salt, "hex"), value: opened };
}

/** The value of a line in the one form that it may have. Of values that nest too deeply to be written there is none. */
function parsed(line: string): JsonValue | undefined {
  try {
    const value: JsonValue = JSON.parse(line);
    return JSON.stringify(value) === line ? value : undefined;
  } catch {
    return undefined;
  }
}

function isObject(value: JsonValue | undefined): value is { [key: string]: JsonValue } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function membersIn(value: object): number {
  let count = 0;
  for (const _ in value) count++;
  return count;
}

function isEmpty(rest: object): boolean {
  return Object.keys(rest).length === 0;
}

function isNumber(value: JsonValue | undefined): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

/** The two numbers of a pair; nothing when it is none. */
function numbers(value: JsonValue | undefined): readonly number[] {
  return Array.isArray(value) && value.length === 2 && value.every(isNumber) ? value : [];
}
