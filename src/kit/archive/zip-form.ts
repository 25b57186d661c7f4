// The records of a ZIP of an export (APPNOTE 6.3.10): sizes have 64 bits and follow each file in a data descriptor, and
// every file has the same time and the same attributes. Who reads a ZIP makes them again and compares, so that no
// record can say one thing here and another to other tools.

/** A file in a ZIP. */
export interface ZipEntry {
  /** In ASCII, with "/" between folders. */
  readonly name: string;
  readonly offset: number;
  readonly packed: number;
  readonly size: number;
  readonly crc: number;
}

const version64 = 45;
/** Sizes follow the file; names are UTF-8. */
const flags = 0x0808;
const deflated = 8;
/** The first of January 1980, the earliest day that a ZIP can name. */
const day = 0x0021;
const full32 = 0xffff_ffff;

/** What stands before the packed bytes of a file. */
export function localHeader(name: string): Buffer {
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
  return Buffer.concat([header, Buffer.from(name, "ascii"), extra64([0, 0])]);
}

/** What stands after the packed bytes of a file. */
export function dataDescriptor({ crc, packed, size }: Pick<ZipEntry, "crc" | "packed" | "size">): Buffer {
  const bytes = Buffer.alloc(24);
  bytes.writeUInt32LE(0x08074b50, 0);
  bytes.writeUInt32LE(crc, 4);
  bytes.writeBigUInt64LE(BigInt(packed), 8);
  bytes.writeBigUInt64LE(BigInt(size), 16);
  return bytes;
}

/** What stands after all files: the directory, and the records that say where it is. */
export function* directory(files: readonly ZipEntry[], start: number): Generator<Uint8Array> {
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

function directoryEntry({ name, offset, crc, packed, size }: ZipEntry): Buffer {
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
  return Buffer.concat([entry, Buffer.from(name, "ascii"), extra64([size, packed, offset])]);
}

/** The extra field with numbers of 64 bits. */
function extra64(numbers: readonly number[]): Buffer {
  const field = Buffer.alloc(4 + 8 * numbers.length);
  field.writeUInt16LE(1, 0);
  field.writeUInt16LE(8 * numbers.length, 2);
  for (const [i, number] of numbers.entries()) field.writeBigUInt64LE(BigInt(number), 4 + 8 * i);
  return field;
}
