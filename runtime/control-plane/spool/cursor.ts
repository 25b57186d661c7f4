// The acknowledged sequence number, on disk. It may lag: then records are sent twice, and stored once. It must never
// lead, and it must be on disk before the segments before it are removed: otherwise their absence would look like a
// loss.

import { crc32 } from "node:zlib";
import type { SpoolDisk } from "./disk.ts";

const cursorFile = "cursor";
const cursorBytes = 12;

/** The acknowledged sequence number on disk: 0 when none was ever saved; undefined when it is damaged. */
export async function loadCursor(disk: SpoolDisk): Promise<number | undefined> {
  const content = await disk.load(cursorFile);
  if (content === undefined) return 0;
  if (content.byteLength !== cursorBytes) return undefined;
  const bytes = Buffer.from(content);
  if (crc32(bytes.subarray(4)) !== bytes.readUInt32LE(0)) return undefined;
  return Number(bytes.readBigUInt64LE(4));
}

/** Puts the acknowledged sequence number on disk. */
export function saveCursor(disk: SpoolDisk, ackedSeq: number): Promise<void> {
  const bytes = Buffer.alloc(cursorBytes);
  bytes.writeBigUInt64LE(BigInt(ackedSeq), 4);
  bytes.writeUInt32LE(crc32(bytes.subarray(4)), 0);
  return disk.replace(cursorFile, bytes);
}
