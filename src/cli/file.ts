// Files as commands read and write them.

import { createWriteStream, lstatSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { JsonValue } from "@bufbuild/protobuf";
import { Problems } from "../../runtime/engine/policy/problem.ts";
import { treeFromText, treeToJson } from "../../runtime/engine/policy/source-tree.ts";
import { Failure, fileFailure, usageFailure } from "./failure.ts";

/** The bytes of a file of at most so many. */
export function readBytes(path: string, maxBytes: number): Uint8Array {
  try {
    const { size } = statSync(path);
    if (size > maxBytes) throw usageFailure(`${path}: the file has ${size} bytes, the limit is ${maxBytes}`);
    return readFileSync(path);
  } catch (error) {
    throw error instanceof Failure ? error : fileFailure(path, error);
  }
}

/** Bytes as text. A name of where they came from is for the error. */
export function decode(bytes: Uint8Array, path: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw usageFailure(`${path}: this is not text in UTF-8`);
  }
}

/** The JSON in a file. */
export function readJson(path: string, maxBytes: number): JsonValue {
  try {
    return JSON.parse(decode(readBytes(path, maxBytes), path));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw usageFailure(`${path}: this is not JSON: ${error.message}`);
  }
}

/** The YAML, or JSON, in a file. `failure` makes the failure of the first thing that is wrong with it. */
export function readYaml(path: string, maxBytes: number, failure: (why: string) => Failure): JsonValue {
  const problems = new Problems();
  const tree = treeFromText(decode(readBytes(path, maxBytes), path), problems);
  const [first] = problems.list();
  if (tree === undefined) throw failure(`${first?.line ?? 0}:${first?.column ?? 0}: ${first?.message ?? ""}`);
  return treeToJson(tree);
}

/** Writes a file as a whole or not at all: a reader never sees half of it. */
export function replaceFile(path: string, content: string | Uint8Array, mode = 0o666): void {
  assertPlain(path);
  const draft = `${path}.${process.pid}.tmp`;
  try {
    writeFileSync(draft, content, { mode, flag: "wx" });
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    throw fileFailure(path, error);
  }
}

/** Writes what comes as a file that is there only once all of it has come. */
export async function replaceFileBy(path: string, content: AsyncIterable<Uint8Array>): Promise<void> {
  assertPlain(path);
  const draft = `${path}.${process.pid}.tmp`;
  try {
    await pipeline(Readable.from(content), createWriteStream(draft, { flags: "wx" }));
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error instanceof Error && "syscall" in error ? fileFailure(path, error) : error;
  }
}

/** Refuses anything but a plain file, such as a device, which a rename would replace by a file. */
function assertPlain(path: string): void {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found !== undefined && !found.isFile()) throw usageFailure(`${path}: this is not a plain file`);
}

/** What comes in on a stream, as text of at most so many bytes. */
export async function readStream(stream: NodeJS.ReadableStream, maxBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of stream) {
    const bytes = Buffer.from(chunk);
    sizeBytes += bytes.byteLength;
    if (sizeBytes > maxBytes) throw usageFailure(`standard input has more than ${maxBytes} bytes`);
    chunks.push(bytes);
  }
  return decode(Buffer.concat(chunks), "standard input");
}
