// Reads ZIPs of the form that zip-writer.ts writes, and no others: byte for byte what the writer makes of the same
// packed files. What this reader did not look at could lead another tool to other files than those that are read here.
// A file is read as a stream, and what it unpacks to is what the directory says, or an error.

import type { FileHandle } from "node:fs/promises";
import { crc32, createInflateRaw } from "node:zlib";
import { dataDescriptor, directory, localHeader, type ZipEntry } from "./zip-form.ts";

/** A file that is no ZIP of this form. */
export class ZipError extends Error {
  override readonly name = "ZipError";
}

const endBytes = 22 + 20 + 56;
const maxDirectoryBytes = 1_048_576;
const entryBytes = 46;
const extraBytes = 28;
const chunkBytes = 65_536;
/** Bytes that inflating gives at once: a piece costs the same however short it is. */
const inflatedBytes = 262_144;

/** The files of a ZIP, all of whose records are those that the writer makes. Throws a ZipError. */
export async function readDirectory(file: FileHandle): Promise<ZipEntry[]> {
  const { size: fileSize } = await file.stat();
  if (fileSize < endBytes) throw new ZipError("the file is too short for a ZIP; it may have been cut off");
  const end = await readAt(file, fileSize - endBytes, endBytes);
  const isWhole =
    end.readUInt32LE(0) === 0x06064b50 && end.readUInt32LE(56) === 0x07064b50 && end.readUInt32LE(76) === 0x06054b50;
  if (!isWhole) throw new ZipError("the file does not end as an export's ZIP; it may have been cut off");
  const [size, start] = [40, 48].map((at) => Number(end.readBigUInt64LE(at)));
  if (size === undefined || start === undefined || size > maxDirectoryBytes)
    throw new ZipError("the directory of the ZIP is too long");
  if (start + size !== fileSize - endBytes) throw new ZipError("the directory of the ZIP is not where it should be");
  const bytes = await readAt(file, start, size);
  const entries = entriesIn(bytes);
  // The directory and what follows it say some things twice, once for tools that know no sizes of 64 bits.
  if (!Buffer.concat([...directory(entries, start)]).equals(Buffer.concat([bytes, end])))
    throw new ZipError("the directory of the ZIP has another form than that of an export");
  let offset = 0;
  for (const entry of entries) {
    // Files stand one after the other without gaps, so none is there twice, nor within another.
    if (entry.offset !== offset) throw new ZipError(`${entry.name}: the file is not where it should be`);
    offset = await endOf(file, entry, start);
  }
  if (offset !== start) throw new ZipError("the ZIP has more than its directory says");
  return entries;
}

function entriesIn(bytes: Buffer): ZipEntry[] {
  const entries: ZipEntry[] = [];
  for (let at = 0; at < bytes.length; ) {
    const entry = entryAt(bytes, at);
    at += entryBytes + entry.name.length + extraBytes;
    entries.push(entry);
  }
  return entries;
}

function entryAt(bytes: Buffer, at: number): ZipEntry {
  const nameBytes = bytes.length < at + entryBytes ? 0 : bytes.readUInt16LE(at + 28);
  const extra = at + entryBytes + nameBytes;
  if (bytes.length < extra + extraBytes) throw new ZipError("the directory of the ZIP ends too early");
  const name = bytes.toString("latin1", at + entryBytes, extra);
  if (!/^[a-z0-9./-]+$/i.test(name)) throw new ZipError("the ZIP has a file with a name that no export gives");
  const [size = 0, packed = 0, offset = 0] = [4, 12, 20].map((from) => Number(bytes.readBigUInt64LE(extra + from)));
  if (![size, packed, offset].every(Number.isSafeInteger)) throw new ZipError(`${name}: no file is that long`);
  return { name, offset, packed, size, crc: bytes.readUInt32LE(at + 16) };
}

/** Where a file ends with its descriptor. Throws when other records stand around its packed bytes than the writer's. */
async function endOf(file: FileHandle, entry: ZipEntry, directoryStart: number): Promise<number> {
  const header = localHeader(entry.name);
  const descriptor = dataDescriptor(entry);
  const packedEnd = entry.offset + header.length + entry.packed;
  if (packedEnd + descriptor.length > directoryStart) throw new ZipError(`${entry.name}: the ZIP is too short for it`);
  const isKnown =
    (await readAt(file, entry.offset, header.length)).equals(header) &&
    (await readAt(file, packedEnd, descriptor.length)).equals(descriptor);
  if (!isKnown) throw new ZipError(`${entry.name}: the file has another form in the ZIP than that of an export`);
  return packedEnd + descriptor.length;
}

/** The bytes of a file in a ZIP. Throws a ZipError where they are not what the directory says. */
export async function* unzipped(file: FileHandle, entry: ZipEntry): AsyncGenerator<Buffer, void> {
  const inflate = createInflateRaw({ chunkSize: inflatedBytes });
  const start = entry.offset + localHeader(entry.name).length;
  // Listeners for each piece would be kept until the end of a long file.
  let goOn = () => {};
  for (const event of ["drain", "close"]) inflate.on(event, () => goOn());
  const feed = async () => {
    try {
      for (let at = 0; at < entry.packed; at += chunkBytes) {
        const bytes = await readAt(file, start + at, Math.min(chunkBytes, entry.packed - at));
        // What ended while these bytes were read takes no more, and would never say that it does.
        if (inflate.destroyed) return;
        if (!inflate.write(bytes)) await new Promise<void>((resolve) => (goOn = resolve));
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
  // Inflating ends by itself. Bytes after that end would be another file to a tool that begins to read there.
  if (inflate.bytesWritten !== entry.packed)
    throw new ZipError(`${entry.name}: bytes follow the end of its packed bytes`);
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
