// What the reader of ZIPs takes, and the tricks by which a ZIP has other files for other tools.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { crc32, deflateRawSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { dataDescriptor, directory, localHeader, type ZipEntry } from "../../../../src/kit/archive/zip-form.ts";
import { readDirectory, unzipped, ZipError } from "../../../../src/kit/archive/zip-reader.ts";
import { zipOf } from "../../../../src/kit/archive/zip-writer.ts";

let folder: string;
let at: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "zip-reader-"));
  at = join(folder, "read.zip");
});

afterAll(() => rmSync(folder, { recursive: true }));

type Files = Readonly<Record<string, Buffer>>;

async function zipped(files: Files): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const part of zipOf(Object.entries(files).map(([name, content]) => ({ name, content: [content] }))))
    parts.push(part);
  return Buffer.concat(parts);
}

async function read(zip: Uint8Array): Promise<Files> {
  writeFileSync(at, zip);
  const file = await open(at);
  try {
    const files: Record<string, Buffer> = {};
    for (const entry of await readDirectory(file)) {
      const parts: Buffer[] = [];
      for await (const part of unzipped(file, entry)) parts.push(part);
      files[entry.name] = Buffer.concat(parts);
    }
    return files;
  } finally {
    await file.close();
  }
}

/** A ZIP of one file whose directory fits, and in which `after` stands behind the packed content. */
function withAfter(content: Buffer, after: Buffer, { header = localHeader("a.csv"), level = 6 } = {}): Buffer {
  const bytes = Buffer.concat([deflateRawSync(content, { level }), after]);
  const entry: ZipEntry = {
    ...{ name: "a.csv", offset: 0, packed: bytes.length },
    ...{ size: content.length, crc: crc32(content) },
  };
  const start = header.length + bytes.length + 24;
  return Buffer.concat([header, bytes, dataDescriptor(entry), ...directory([entry], start)]);
}

const refused = (zip: Uint8Array, message: string | RegExp) =>
  expect(read(zip)).rejects.toThrow(
    expect.objectContaining({ name: ZipError.name, message: expect.stringMatching(message) }),
  );

/** What does not get shorter when it is packed: its last byte tells it from its neighbours. */
const noise = (bytes: number) => Buffer.from(Array.from({ length: bytes }, (_, i) => (i * i * 7919) >>> 5));

describe("a ZIP of the writer", () => {
  it("is read as it was written", async () => {
    const files = { "a.csv": Buffer.from("a,b\r\n"), "b/empty.txt": Buffer.alloc(0), "long.txt": noise(1_000_000) };
    expect(await read(await zipped(files))).toEqual(files);
    expect(await read(await zipped({}))).toEqual({});
    expect(await read(withAfter(noise(100_000), Buffer.alloc(0)))).toEqual({ "a.csv": noise(100_000) });
  });

  it("is refused when any of its bytes is another, or the last are missing", async () => {
    const zip = await zipped({ "a.csv": Buffer.from("one,two\r\n"), "b.txt": Buffer.from("three") });
    for (let i = 0; i < zip.length; i++) {
      const changed = Buffer.from(zip);
      changed.writeUInt8(zip.readUInt8(i) ^ 0xff, i);
      await expect(read(changed), `byte ${i}`).rejects.toThrow(ZipError);
      await expect(read(zip.subarray(0, i)), `cut at ${i}`).rejects.toThrow(ZipError);
    }
  });
});

describe("a ZIP that has another file for other tools", () => {
  const genuine = Buffer.from("ada,policy.update\r\n");
  const forged = deflateRawSync(Buffer.from("eve,policy.update\r\n"));

  it("is refused when the header of a file leads to packed bytes behind the genuine ones", async () => {
    const header = localHeader("a.csv");
    header.writeUInt16LE(20 + deflateRawSync(genuine).length, 28);
    await refused(withAfter(genuine, forged, { header }), "a.csv: the file has another form");
  });

  it("is refused when bytes follow the end of what inflates, wherever pieces of the file end", async () => {
    await refused(withAfter(genuine, forged), "a.csv: bytes follow");
    await refused(withAfter(genuine, Buffer.alloc(1)), "a.csv: bytes follow");
    await refused(withAfter(genuine, noise(200_000)), "a.csv: bytes follow");
    // Stored instead of packed, these bytes fill a whole piece: the reader gets what follows them by itself.
    const whole = withAfter(noise(65_531), Buffer.alloc(1), { level: 0 });
    await refused(whole, "a.csv: bytes follow");
  });

  it("is refused when the fields of 32 bits lead to another directory", async () => {
    const zip = await zipped({ "a.csv": genuine });
    const end = zip.length - 22;
    for (const [field, value] of [
      [8, 2],
      [10, 2],
      [12, 12_345],
      [16, 777],
    ] as const) {
      const changed = Buffer.from(zip);
      changed.writeUInt16LE(value, end + field);
      await refused(changed, "the directory of the ZIP has another form");
    }
  });

  it("is refused when a size is longer than numbers can say", async () => {
    const zip = withAfter(genuine, Buffer.alloc(0));
    const extra = zip.length - 98 - 28;
    for (const field of [4, 12, 20]) {
      for (const value of [2n ** 64n - 1n, 2n ** 53n - 1n]) {
        const changed = Buffer.from(zip);
        changed.writeBigUInt64LE(value, extra + field);
        await expect(read(changed)).rejects.toThrow(ZipError);
      }
    }
  });

  it("is refused when bytes stand between its files and its directory", async () => {
    const content = deflateRawSync(genuine);
    const entry = { name: "a.csv", offset: 0, packed: content.length, size: genuine.length, crc: crc32(genuine) };
    const files = Buffer.concat([localHeader("a.csv"), content, dataDescriptor(entry), forged]);
    await refused(Buffer.concat([files, ...directory([entry], files.length)]), "more than its directory says");
    await refused(
      Buffer.concat([forged, files, ...directory([{ ...entry, offset: forged.length }], forged.length + files.length)]),
      "is not where it should be",
    );
  });
});
