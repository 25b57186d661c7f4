// A file on its way into a dataset: as it is, or as parts of whole lines, each with the line that it begins with.

import { createReadStream } from "node:fs";
import { Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { Failure, fileFailure } from "./failure.ts";

const pieceBytes = 256 * 1024;
const lineBreak = 0x0a;
const gzipMagic = [0x1f, 0x8b];

/** Some lines of a file. */
export interface FilePart {
  /** The first line, from 1. */
  readonly fromLine: number;
  readonly lines: number;
  readonly bytes: Buffer;
}

/** The bytes of a file, or of standard input for "-". */
export async function* fileBytes(path: string, stdin: NodeJS.ReadableStream): AsyncGenerator<Uint8Array, void> {
  try {
    const stream = path === "-" ? stdin : createReadStream(path, { highWaterMark: pieceBytes });
    for await (const piece of stream) yield typeof piece === "string" ? Buffer.from(piece) : piece;
  } catch (error) {
    throw error instanceof Failure ? error : fileFailure(path, error);
  }
}

/** The bytes as they were before gzip, if they are gzip. */
export async function* plainFile(pieces: AsyncIterable<Uint8Array>, path: string): AsyncGenerator<Uint8Array, void> {
  const iterator = pieces[Symbol.asyncIterator]();
  const first = await iterator.next();
  const rest = async function* () {
    if (first.done !== true) yield first.value;
    for (let next = await iterator.next(); next.done !== true; next = await iterator.next()) yield next.value;
  };
  const isGzip = first.done !== true && gzipMagic.every((byte, at) => first.value[at] === byte);
  if (!isGzip) return yield* rest();
  const source = Readable.from(rest(), { objectMode: true });
  const gunzip = createGunzip();
  source.once("error", (error) => gunzip.destroy(error));
  try {
    for await (const piece of source.pipe(gunzip)) yield piece;
  } catch (error) {
    throw error instanceof Failure ? error : fileFailure(path, error);
  }
}

/** Parts of at most so many lines, from a line on. A part holds no more than `maxBytes` unless one line does. */
export async function* lineParts(
  pieces: AsyncIterable<Uint8Array>,
  { fromLine, maxLines, maxBytes }: { readonly fromLine: number; readonly maxLines: number; readonly maxBytes: number },
): AsyncGenerator<FilePart, void> {
  let line = 1;
  let part = { fromLine, lines: 0, size: 0, pieces: [] as Buffer[] };
  const cut = (): FilePart => {
    const { pieces: held, size: _, ...rest } = part;
    part = { fromLine: line, lines: 0, size: 0, pieces: [] };
    return { ...rest, bytes: Buffer.concat(held) };
  };
  for await (const whole of wholeLines(pieces)) {
    if (line >= fromLine) {
      if (part.lines > 0 && (part.lines >= maxLines || part.size + whole.length > maxBytes)) yield cut();
      part.lines += 1;
      part.size += whole.length;
      part.pieces.push(whole);
    }
    line += 1;
  }
  if (part.lines > 0) yield cut();
}

/** Lines with their breaks; the last one may have none. */
async function* wholeLines(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer, void> {
  let held: Buffer[] = [];
  for await (const piece of pieces) {
    const bytes = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
    let from = 0;
    for (let at = bytes.indexOf(lineBreak); at >= 0; at = bytes.indexOf(lineBreak, from)) {
      yield Buffer.concat([...held, bytes.subarray(from, at + 1)]);
      held = [];
      from = at + 1;
    }
    if (from < bytes.length) held.push(bytes.subarray(from));
  }
  if (held.length > 0) yield Buffer.concat(held);
}
