// Captured text at rest, and the digests by which repeated records are compared. Each organization has a key of its own
// for both, sealed under the installation's master key; so text can be read only with the master key, and a digest says
// nothing to somebody who guesses a text.
//
//   sealed text = seal (platform/seal.ts) of the packed text (analysis/packed-text.ts)

import { createSecretKey, hkdfSync } from "node:crypto";
import { create } from "@bufbuild/protobuf";
import {
  type EvaluationRecord,
  EvaluationRecordSchema,
  type RecordedSegment,
} from "../../../gen/policyguard/policy/v1/record_pb.ts";
import { BoundedCache } from "../../kit/process/bounded-cache.ts";
import { binaryWriter } from "../../kit/protobuf/binary-write.ts";
import { createHmacSha256, type Hmac } from "../../platform/hmac.ts";
import { createSealer, type SealBinding, type Sealer } from "../../platform/seal.ts";
import type { Transaction } from "../../store/core/transaction.ts";
import { readSecret } from "../../store/tenancy/organization-secret.ts";
import { packText, segmentsOf, unpackText } from "../analysis/packed-text.ts";
import { organizationKey, organizationSecretBinding } from "../organization-key.ts";

const secretName = "trace_text_key";
const keyBytes = 32;
const keyId = "1";

/** Keys that are kept open. */
const maxOpenKeys = 1_000;

/** Writes a record in its Protobuf form. */
export const writeRecord: (record: EvaluationRecord) => Uint8Array = binaryWriter(EvaluationRecordSchema);

// To create a record for each text would cost more than to write it.
const emptyRecord = create(EvaluationRecordSchema);

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
  const segments = reported.segments.map((segment) => ({ ...segment, text: "" }));
  return {
    record: writeRecord({ ...reported, segments }),
    text: writeRecord({ ...emptyRecord, segments: reported.segments }),
  };
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
  readonly #sealer: Sealer;
  readonly #open = new BoundedCache<string, TraceSeal>({ maxEntries: maxOpenKeys });

  constructor(sealer: Sealer) {
    this.#sealer = sealer;
  }

  /** The organization's key, which is made when there is none. When two make it at the same time, both get one. */
  async forWriting(tx: Transaction): Promise<TraceSeal> {
    const known = await this.forReading(tx);
    // One that is made here is not kept: the transaction may be rolled back, and with it the key.
    return known ?? traceSeal(tx.orgId, await organizationKey(tx, this.#sealer, secretName));
  }

  /** The organization's key; undefined as long as nothing was sealed. */
  async forReading(tx: Transaction): Promise<TraceSeal | undefined> {
    const known = this.#open.get(tx.orgId);
    if (known !== undefined) return known;
    const sealed = await readSecret(tx, secretName);
    if (sealed === undefined) return undefined;
    const key = this.#sealer.open(sealed, organizationSecretBinding(tx.orgId, secretName));
    const seal = traceSeal(tx.orgId, key);
    this.#open.set(tx.orgId, seal);
    return seal;
  }
}

function traceSeal(orgId: string, key: Uint8Array): TraceSeal {
  const sealer = createSealer({ masterKeys: [{ id: keyId, key }] });
  const hmac: Hmac = createHmacSha256(
    new Uint8Array(hkdfSync("sha256", createSecretKey(key), Buffer.alloc(0), "policy-guard payload hash", keyBytes)),
  );
  const binding = (traceId: string): SealBinding => ({ purpose: "trace.text", orgId, rowId: traceId });
  const openPacked = (traceId: string, sealed: Uint8Array) => sealer.open(sealed, binding(traceId));
  return {
    payloadHash: ({ record, text }) => hmac(text === null ? [record] : [record, text]),
    sealText: (traceId, text) => sealer.seal(packText(text), binding(traceId)),
    openText: (traceId, sealed) => segmentsOf(unpackText(openPacked(traceId, sealed))),
    openPacked,
  };
}
