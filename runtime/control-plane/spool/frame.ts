// One record on disk:
//
//   length of the record (u32) | checksum (u32) | sequence number (u64) | record        all little-endian
//
// The checksum is CRC-32 (ISO-HDLC, as in gzip) over length, sequence number and record: it is to find torn and rotten
// bytes, not forgeries, and Node computes it natively. CRC-32C would find the same faults and be computed in
// JavaScript.

import { crc32 } from "node:zlib";

/** Bytes before the record. */
export const frameHeaderBytes = 16;

/** A frame that was read. */
export interface Frame {
  readonly seq: number;
  readonly record: Uint8Array;
  /** Where the next frame begins. */
  readonly end: number;
}

/** Writes the frame of a record at an offset of a buffer. It takes frameHeaderBytes and the length of the record. */
export function encodeFrameAt(bytes: Buffer, at: number, seq: number, record: Uint8Array): void {
  const end = at + frameHeaderBytes + record.byteLength;
  bytes.writeUInt32LE(record.byteLength, at);
  bytes.writeUInt32LE(seq % 2 ** 32, at + 8);
  bytes.writeUInt32LE(Math.floor(seq / 2 ** 32), at + 12);
  bytes.set(record, at + frameHeaderBytes);
  bytes.writeUInt32LE(checksum(bytes, at, end), at + 4);
}

/** The frame at this offset; undefined when there is no whole frame with a sequence number in this range. */
export function readFrame(bytes: Buffer, at: number, fromSeq: number, toSeq: number): Frame | undefined {
  const end = frameEnd(bytes, at);
  if (end > bytes.length) return undefined;
  const seq = bytes.readUInt32LE(at + 8) + bytes.readUInt32LE(at + 12) * 2 ** 32;
  if (seq < fromSeq || seq > toSeq || checksum(bytes, at, end) !== bytes.readUInt32LE(at + 4)) return undefined;
  return { seq, record: bytes.subarray(at + frameHeaderBytes, end), end };
}

/** The end of the frame at this offset, by its header; infinite when the header is not complete. */
export function frameEnd(bytes: Buffer, at: number): number {
  if (at + frameHeaderBytes > bytes.length) return Number.POSITIVE_INFINITY;
  return at + frameHeaderBytes + bytes.readUInt32LE(at);
}

/**
 * The first whole frame after bytes that are not one. The end that the damaged frame states is tried first, since a
 * record might contain bytes that look like a frame; then every offset.
 */
export function findFrame(bytes: Buffer, at: number, fromSeq: number, toSeq: number): Frame | undefined {
  const next = readFrame(bytes, frameEnd(bytes, at), fromSeq, toSeq);
  if (next !== undefined) return next;
  for (let offset = at + 1; offset + frameHeaderBytes <= bytes.length; offset++) {
    const frame = readFrame(bytes, offset, fromSeq, toSeq);
    if (frame !== undefined) return frame;
  }
  return undefined;
}

function checksum(bytes: Buffer, at: number, end: number): number {
  return crc32(bytes.subarray(at + 8, end), crc32(bytes.subarray(at, at + 4)));
}
