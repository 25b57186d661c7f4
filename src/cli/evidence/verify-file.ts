// Verifies exports of the log of evidence: a file of lines, or a ZIP with one in it. Everything is read as a stream.

import { isUtf8 } from "node:buffer";
import { createHash, type Hash } from "node:crypto";
import { type FileHandle, open } from "node:fs/promises";
import type { ZipEntry } from "../../kit/archive/zip-form.ts";
import { readDirectory, unzipped, ZipError } from "../../kit/archive/zip-reader.ts";
import { digestOf as digestOfBytes } from "../../kit/crypto/canonical.ts";
import { type KnownKeys, type TreeHead, verifyCheckpoint } from "../../kit/evidence/checkpoint.ts";
import { readManifestLine } from "../../kit/evidence/extract.ts";
import { maxLineChars, readLogLine } from "../../kit/evidence/log-file.ts";
import { LogError, LogVerifier, placeOf, type VerifiedLog } from "../../kit/evidence/log-verifier.ts";
import { UnknownSigner } from "../../kit/evidence/note.ts";
import {
  maxManifestBytes,
  type PackageManifest,
  packageFiles,
  packageNames,
  readManifest,
  unsignedNames,
} from "../../kit/evidence/package.ts";
import { PackageDigests } from "../../kit/evidence/package-digest.ts";
import { fileFailure } from "../failure.ts";

/** What a log is verified with. */
export interface Trusted {
  readonly keys: KnownKeys;
  /** Verified checkpoints that the log has to continue. */
  readonly kept: readonly TreeHead[];
}

/** An export is not what it says, beside its entries. */
export class PackageError extends Error {
  override readonly name = "PackageError";
}

/** A verified export. */
export interface VerifiedFile extends VerifiedLog {
  /** Checkpoints that it was compared with, those of the export included. */
  readonly compared: number;
  /** Checkpoints of the export that none of the keys signed: they were signed before a rotation. */
  readonly ofOtherKeys: number;
  /** Files of the export that the log does not speak for; only its manifest does, which is not signed. */
  readonly unverified: readonly string[];
}

const zipStart = Buffer.from("PK\x03\x04", "latin1");
const maxCheckpointsBytes = 8 * 1_048_576;
/** Characters of a line with a manifest: one that names 50,000 parts has fewer. */
const maxManifestChars = 16 * 1_048_576;
const readBytes = 262_144;

/** Verifies the export in a file. Throws a LogError, a PackageError or a ZipError. */
export async function verifyFile(path: string, trusted: Trusted): Promise<VerifiedFile> {
  const file = await open(path).catch((error: unknown) => {
    throw fileFailure(path, error);
  });
  try {
    const first = await file.read(Buffer.alloc(zipStart.length), 0, zipStart.length, 0);
    if (first.buffer.equals(zipStart)) return await verifyPackage(file, trusted);
    const chunks = file.createReadStream({ start: 0, highWaterMark: readBytes, autoClose: false });
    return { ...(await verifyLines(chunks, trusted)), compared: trusted.kept.length, ofOtherKeys: 0, unverified: [] };
  } finally {
    await file.close();
  }
}

/** What is digested while a log is verified. */
interface Digests {
  readonly log: Hash;
  readonly files: PackageDigests;
}

async function verifyLines(
  chunks: AsyncIterable<Buffer>,
  { keys, kept }: Trusted,
  digests?: Digests,
): Promise<VerifiedLog> {
  const verifier = new LogVerifier(keys, { kept, ...(digests && { listener: digests.files }) });
  let rest: Buffer[] = [];
  for await (const chunk of chunks) {
    digests?.log.update(chunk);
    const last = chunk.lastIndexOf(10);
    rest.push(chunk.subarray(0, last + 1));
    if (last >= 0) {
      addLines(verifier, Buffer.concat(rest));
      rest = [];
    }
    rest.push(chunk.subarray(last + 1));
    if (rest.reduce((sum, { length }) => sum + length, 0) > maxLineChars * 3)
      throw new LogError(verifier.next, `${placeOf(verifier.next)}: a line is longer than any of a log`);
  }
  if (rest.some(({ length }) => length > 0))
    throw new LogError(verifier.next, "the file ends within a line; it may have been cut off");
  return verifier.end();
}

function addLines(verifier: LogVerifier, bytes: Buffer): void {
  // What is not UTF-8 would be read as something else than it is.
  if (isUtf8(bytes)) {
    const lines = bytes.toString().split("\n");
    for (const line of lines.slice(0, -1)) verifier.add(line);
    return;
  }
  for (let at = 0, end = bytes.indexOf(10); end >= 0; at = end + 1, end = bytes.indexOf(10, at)) {
    const line = bytes.subarray(at, end);
    if (!isUtf8(line)) throw new LogError(verifier.next, `${placeOf(verifier.next)}: a line is not text in UTF-8`);
    verifier.add(line.toString());
  }
}

async function verifyPackage(file: FileHandle, { keys, kept }: Trusted): Promise<VerifiedFile> {
  const entries = await readDirectory(file);
  if (entries.map(({ name }) => name).join() !== packageNames.join())
    throw new PackageError(`the ZIP has to have the files ${packageNames.join(", ")}`);
  const entryOf = (name: string): ZipEntry => {
    const found = entries.find((entry) => entry.name === name);
    if (found === undefined) throw new ZipError(`the ZIP has no ${name}`);
    return found;
  };
  const manifest = readManifest(await textOf(file, entryOf(packageFiles.manifest), maxManifestBytes));
  if (manifest === undefined) throw new PackageError(`${packageFiles.manifest} is no manifest of an export`);
  const isWhole = Object.keys(manifest.query).length === 0;
  const said = await textOf(file, entryOf(packageFiles.checkpoints), maxCheckpointsBytes);
  const own = checkpointsIn(said, keys);
  // What a query leaves out has no hashes in the file, so nothing but what is kept is compared with it.
  const compared = isWhole ? [...kept, ...own] : kept;
  const ofOtherKeys = isWhole ? linesIn(said).length - own.length : 0;
  const digests = { log: createHash("sha256"), files: new PackageDigests() };
  const log = await verifyLines(unzipped(file, entryOf(packageFiles.log)), { keys, kept: compared }, digests);
  if (log.origin !== manifest.origin || log.size !== manifest.treeSize || (isWhole && log.leftOut.query > 0))
    throw new PackageError(`${packageFiles.manifest} speaks of another log than ${packageFiles.log}`);
  const bundles = await verifyBundles(unzipped(file, entryOf(packageFiles.bundles)), digests.files);
  const found = new Map<string, string>();
  for (const name of packageNames.slice(0, -1)) {
    if (name === packageFiles.log) found.set(name, digests.log.digest("hex"));
    else found.set(name, name === packageFiles.bundles ? bundles : await digestOf(file, entryOf(name)));
  }
  checkDigests(manifest, found, entries);
  const { files, hasAllManifests } = digests.files.end();
  if (!hasAllManifests) throw new PackageError(`${packageFiles.bundles} is not of the versions that the log names`);
  for (const [name, digest] of files)
    if (found.get(name) !== digest) throw new PackageError(`${name} does not say what ${packageFiles.log} says`);
  const unverified = packageNames.filter(
    (name) => unsignedNames.includes(name) || (name === packageFiles.checkpoints && !isWhole),
  );
  return { ...log, compared: compared.length, ofOtherKeys, unverified };
}

/** Verifies that each manifest has the digest that its line says; returns the digest of the file. */
async function verifyBundles(chunks: AsyncIterable<Buffer>, digests: PackageDigests): Promise<string> {
  const hash = createHash("sha256");
  const noManifest = () => new PackageError(`${packageFiles.bundles} has a line that is no manifest of a version`);
  let rest = "";
  // A mark of the order of bytes would be dropped, and is none of the log's.
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  for await (const chunk of chunks) {
    hash.update(chunk);
    const lines = (rest + textIn(decoder, chunk)).split("\n");
    rest = lines.pop() ?? "";
    if (rest.length > maxManifestChars) throw noManifest();
    for (const line of lines) {
      const read = readManifestLine(line);
      if (read === undefined) throw noManifest();
      const { seq, digest, manifest } = read;
      if (manifest !== null && digestOfBytes(Buffer.from(manifest)) !== digest)
        throw new PackageError(`${packageFiles.bundles}: the manifest of entry ${seq} is not the one that it names`);
      digests.manifest(read, { isThere: manifest !== null });
    }
  }
  // With the bytes of a character that has not ended.
  if (rest + textIn(decoder) !== "") throw noManifest();
  return hash.digest("hex");
}

/** The text of the next bytes; without them, of what is left at the end. */
function textIn(decoder: TextDecoder, chunk?: Buffer): string {
  try {
    return chunk === undefined ? decoder.decode() : decoder.decode(chunk, { stream: true });
  } catch {
    throw new PackageError(`${packageFiles.bundles} is not text in UTF-8`);
  }
}

function checkDigests({ files }: PackageManifest, found: ReadonlyMap<string, string>, entries: readonly ZipEntry[]) {
  if (files.map(({ name }) => name).join() !== [...found.keys()].join())
    throw new PackageError(`${packageFiles.manifest} names other files than the ZIP has`);
  for (const { name, sha256, bytes } of files) {
    const size = entries.find((entry) => entry.name === name)?.size;
    if (found.get(name) !== sha256 || size !== bytes)
      throw new PackageError(`${name} is not the file that ${packageFiles.manifest} names`);
  }
}

/** The checkpoints that a known key signed; the log's earlier keys may be unknown. */
function checkpointsIn(text: string, keys: KnownKeys): TreeHead[] {
  return linesIn(text).flatMap((line) => {
    try {
      const read = readLogLine(line);
      if (read.case === "checkpoint") return verifyCheckpoint(read.note, keys);
    } catch (error) {
      if (error instanceof UnknownSigner) return [];
      throw new PackageError(`${packageFiles.checkpoints}: ${error instanceof Error ? error.message : String(error)}`);
    }
    throw new PackageError(`${packageFiles.checkpoints} has a line that is no checkpoint`);
  });
}

/** The lines of a text, each of which has its newline. */
function linesIn(text: string): string[] {
  const lines = text.split("\n");
  if (lines.pop() !== "") throw new PackageError(`${packageFiles.checkpoints} ends within a line`);
  return lines;
}

async function textOf(file: FileHandle, entry: ZipEntry, maxBytes: number): Promise<string> {
  if (entry.size > maxBytes) throw new PackageError(`${entry.name} is longer than ${maxBytes} bytes`);
  const parts: Buffer[] = [];
  for await (const bytes of unzipped(file, entry)) parts.push(bytes);
  return Buffer.concat(parts).toString();
}

async function digestOf(file: FileHandle, entry: ZipEntry): Promise<string> {
  const hash = createHash("sha256");
  for await (const bytes of unzipped(file, entry)) hash.update(bytes);
  return hash.digest("hex");
}
