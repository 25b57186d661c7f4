// The leaves of the evidence log. An entry is a leaf of a Merkle tree by RFC 9162, section 2.1.1:
// `leaf hash = SHA-256(0x00 ‖ leaf)`. A leaf of form 2 is canonical JSON (RFC 8785) below 1 KiB:
//
//   v            2
//   seq, org_id, created_at, action, resource, credential, request_id     in the open; ids only, no person and no value
//   actor, address, before, after                                         commitments
//
// A commitment is "sha256:" and the hexadecimal digits of
//
//   SHA-256( "policy-guard-evidence" ‖ field ‖ salt ‖ value )
//
//   field   the name of the member, in ASCII: none of the four is a prefix of another, and the salt has a fixed length,
//           so that no two inputs are the same bytes
//   salt    16 random bytes, of this commitment alone
//   value   canonical JSON of the value in UTF-8: for actor and address a string; for before and after an object, or
//           null where there was or is nothing, or a string where only the digest of the object was kept (see
//           `openable`)
//
// Salt and value together are the opening. They are kept beside the leaf and may be erased: every hash and every proof
// stays as it is, and without its salt a commitment tells nothing, not even to somebody who guesses the value.
//
// Test vector: field "actor", salt 000102030405060708090a0b0c0d0e0f, value "ada@example.com" (with its quotes) gives
// sha256:05591adc21c4510e232661b81fd4cf93f41bb49c0ee65d4d3db3069c56807304.

import { hash, randomBytes } from "node:crypto";
import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { canonicalBytes, canonicalText, digestOf } from "../crypto/canonical.ts";

const domain = "policy-guard-evidence";
const saltBytes = 16;

/** Members of a leaf that are commitments. */
export const committedFields = ["actor", "address", "before", "after"] as const;

/** What short values are hashed in, one after the other. */
const scratch = Buffer.allocUnsafe(4_096);

const starts: Readonly<Record<CommittedField, Buffer>> = {
  actor: Buffer.from(`${domain}actor`),
  address: Buffer.from(`${domain}address`),
  before: Buffer.from(`${domain}before`),
  after: Buffer.from(`${domain}after`),
};

/** Name of a member that is a commitment. */
export type CommittedField = (typeof committedFields)[number];

/** The salt and the value that open a commitment. */
export interface Opening {
  readonly salt: Uint8Array;
  /** Canonical JSON. */
  readonly value: string;
}

/** Openings of a leaf. */
export type Openings = Readonly<Record<CommittedField, Opening>>;

/** Members of a leaf that are in the open. */
export interface LeafFacts {
  readonly seq: number;
  readonly orgId: string;
  readonly createdAt: Date;
  readonly action: string;
  /** Ids only. */
  readonly resource: string;
  /** Id of the credential. */
  readonly credential: string;
  readonly requestId: string;
}

/** Maximum size of a value that is kept in full, in bytes of canonical JSON. */
export const maxOpeningBytes = 64 * 1024;

/** A commitment's opening, with a new salt. */
export function newOpening(value: JsonValue): Opening {
  return { salt: randomBytes(saltBytes), value: canonicalText(value) };
}

/** What is kept of a resource: itself, or its digest ("sha256:…") where it is longer than `maxOpeningBytes`. */
export function openable(value: JsonObject | null): JsonValue {
  if (value === null) return null;
  const bytes = canonicalBytes(value);
  return bytes.length > maxOpeningBytes ? digestOf(bytes) : value;
}

/** The leaf of form 2. */
export function leafText(facts: LeafFacts, openings: Openings): string {
  const commitments = committedFields.map((field) => [field, commitmentOf(field, openings[field])]);
  return canonicalText({
    v: 2,
    seq: facts.seq,
    org_id: facts.orgId,
    created_at: facts.createdAt.toISOString(),
    action: facts.action,
    resource: facts.resource,
    credential: facts.credential,
    request_id: facts.requestId,
    ...Object.fromEntries(commitments),
  });
}

/** The hash of a leaf (RFC 9162 section 2.1.1). */
export function leafHash(leaf: string): Buffer {
  return hash("sha256", `\0${leaf}`, "buffer");
}

/** The same in hexadecimal digits, which takes two thirds of the time. */
export function leafHashText(leaf: string): string {
  return hash("sha256", `\0${leaf}`, "hex");
}

/** What an opening commits to. */
export function commitmentOf(field: CommittedField, { salt, value }: Opening): string {
  if (salt.length !== saltBytes) throw new RangeError(`a salt has ${saltBytes} bytes`);
  const start = starts[field];
  const before = start.length + saltBytes;
  // A character has three bytes at most.
  const bytes = before + 3 * value.length <= scratch.length ? scratch : Buffer.allocUnsafe(before + 3 * value.length);
  bytes.set(start);
  bytes.set(salt, start.length);
  const end = before + bytes.write(value, before);
  return `sha256:${hash("sha256", bytes.subarray(0, end))}`;
}

/**
 * The members of a leaf that these openings do not open. A missing opening was erased, so nothing about it can be
 * wrong.
 */
export function wrongOpenings(leaf: string, openings: Partial<Openings>): CommittedField[] {
  const commitments: Readonly<Record<string, unknown>> = JSON.parse(leaf);
  return committedFields.filter((field) => {
    const opening = openings[field];
    return opening !== undefined && commitments[field] !== commitmentOf(field, opening);
  });
}
