// The text of a trace before it is sealed: form (1) | the EvaluationRecord's bytes with `segments` only. Form 0 is
// plain, form 1 is deflated (RFC 1951).

import { deflateRawSync, inflateRawSync } from "node:zlib";
import { fromBinary } from "@bufbuild/protobuf";
import { EvaluationRecordSchema, type RecordedSegment } from "../../../gen/policyguard/policy/v1/record_pb.ts";

/** Text of fewer bytes is stored as it is: deflating would cost more time than it saves room. */
const minDeflatedBytes = 512;

/** No record is larger, so no text is. */
const maxTextBytes = 8 << 20;

/** Packs the bytes of a text. Shorter texts than `minBytes` are left as they are. */
export function packText(text: Uint8Array, minBytes = minDeflatedBytes): Buffer {
  if (text.length < minBytes) return plainText(text);
  // With a window of 32 KiB, the room that zlib clears for a text of one takes longer than deflating it.
  const windowBits = Math.min(Math.max(32 - Math.clz32(text.length - 1), 11), 15);
  // The output of most is smaller than the input: by itself zlib would take 16 KiB for each.
  const chunkSize = Math.min(Math.max(text.length, 1_024), 16_384);
  const options = { level: 1, windowBits, memLevel: windowBits - 7, chunkSize };
  return Buffer.concat([Uint8Array.of(1), deflateRawSync(text, options)]);
}

/** A text as it is, in the form of packed ones. */
export function plainText(text: Uint8Array): Buffer {
  return Buffer.concat([Uint8Array.of(0), text]);
}

/** The bytes of a packed text. */
export function unpackText(bytes: Uint8Array): Uint8Array {
  const rest = bytes.subarray(1);
  return bytes[0] === 0 ? rest : inflateRawSync(rest, { maxOutputLength: maxTextBytes });
}

/** The segments of a text. */
export function segmentsOf(text: Uint8Array): RecordedSegment[] {
  return fromBinary(EvaluationRecordSchema, text).segments;
}
