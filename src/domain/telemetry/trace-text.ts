// Captured text at rest, and the digests by which repeated records are compared: a digest says nothing to somebody who
// guesses a text. Sealed is an EvaluationRecord with its `segments` only.

import { createSecretKey, hkdfSync } from "node:crypto";
import {
  type EvaluationRecord,
  EvaluationRecordSchema,
  type RecordedSegment,
} from "../../../gen/policyguard/policy/v1/record_pb.ts";
import { binaryWriter } from "../../kit/protobuf/binary-write.ts";
import { createHmacSha256, type Hmac } from "../../platform/hmac.ts";
import type { Sealer } from "../../platform/seal.ts";
import type { Transaction } from "../../store/core/transaction.ts";
import { segmentsOf, unpackText } from "../analysis/packed-text.ts";
import { type TextSeal, TextSeals } from "../sealed-text.ts";

const keyBytes = 32;

/** Writes a record in its Protobuf form. */
export const writeRecord: (record: EvaluationRecord) => Uint8Array = binaryWriter(EvaluationRecordSchema);

const writeWithoutText = binaryWriter(EvaluationRecordSchema, {
  instead: { segments: (segments) => segments.map((segment) => ({ ...segment, text: "" })) },
});
const writeSegments = binaryWriter(EvaluationRecordSchema, { only: ["segments"] });

/** A record in the two parts in which it is stored. */
export interface SplitRecord {
  /** The record with the text of its segments left out. */
  readonly record: Uint8Array;
  /** The segments with their text; null when there is none. */
  readonly text: Uint8Array | null;
}

/** Separates a record from its text. */
export function splitRecord(reported: EvaluationRecord): SplitRecord {
  if (!reported.segments.some(({ text }) => text !== "")) return { record: writeRecord(reported), text: null };
  return { record: writeWithoutText(reported), text: writeSegments(reported) };
}

/** What one organization's key does. */
export interface TraceSeal {
  /** A keyed digest of a whole record. */
  readonly payloadHash: (record: SplitRecord) => Buffer;
  readonly sealText: (traceId: string, text: Uint8Array) => Uint8Array;
  readonly openText: (traceId: string, sealed: Uint8Array) => RecordedSegment[];
  /** The text as it was packed: whoever only passes it on need not unpack it. */
  readonly openPacked: (traceId: string, sealed: Uint8Array) => Uint8Array;
}

/** Opens the keys of organizations. */
export class TraceSeals {
  readonly #seals: TextSeals;
  readonly #known = new WeakMap<TextSeal, TraceSeal>();

  constructor(sealer: Sealer) {
    this.#seals = new TextSeals(sealer, { secretName: "trace_text_key", purpose: "trace.text" });
  }

  /** The organization's key, which is made when there is none. When two make it at the same time, both get one. */
  async forWriting(tx: Transaction): Promise<TraceSeal> {
    return this.#of(await this.#seals.forWriting(tx));
  }

  /** The organization's key; undefined as long as nothing was sealed. */
  async forReading(tx: Transaction): Promise<TraceSeal | undefined> {
    const seal = await this.#seals.forReading(tx);
    return seal && this.#of(seal);
  }

  #of(seal: TextSeal): TraceSeal {
    const known = this.#known.get(seal);
    if (known !== undefined) return known;
    const made = traceSeal(seal);
    this.#known.set(seal, made);
    return made;
  }
}

function traceSeal({ key, seal, openPacked }: TextSeal): TraceSeal {
  const hmac: Hmac = createHmacSha256(
    new Uint8Array(hkdfSync("sha256", createSecretKey(key), Buffer.alloc(0), "policy-guard payload hash", keyBytes)),
  );
  return {
    payloadHash: ({ record, text }) => hmac(text === null ? [record] : [record, text]),
    sealText: seal,
    openText: (traceId, sealed) => segmentsOf(unpackText(openPacked(traceId, sealed))),
    openPacked,
  };
}
