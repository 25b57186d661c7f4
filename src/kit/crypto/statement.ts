// Signed statements: JWS in General JSON Serialization (RFC 7515 section 7.2.1), EdDSA only (RFC 8037), over canonical
// bytes (RFC 8785). The protected header has exactly alg, kid and typ; typ is fixed for each kind of statement, so that
// a manifest can never be passed off as an activation. There is no way to accept an unsigned statement.

import { type KeyObject, sign as signBytes } from "node:crypto";
import type { JsonValue } from "@bufbuild/protobuf";
import { flattenedVerify } from "jose";
import { canonicalBytes, digestOf } from "./canonical.ts";
import type { SigningKey, TrustedKeys } from "./signing-key.ts";

/** What a statement is about. */
export type StatementKind = "manifest" | "activation" | "keys" | "epoch";

/** The `typ` of each kind: its media type without "application/" (RFC 7515 section 4.1.9). */
const statementTypes: Readonly<Record<StatementKind, string>> = {
  manifest: "policy-guard-manifest+jws",
  activation: "policy-guard-activation+jws",
  keys: "policy-guard-keys+jws",
  epoch: "policy-guard-epoch+jws",
};

/** A statement as it travels. The message policyguard.bundle.v1.Statement fits it. */
export interface SignedStatement {
  readonly payload: string;
  readonly signatures: readonly { readonly protected: string; readonly signature: string }[];
}

/** What a verified statement says, and who says so. */
export interface VerifiedStatement {
  readonly payload: JsonValue;
  /** Digest of the payload's bytes. */
  readonly digest: string;
  /** The trusted keys that signed it. */
  readonly kids: readonly string[];
}

/** Why a statement is refused. */
export type StatementProblem =
  | "malformed"
  | "unsigned"
  | "too_many_signatures"
  | "wrong_algorithm"
  | "wrong_type"
  | "missing_kid"
  | "duplicate_kid"
  | "unknown_kid"
  | "revoked_kid"
  | "bad_signature"
  | "not_canonical";

/** A statement that is refused. */
export class StatementError extends Error {
  override readonly name = "StatementError";
  readonly problem: StatementProblem;

  constructor(problem: StatementProblem, message: string) {
    super(message);
    this.problem = problem;
  }
}

const maxSignatures = 8;

/** A key that is held elsewhere, of which only the id is known here. */
export interface RemoteKey {
  readonly kid: string;
  /** The Ed25519 signature over the bytes. */
  readonly sign: (bytes: Uint8Array) => Promise<Uint8Array>;
}

/** The key's signature over the bytes. */
export async function signedBy(key: SigningKey | RemoteKey, bytes: Uint8Array): Promise<Uint8Array> {
  return "sign" in key ? key.sign(bytes) : signBytes(null, bytes, key.privateKey);
}

/** Signs a payload with each of the keys. */
export async function signStatement(
  kind: StatementKind,
  value: JsonValue,
  keys: readonly (SigningKey | RemoteKey)[],
): Promise<SignedStatement> {
  if (keys.length === 0) throw new Error("a statement needs at least one signature");
  const payload = Buffer.from(canonicalBytes(value)).toString("base64url");
  const signatures = keys.map(async (key) => {
    const header = JSON.stringify({ alg: "EdDSA", kid: key.kid, typ: statementTypes[kind] });
    const encoded = Buffer.from(header).toString("base64url");
    // RFC 7515 section 5.1, step 8.
    const input = Buffer.from(`${encoded}.${payload}`, "ascii");
    const signature = await signedBy(key, input);
    return { protected: encoded, signature: Buffer.from(signature).toString("base64url") };
  });
  return { payload, signatures: await Promise.all(signatures) };
}

/**
 * Verifies a statement of this kind. At least one trusted key must have signed it, and each signature by a trusted key
 * must be right. Signatures by other keys are ignored, so that a key can be rotated while some verifiers do not
 * know the new one yet. `revoked` only makes the reason precise: what is revoked must not be in `trust`. Throws a
 * StatementError.
 */
export async function verifyStatement(
  kind: StatementKind,
  statement: SignedStatement,
  trust: TrustedKeys,
  revoked: ReadonlySet<string> = new Set(),
): Promise<VerifiedStatement> {
  const kids = readKids(kind, statement);
  const trusted = kids.flatMap((kid, index) => {
    const key = trust.get(kid);
    return key === undefined ? [] : [{ kid, key, index }];
  });
  if (trusted.length === 0 && kids.some((kid) => revoked.has(kid))) {
    throw new StatementError("revoked_kid", `only keys that are revoked signed the ${kind}`);
  }
  if (trusted.length === 0) throw new StatementError("unknown_kid", `no trusted key signed the ${kind}`);
  for (const { kid, key, index } of trusted) await verifySignature(kind, statement, index, kid, key);
  const bytes = Buffer.from(statement.payload, "base64url");
  return { payload: readCanonical(kind, bytes), digest: digestOf(bytes), kids: trusted.map(({ kid }) => kid) };
}

/** Digest of a statement's payload. Activations refer to a manifest by it. */
export function statementDigest(statement: SignedStatement): string {
  return digestOf(Buffer.from(statement.payload, "base64url"));
}

/** The ids of the keys that signed one of our own statements. */
export function statementKids({ signatures }: SignedStatement): string[] {
  return signatures.map((each) => JSON.parse(Buffer.from(each.protected, "base64url").toString("utf8")).kid);
}

/** The statement in a form that fits into a header: base64url of its JSON. */
export function encodeStatement({ payload, signatures }: SignedStatement): string {
  const plain = signatures.map(({ protected: header, signature }) => ({ protected: header, signature }));
  return Buffer.from(JSON.stringify({ payload, signatures: plain })).toString("base64url");
}

/** Reads what encodeStatement wrote. Throws a StatementError; the statement is not verified yet. */
export function decodeStatement(text: string): SignedStatement {
  const value = parseJson(Buffer.from(text, "base64url").toString("utf8"));
  if (!isRecord(value) || typeof value.payload !== "string" || !Array.isArray(value.signatures)) {
    throw new StatementError("malformed", "the statement is not a JWS in General JSON Serialization");
  }
  const signatures = value.signatures.map((entry: unknown) => {
    if (!isRecord(entry) || typeof entry.protected !== "string" || typeof entry.signature !== "string") {
      throw new StatementError("malformed", "a signature of the statement has no protected header");
    }
    return { protected: entry.protected, signature: entry.signature };
  });
  return { payload: value.payload, signatures };
}

function readKids(kind: StatementKind, { signatures }: SignedStatement): string[] {
  if (signatures.length === 0) throw new StatementError("unsigned", `the ${kind} has no signature`);
  if (signatures.length > maxSignatures) {
    throw new StatementError("too_many_signatures", `the ${kind} has more than ${maxSignatures} signatures`);
  }
  const kids = signatures.map((signature) => readHeader(kind, signature.protected));
  if (new Set(kids).size < kids.length) {
    throw new StatementError("duplicate_kid", `two signatures of the ${kind} name the same key`);
  }
  return kids;
}

function readHeader(kind: StatementKind, encoded: string): string {
  const header = parseJson(Buffer.from(encoded, "base64url").toString("utf8"));
  if (!isRecord(header)) throw new StatementError("malformed", `a protected header of the ${kind} is not an object`);
  const { alg, typ, kid, ...rest } = header;
  if (alg !== "EdDSA")
    throw new StatementError("wrong_algorithm", `the ${kind} is signed with another algorithm than EdDSA`);
  if (typ !== statementTypes[kind]) throw new StatementError("wrong_type", `the statement is not a ${kind}`);
  if (typeof kid !== "string" || kid === "")
    throw new StatementError("missing_kid", `a signature of the ${kind} names no key`);
  if (Object.keys(rest).length > 0) {
    throw new StatementError("malformed", `a protected header of the ${kind} has members besides alg, kid and typ`);
  }
  return kid;
}

async function verifySignature(
  kind: StatementKind,
  { payload, signatures }: SignedStatement,
  index: number,
  kid: string,
  key: KeyObject,
): Promise<void> {
  const signature = signatures[index];
  try {
    // Only these two members: whatever else an envelope carries is not signed and must not count.
    await flattenedVerify({ payload, protected: signature?.protected, signature: signature?.signature ?? "" }, key, {
      algorithms: ["EdDSA"],
    });
  } catch {
    throw new StatementError("bad_signature", `the signature of key ${kid} does not fit the ${kind}`);
  }
}

// Re-encoding settles duplicate keys, number forms and base64 oddities at once: two parsers can never read the signed
// bytes differently.
function readCanonical(kind: StatementKind, bytes: Buffer): JsonValue {
  const payload = parseJson(bytes.toString("utf8"));
  if (payload === undefined || !bytes.equals(canonicalBytes(payload))) {
    throw new StatementError("not_canonical", `the payload of the ${kind} is not canonical JSON`);
  }
  return payload;
}

function parseJson(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
