// Reads ZIPs of the form that zip-writer.ts writes, and no others: deflated files with sizes in 64 bits, one after the
// other without gaps. A file is read as a stream, and what it unpacks to is what the directory says, or an error.

import type { FileHandle } from "node:fs/promises";
import { crc32, createInflateRaw } from "node:zlib";

/** A file in the directory of a ZIP. */
export interface ZipEntry {
  readonly name: string;
  readonly offset: number;
  readonly packed: number;
  readonly size: number;
  readonly crc: number;
}

/** A file that is no ZIP of this form. */
export class ZipError extends Error {
  override readonly name = "ZipError";
}

const endBytes = 22 + 20 + 56;
const maxDirectoryBytes = 1_048_576;
const entryBytes = 46;
const extraBytes = 28;
const localBytes = 30;
const localExtraBytes = 20;
const descriptorBytes = 24;
const chunkBytes = 65_536;

/** The directory of a ZIP. Throws a ZipError. */
export async function readDirectory(file: FileHandle): Promise<ZipEntry[]> {
  const { size: fileSize } = await file.stat();
  if (fileSize < endBytes) throw new ZipError("the file is too short for a ZIP; it may have been cut off");
  const end = await readAt(file, fileSize - endBytes, endBytes);
  const isWhole =
    end.readUInt32LE(0) === 0x06064b50 && end.readUInt32LE(56) === 0x07064b50 && end.readUInt32LE(76) === 0x06054b50;
  if (!isWhole) throw new ZipError("the file does not end as an export's ZIP; it may have been cut off");
  const [count, size, start] = [32, 40, 48].map((at) => Number(end.readBigUInt64LE(at)));
  if (count === undefined || size === undefined || start === undefined || size > maxDirectoryBytes)
    throw new ZipError("the directory of the ZIP is too long");
  if (start + size !== fileSize - endBytes) throw new ZipError("the directory of the ZIP is not where it should be");
  const bytes = await readAt(file, start, size);
  const entries: ZipEntry[] = [];
  let at = 0;
  let offset = 0;
  while (at < bytes.length) {
    const entry = entryAt(bytes, at);
    // Files one after the other: nothing is hidden between them, and none is there twice.
    if (entry.offset !== offset) throw new ZipError(`${entry.name}: the file is not where it should be`);
    offset += localBytes + entry.name.length + localExtraBytes + entry.packed + descriptorBytes;
    at += entryBytes + entry.name.length + extraBytes;
    entries.push(entry);
  }
  if (entries.length !== count || offset !== start) throw new ZipError("the ZIP has more than its directory says");
  return entries;
}

function entryAt(bytes: Buffer, at: number): ZipEntry {
  const nameBytes = bytes.length < at + entryBytes ? -1 : bytes.readUInt16LE(at + 28);
  const extra = at + entryBytes + nameBytes;
  const isKnown =
    nameBytes > 0 &&
    bytes.length >= extra + extraBytes &&
    bytes.readUInt32LE(at) === 0x02014b50 &&
    bytes.readUInt16LE(at + 10) === 8 &&
    bytes.readUInt32LE(extra) === 0x0018_0001;
  if (!isKnown) throw new ZipError("the directory of the ZIP has another form than that of an export");
  const name = bytes.toString("latin1", at + entryBytes, extra);
  if (!/^[a-z0-9./-]+$/i.test(name)) throw new ZipError("the ZIP has a file with a name that no export gives");
  const [size = 0, packed = 0, offset = 0] = [4, 12, 20].map((from) => Number(bytes.readBigUInt64LE(extra + from)));
  return { name, offset, packed, size, crc: bytes.readUInt32LE(at + 16) };
}

/** The bytes of a file in a ZIP. Throws a ZipError where they are not what the directory says. */
export async function* unzipped(file: FileHandle, entry: ZipEntry): AsyncGenerator<Buffer, void> {
  const inflate = createInflateRaw();
  const start = entry.offset + localBytes + entry.name.length + localExtraBytes;
  const feed = async () => {
    try {
      for (let at = 0; at < entry.packed; at += chunkBytes) {
        const bytes = await readAt(file, start + at, Math.min(chunkBytes, entry.packed - at));
        if (!inflate.write(bytes))
          await new Promise<void>((resolve) => inflate.once("drain", resolve).once("close", resolve));
        if (inflate.destroyed) return;
      }
      inflate.end();
    } catch (error) {
      inflate.destroy(error instanceof Error ? error : new Error(String(error)));
    }
  };
  const fed = feed();
  let size = 0;
  let crc = 0;
  try {
    for await (const bytes of inflate) {
      size += bytes.length;
      if (size > entry.size) break;
      crc = crc32(bytes, crc);
      yield bytes;
    }
  } catch (error) {
    throw error instanceof ZipError
      ? error
      : new ZipError(`${entry.name}: its packed bytes are damaged`, { cause: error });
  } finally {
    inflate.destroy();
    await fed;
  }
  if (size !== entry.size || crc !== entry.crc) throw new ZipError(`${entry.name}: it is not what the ZIP says`);
}

async function readAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const bytes = Buffer.alloc(length);
  for (let done = 0; done < length; ) {
    const { bytesRead } = await file.read(bytes, done, length - done, position + done);
    if (bytesRead === 0) throw new ZipError("the ZIP ends too early");
    done += bytesRead;
  }
  return bytes;
}
