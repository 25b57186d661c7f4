// Writes a ZIP as a stream (APPNOTE 6.3.10), file after file, without knowing how long a file will be: sizes follow
// each file in a data descriptor, in 64 bits. Every file has the same time and the same attributes, so that the same
// files give the same bytes.

import { once } from "node:events";
import { crc32, createDeflateRaw } from "node:zlib";

/** A file of a ZIP. */
export interface ZipFile {
  /** In ASCII, with "/" between folders. */
  readonly name: string;
  readonly content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
}

interface Written {
  readonly name: Buffer;
  readonly offset: number;
  readonly crc: number;
  readonly packed: number;
  readonly size: number;
}

const version64 = 45;
/** Sizes follow the file; names are UTF-8. */
const flags = 0x0808;
const deflated = 8;
/** The first of January 1980, the earliest day that a ZIP can name. */
const day = 0x0021;
const full32 = 0xffff_ffff;

/** The bytes of a ZIP with these files, which are read one after the other. */
export async function* zipOf(files: AsyncIterable<ZipFile> | Iterable<ZipFile>): AsyncGenerator<Uint8Array, void> {
  const written: Written[] = [];
  let offset = 0;
  for await (const { name: text, content } of files) {
    const name = Buffer.from(text, "ascii");
    const header = localHeader(name);
    yield header;
    let crc = 0;
    let size = 0;
    let packed = 0;
    const counted = async function* () {
      for await (const bytes of content) {
        crc = crc32(bytes, crc);
        size += bytes.length;
        yield bytes;
      }
    };
    for await (const bytes of deflate(counted())) {
      packed += bytes.length;
      yield bytes;
    }
    const descriptor = dataDescriptor({ crc, packed, size });
    yield descriptor;
    written.push({ name, offset, crc, packed, size });
    offset += header.length + packed + descriptor.length;
  }
  yield* directory(written, offset);
}

/** Deflates in step with the reader: what is not read yet is not made. */
async function* deflate(content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  const stream = createDeflateRaw();
  const feed = async () => {
    try {
      for await (const bytes of content) if (!stream.write(bytes)) await once(stream, "drain");
      stream.end();
    } catch (error) {
      stream.destroy(error instanceof Error ? error : new Error(String(error)));
    }
  };
  const fed = feed();
  for await (const bytes of stream) yield bytes;
  await fed;
}

function localHeader(name: Buffer): Buffer {
  const header = Buffer.alloc(30);
  header.writeUInt32LE(0x04034b50, 0);
  header.writeUInt16LE(version64, 4);
  header.writeUInt16LE(flags, 6);
  header.writeUInt16LE(deflated, 8);
  header.writeUInt16LE(day, 12);
  header.writeUInt32LE(full32, 18);
  header.writeUInt32LE(full32, 22);
  header.writeUInt16LE(name.length, 26);
  header.writeUInt16LE(20, 28);
  // That the sizes are unknown yet is said by the flags; the extra field says that they have 64 bits.
  return Buffer.concat([header, name, extra64([0, 0])]);
}

function dataDescriptor({ crc, packed, size }: Pick<Written, "crc" | "packed" | "size">): Buffer {
  const bytes = Buffer.alloc(24);
  bytes.writeUInt32LE(0x08074b50, 0);
  bytes.writeUInt32LE(crc, 4);
  bytes.writeBigUInt64LE(BigInt(packed), 8);
  bytes.writeBigUInt64LE(BigInt(size), 16);
  return bytes;
}

function* directory(files: readonly Written[], start: number): Generator<Uint8Array> {
  let size = 0;
  for (const file of files) {
    const entry = directoryEntry(file);
    size += entry.length;
    yield entry;
  }
  const end64 = Buffer.alloc(56);
  end64.writeUInt32LE(0x06064b50, 0);
  end64.writeBigUInt64LE(44n, 4);
  end64.writeUInt16LE(version64, 12);
  end64.writeUInt16LE(version64, 14);
  end64.writeBigUInt64LE(BigInt(files.length), 24);
  end64.writeBigUInt64LE(BigInt(files.length), 32);
  end64.writeBigUInt64LE(BigInt(size), 40);
  end64.writeBigUInt64LE(BigInt(start), 48);
  yield end64;
  const locator = Buffer.alloc(20);
  locator.writeUInt32LE(0x07064b50, 0);
  locator.writeBigUInt64LE(BigInt(start + size), 8);
  locator.writeUInt32LE(1, 16);
  yield locator;
  const end = Buffer.alloc(22, 0xff);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt32LE(0, 4);
  end.writeUInt16LE(files.length, 8);
  end.writeUInt16LE(files.length, 10);
  end.writeUInt16LE(0, 20);
  yield end;
}

function directoryEntry({ name, offset, crc, packed, size }: Written): Buffer {
  const entry = Buffer.alloc(46);
  entry.writeUInt32LE(0x02014b50, 0);
  entry.writeUInt16LE(version64, 4);
  entry.writeUInt16LE(version64, 6);
  entry.writeUInt16LE(flags, 8);
  entry.writeUInt16LE(deflated, 10);
  entry.writeUInt16LE(day, 14);
  entry.writeUInt32LE(crc, 16);
  entry.writeUInt32LE(full32, 20);
  entry.writeUInt32LE(full32, 24);
  entry.writeUInt16LE(name.length, 28);
  entry.writeUInt16LE(28, 30);
  entry.writeUInt32LE(full32, 42);
  return Buffer.concat([entry, name, extra64([size, packed, offset])]);
}

/** The extra field with numbers of 64 bits. */
function extra64(numbers: readonly number[]): Buffer {
  const field = Buffer.alloc(4 + 8 * numbers.length);
  field.writeUInt16LE(1, 0);
  field.writeUInt16LE(8 * numbers.length, 2);
  for (const [i, number] of numbers.entries()) field.writeBigUInt64LE(BigInt(number), 4 + 8 * i);
  return field;
}
