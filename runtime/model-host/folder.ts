// The files of a model: how large they may be, and the digest by which a bundle pins them. Nothing outside the folder is
// ever read: links are refused, and so is external data elsewhere.

import { createHash } from "node:crypto";
import { createReadStream, lstatSync, readdirSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { pipeline } from "node:stream/promises";
import { LoadFailure } from "./load-failure.ts";

/** Limits of a folder. */
export const folderLimits = {
  /** ONNX itself ends at 2 GiB for a graph. */
  folderBytes: 2 * 1024 ** 3,
  jsonBytes: 64 * 1024 ** 2,
  /** Files and folders, the model's own folder included. */
  entries: 100,
} as const;

/** A file of a folder. */
export interface ModelFile {
  /** Relative to the folder, with "/" between names. */
  readonly path: string;
  readonly sizeBytes: number;
}

/** The name that a folder needs: a backend names it in its URL. */
export const modelName = /^[a-z0-9][a-z0-9._-]{0,63}$/;

/** The names of the models in a folder of models, sorted. What is no folder is no model. */
export function modelsIn(folder: string): string[] {
  const names = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return names.flatMap(({ name }) => (modelName.test(name) ? [name] : [])).sort();
}

/** The files of a model, by path. Throws a LoadFailure for links and for sizes above the limits. */
export function filesOf(folder: string): ModelFile[] {
  const files = walk(folder).sort((a, b) => (a.path < b.path ? -1 : 1));
  const totalBytes = files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  if (totalBytes > folderLimits.folderBytes)
    throw new LoadFailure("size_limit", `the folder has ${totalBytes} bytes; at most ${folderLimits.folderBytes}`);
  const large = files.find(({ path, sizeBytes }) => path.endsWith(".json") && sizeBytes > folderLimits.jsonBytes);
  if (large !== undefined)
    throw new LoadFailure(
      "size_limit",
      `${large.path} has ${large.sizeBytes} bytes; at most ${folderLimits.jsonBytes}`,
    );
  return files;
}

function walk(folder: string): ModelFile[] {
  const files: ModelFile[] = [];
  const folders = [""];
  for (const below of folders)
    for (const entry of readdirSync(join(folder, below), { withFileTypes: true })) {
      const path = posix.join(below, entry.name);
      if (entry.isDirectory()) folders.push(path);
      else if (!entry.isFile()) throw new LoadFailure("link_refused", `${path} is a link or no ordinary file`);
      else files.push({ path, sizeBytes: lstatSync(join(folder, path)).size });
      if (files.length + folders.length > folderLimits.entries)
        throw new LoadFailure("size_limit", `more than ${folderLimits.entries} files and folders; a model needs three`);
    }
  return files;
}

/**
 * SHA-256 over the list of files, each a line `<sha256> <size> <path>`: it changes when any byte of any file does.
 */
export async function digestOf(folder: string, files: readonly ModelFile[]): Promise<string> {
  const lines: string[] = [];
  for (const { path, sizeBytes } of files) {
    const hash = createHash("sha256");
    await pipeline(createReadStream(join(folder, path)), hash);
    lines.push(`${hash.digest("hex")} ${sizeBytes} ${path}\n`);
  }
  return `sha256:${createHash("sha256").update(lines.join("")).digest("hex")}`;
}

/** The JSON object in a file; undefined when there is no such file. */
export function readJson(folder: string, path: string): Readonly<Record<string, unknown>> | undefined {
  let text: string;
  try {
    text = readFileSync(join(folder, path), "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
  try {
    const json: unknown = JSON.parse(text);
    if (isRecord(json)) return json;
  } catch {
    // It is said below.
  }
  throw new LoadFailure("settings_invalid", `${path} is no JSON object`);
}

/** Whether a value is an object with members. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
