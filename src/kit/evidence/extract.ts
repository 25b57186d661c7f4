// What an export as ZIP has beside the log: files that follow from the entries of the log, line by line. A verifier
// makes each of them anew from the log that it verified, so none of them can say anything else than what was signed.

import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { csvLine } from "../archive/csv.ts";
import { entryCsvHeader, entryCsvLine } from "./entry-csv.ts";
import { isJsonObject, type KnownEntry, memberText, openedValue } from "./known-entry.ts";
import { committedFields, maxOpeningBytes } from "./leaf.ts";
import type { LeftOut, LogEntry } from "./log-file.ts";

/** A file that follows from the log. */
export interface Extract {
  readonly name: string;
  /** Kinds of the actions of its entries, such as "gate"; undefined for all. */
  readonly kinds: readonly string[] | undefined;
  /** What it begins with. */
  readonly header: string;
  /** The line of an entry; nothing where the entry has none. */
  readonly lineOf: (entry: KnownEntry) => string;
}

/** What an entry's action is about: "gate" of "gate.override". */
export function kindOf(entry: KnownEntry): string {
  const action = memberText(entry, "action");
  const end = action.indexOf(".");
  return end < 0 ? action : action.slice(0, end);
}

/** The line of an extract; nothing where the entry of this kind does not belong into it. */
export function extractLine({ kinds, lineOf }: Extract, entry: KnownEntry, kind: string): string {
  return kinds === undefined || kinds.includes(kind) ? lineOf(entry) : "";
}

/** A version of a bundle that an entry is about. */
export interface NamedManifest {
  readonly seq: number;
  /** Id of the version. */
  readonly bundleId: string;
  /** Digest of its manifest. */
  readonly digest: string;
}

/** The manifest of the version that an entry says was made. */
export function manifestOf(entry: KnownEntry): NamedManifest | undefined {
  if (!makingActions.has(memberText(entry, "action"))) return undefined;
  const [, kind, bundleId] = /^([a-z]+)\/(.+)$/.exec(memberText(entry, "resource")) ?? [];
  if (kind !== "bundle" || bundleId === undefined) return undefined;
  const digest = objectOf(entry, "after")?.digest;
  return isDigestText(digest) ? { seq: entry.seq, bundleId, digest } : undefined;
}

const makingActions: ReadonlySet<string> = new Set(["bundle.publish", "bundle.republish", "bundle.promote"]);

/** The line of a manifest: its bytes as text, or null when they are no longer there. */
export function manifestLine({ seq, bundleId, digest }: NamedManifest, manifest: string | null): string {
  return `${JSON.stringify({ seq, bundle_id: bundleId, digest, manifest })}\n`;
}

const manifestStart = /^\{"seq":(\d{1,16}),"bundle_id":"([^"\\]{1,64})","digest":"([^"\\]{1,80})","manifest":/;

/** Reads what `manifestLine` writes; undefined when it is something else. */
export function readManifestLine(line: string): (NamedManifest & { readonly manifest: string | null }) | undefined {
  // Lines may be long. JSON that nests takes sixty times its length when it is read, and none of a line has to nest.
  const [start = "", seq = "", bundleId = "", digest = ""] = manifestStart.exec(line) ?? [];
  const manifest = start === "" ? undefined : readText(line.slice(start.length, -1));
  if (manifest === undefined) return undefined;
  const read = { seq: Number(seq), bundleId, digest, manifest };
  return manifestLine(read, manifest) === `${line}\n` ? read : undefined;
}

/** A string of JSON, or null; undefined when it is something else. */
function readText(json: string): string | null | undefined {
  if (json === "null") return null;
  if (!json.startsWith('"')) return undefined;
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

/** The first line of the table of gaps. */
export function gapHeader(): string {
  return csvLine(["from", "to", "what", "because"]);
}

/** What is missing of an entry: values that were erased, and values of which only the digest was kept. */
export function entryGapLines({ seq, openings }: LogEntry): string {
  const { actor, address, before, after } = openings;
  // As nearly all are.
  if (actor && address && before && after && before.value[0] !== '"' && after.value[0] !== '"') return "";
  const erased = committedFields.filter((field) => openings[field] === undefined);
  const long = committedFields.filter(
    (field) => field !== "actor" && field !== "address" && openings[field]?.value.startsWith('"') === true,
  );
  return [
    ...(erased.length === 0 ? [] : [gapLine({ from: seq, to: seq, what: erased.join(" "), because: "erasure" })]),
    ...(long.length === 0
      ? []
      : [gapLine({ from: seq, to: seq, what: long.join(" "), because: `longer than ${maxOpeningBytes} bytes` })]),
  ].join("");
}

/** Entries that are left out. */
export function leftOutGapLine({ from, to, because }: LeftOut): string {
  return gapLine({ from, to: to - 1, what: "entries", because });
}

/** A manifest that is no longer there. */
export function manifestGapLine(seq: number): string {
  return gapLine({ from: seq, to: seq, what: "manifest", because: "deleted" });
}

interface Gap {
  readonly from: number;
  /** The last one. */
  readonly to: number;
  readonly what: string;
  readonly because: string;
}

function gapLine({ from, to, what, because }: Gap): string {
  return csvLine([String(from), String(to), what, because]);
}

function objectOf(entry: KnownEntry, field: "before" | "after"): JsonObject | undefined {
  const value = openedValue(entry, field);
  return isJsonObject(value) ? value : undefined;
}

function isDigestText(value: JsonValue | undefined): value is string {
  return typeof value === "string" && /^sha256:[0-9a-f]{64}$/.test(value);
}

function isAboutGates(action: string): boolean {
  return !action.startsWith("bundle.") || action === "bundle.approve" || action === "bundle.withdraw_approval";
}

/** Who did what when; of a value that was erased, null and its name. */
function changeOf(entry: KnownEntry): JsonObject {
  const { seq, members, openings } = entry;
  const erased = committedFields.filter((field) => openings[field] === undefined);
  return {
    ...{ seq, created_at: members.created_at ?? null, action: members.action ?? null },
    ...{ resource: members.resource ?? null, actor: openedValue(entry, "actor") ?? null },
    ...(erased.length > 0 && { erased: [...erased] }),
  };
}

function changeLine(entry: KnownEntry): string {
  const [before, after] = [openedValue(entry, "before") ?? null, openedValue(entry, "after") ?? null];
  return `${JSON.stringify({ ...changeOf(entry), before, after })}\n`;
}

/** The tests of a policy's version, and what it says that it is for. */
function testsLine(entry: KnownEntry): string {
  const after = objectOf(entry, "after");
  const document = after?.document;
  if (after === undefined || !isJsonObject(document)) return "";
  const { metadata, rules, tests } = document;
  const { name = null, controls = [] } = isJsonObject(metadata) ? metadata : {};
  const said = Array.isArray(rules) ? rules.map((rule) => (isJsonObject(rule) ? (rule.id ?? null) : null)) : [];
  const version = after.version ?? null;
  return `${JSON.stringify({ ...changeOf(entry), name, version, controls, rules: said, tests: tests ?? [] })}\n`;
}

const annotationColumns: readonly string[] = [
  ...["trace_id", "mark", "expected_outcome", "expected_labels", "annotator", "is_final", "revision"],
];

function annotationHeader(): string {
  const change = ["seq", "created_at", "action", "actor", "annotation"];
  return csvLine([...change, "target", "policy", "rule_id", ...annotationColumns, "erased"]);
}

/** An annotation as it was made, changed or withdrawn; of a withdrawn one, what it said before. */
function annotationLine(entry: KnownEntry): string {
  if (!memberText(entry, "resource").startsWith("annotation/")) return "";
  const said = objectOf(entry, "after") ?? objectOf(entry, "before") ?? {};
  const target = isJsonObject(said.target) ? said.target : {};
  const erased = committedFields.filter((field) => entry.openings[field] === undefined);
  return csvLine([
    ...[String(entry.seq), memberText(entry, "created_at"), memberText(entry, "action")],
    ...[cellOf(openedValue(entry, "actor")), memberText(entry, "resource").replace(/^annotation\//, "")],
    ...[cellOf(target.kind), cellOf(target.policy), cellOf(target.rule_id)],
    ...annotationColumns.map((name) => cellOf(said[name])),
    erased.join(" "),
  ]);
}

function cellOf(value: JsonValue | undefined): string {
  if (value === undefined || value === null) return "";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** All entries as a table. */
export const entryTable: Extract = {
  name: "entries.csv",
  kinds: undefined,
  header: entryCsvHeader(),
  lineOf: entryCsvLine,
};

/** The files, in their order in the ZIP. */
export const extracts: readonly Extract[] = [
  entryTable,
  {
    name: "activations.jsonl",
    kinds: ["bundle", "environment", "override"],
    header: "",
    // Whatever put a statement into force names its digest.
    lineOf: (entry) => (isDigestText(objectOf(entry, "after")?.statement) ? changeLine(entry) : ""),
  },
  {
    name: "gates.jsonl",
    kinds: ["gate", "gates", "bundle"],
    header: "",
    lineOf: (entry) => (isAboutGates(memberText(entry, "action")) ? changeLine(entry) : ""),
  },
  { name: "tests.jsonl", kinds: ["policy", "pack"], header: "", lineOf: testsLine },
  { name: "benchmarks.jsonl", kinds: ["benchmark"], header: "", lineOf: changeLine },
  { name: "annotations.csv", kinds: ["annotation"], header: annotationHeader(), lineOf: annotationLine },
];
