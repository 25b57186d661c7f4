// An export of the log as a ZIP for an auditor: the log as a file (log-file.ts), what explains it, and a manifest with
// the digest of each file. The log proves itself; the table of entries is made of it again when it is verified. The
// other files are for reading, and the manifest only shows that they are as they were exported.

import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { canonicalText } from "../crypto/canonical.ts";

/** The files, in their order in the ZIP. */
export const packageFiles = {
  log: "log.jsonl",
  entries: "entries.csv",
  controls: "controls.csv",
  checkpoints: "checkpoints.jsonl",
  keys: "keys.txt",
  readme: "README.md",
  manifest: "manifest.json",
} as const;

/** A file as the manifest says it. */
export interface PackagedFile {
  readonly name: string;
  readonly bytes: number;
  /** In hexadecimal digits. */
  readonly sha256: string;
}

/** What the manifest says. */
export interface PackageManifest {
  readonly origin: string;
  readonly treeSize: number;
  /** The filter of the export; empty when it was of everything. */
  readonly query: JsonObject;
  readonly files: readonly PackagedFile[];
}

/** Longest manifest. */
export const maxManifestBytes = 65_536;

/** The manifest as a file. */
export function manifestText({ origin, treeSize, query, files }: PackageManifest): string {
  const said = files.map(({ name, bytes, sha256 }) => ({ name, bytes, sha256 }));
  return `${canonicalText({ form: 1, origin, tree_size: treeSize, query, files: said })}\n`;
}

/** Reads a manifest; undefined when it is none. */
export function readManifest(text: string): PackageManifest | undefined {
  let value: JsonValue;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isObject(value)) return undefined;
  const { form, origin, tree_size: treeSize, query, files } = value;
  if (form !== 1 || typeof origin !== "string" || typeof treeSize !== "number") return undefined;
  if (!isObject(query) || !Array.isArray(files) || !files.every(isFile)) return undefined;
  const manifest = { origin, treeSize, query, files };
  return manifestText(manifest) === text ? manifest : undefined;
}

function isFile(value: JsonValue): value is JsonObject & PackagedFile {
  return isObject(value) && typeof value.name === "string" && typeof value.sha256 === "string";
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
