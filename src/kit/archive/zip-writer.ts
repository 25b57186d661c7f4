// Writes a ZIP as a stream (APPNOTE 6.3.10), file after file, without knowing how long a file will be: sizes follow
// each file in a data descriptor, in 64 bits. Every file has the same time and the same attributes, so that the same
// files give the same bytes.

import { once } from "node:events";
import { crc32, createDeflateRaw } from "node:zlib";
import { dataDescriptor, directory, localHeader, type ZipEntry } from "./zip-form.ts";

/** A file of a ZIP. */
export interface ZipFile {
  /** In ASCII, with "/" between folders. */
  readonly name: string;
  readonly content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
}

/** The bytes of a ZIP with these files, which are read one after the other. */
export async function* zipOf(files: AsyncIterable<ZipFile> | Iterable<ZipFile>): AsyncGenerator<Uint8Array, void> {
  const written: ZipEntry[] = [];
  let offset = 0;
  for await (const { name, content } of files) {
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
