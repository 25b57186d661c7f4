// An export of the log as a ZIP for an auditor: the log as a file (log-file.ts), what follows from it and explains it,
// and a manifest with the digest of each file. The log proves itself; what follows from it (extract.ts) is made again
// when it is verified, and each manifest of a bundle has the digest that an entry names. The other files are for
// reading, and the manifest only shows that they are as they were exported.

import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { canonicalText } from "../crypto/canonical.ts";
import { extracts } from "./extract.ts";

/** Files that are no extracts of the log. */
export const packageFiles = {
  log: "log.jsonl",
  bundles: "bundles.jsonl",
  gaps: "gaps.csv",
  controls: "controls.csv",
  checkpoints: "checkpoints.jsonl",
  keys: "keys.txt",
  readme: "README.md",
  manifest: "manifest.json",
} as const;

/** All files, in their order in the ZIP. */
export const packageNames: readonly string[] = [
  packageFiles.log,
  ...extracts.map(({ name }) => name),
  ...[packageFiles.bundles, packageFiles.gaps, packageFiles.controls, packageFiles.checkpoints],
  ...[packageFiles.keys, packageFiles.readme, packageFiles.manifest],
];

/** Files that are for reading: the manifest has their digests, and nothing in the signed log says what is in them. */
export const unsignedNames: readonly string[] = [packageFiles.controls, packageFiles.keys, packageFiles.readme];

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
  try {
    const manifest = manifestIn(JSON.parse(text));
    return manifest !== undefined && manifestText(manifest) === text ? manifest : undefined;
  } catch {
    // No JSON, or nothing that canonical JSON can say.
    return undefined;
  }
}

function manifestIn(value: JsonValue): PackageManifest | undefined {
  if (!isObject(value)) return undefined;
  const { form, origin, tree_size: treeSize, query, files } = value;
  if (form !== 1 || typeof origin !== "string" || typeof treeSize !== "number") return undefined;
  if (!isObject(query) || !Array.isArray(files) || !files.every(isFile)) return undefined;
  return { origin, treeSize, query, files };
}

function isFile(value: JsonValue): value is JsonObject & PackagedFile {
  return isObject(value) && typeof value.name === "string" && typeof value.sha256 === "string";
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
