// Keys that sign statements: Ed25519 as JWK (RFC 8037), named by their thumbprint (RFC 7638), so that a key id cannot
// be claimed by another key.

import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from "node:crypto";
import { canonicalBytes } from "./canonical.ts";

/** The public half of a signing key, as published in a JWK set. */
export interface PublicJwk {
  readonly kty: "OKP";
  readonly crv: "Ed25519";
  readonly x: string;
  readonly kid: string;
  readonly alg: "EdDSA";
  readonly use: "sig";
}

/** The secret half; sealed wherever it is stored. */
export interface PrivateJwk extends PublicJwk {
  readonly d: string;
}

/** A key that can sign. */
export interface SigningKey {
  readonly kid: string;
  readonly privateKey: KeyObject;
  readonly publicJwk: PublicJwk;
}

/** The keys whose signatures are believed, by key id. Never empty. */
export type TrustedKeys = ReadonlyMap<string, KeyObject>;

/** A new signing key. */
export function newSigningKey(): SigningKey {
  return signingKeyOf(generateKeyPairSync("ed25519").privateKey);
}

/** The key as it is sealed and stored. */
export function exportSigningKey(key: SigningKey): PrivateJwk {
  const { d } = key.privateKey.export({ format: "jwk" });
  if (d === undefined) throw new Error("a private Ed25519 key has a member d");
  return { ...key.publicJwk, d };
}

/** The key that was stored. Throws when it is not an Ed25519 key or its kid is not its thumbprint. */
export function importSigningKey(jwk: PrivateJwk): SigningKey {
  const { kty, crv, x, d } = jwk;
  const key = signingKeyOf(createPrivateKey({ key: { kty, crv, x, d }, format: "jwk" }));
  if (key.kid !== jwk.kid) throw new Error("the key's kid is not its thumbprint");
  return key;
}

/** What a verifier needs to know of a public key; other members of a JWK do not matter. */
export type VerifyingJwk = Pick<PublicJwk, "x"> & { readonly kty: string; readonly crv: string; readonly kid: string };

/** The public key with this coordinate, as it is published. */
export function publicJwkOf(x: string): PublicJwk {
  return { kty: "OKP", crv: "Ed25519", x, kid: thumbprint(x), alg: "EdDSA", use: "sig" };
}

/** A trust root. Throws when there is no key at all, or one that is not Ed25519 or whose kid is not its thumbprint. */
export function trustKeys(keys: readonly VerifyingJwk[]): TrustedKeys {
  if (keys.length === 0) throw new Error("a trust root needs at least one key");
  return new Map(keys.map((jwk) => [jwk.kid, verifyingKey(jwk)]));
}

function verifyingKey({ kty, crv, x, kid }: VerifyingJwk): KeyObject {
  if (kty !== "OKP" || crv !== "Ed25519") throw new Error(`trusted key ${kid} is not an Ed25519 key`);
  if (thumbprint(x) !== kid) throw new Error(`the kid of trusted key ${kid} is not its thumbprint`);
  return createPublicKey({ key: { kty, crv, x }, format: "jwk" });
}

function signingKeyOf(privateKey: KeyObject): SigningKey {
  const { kty, crv, x } = createPublicKey(privateKey).export({ format: "jwk" });
  if (kty !== "OKP" || crv !== "Ed25519" || x === undefined) throw new Error("a signing key is an Ed25519 key");
  const kid = thumbprint(x);
  return { kid, privateKey, publicJwk: { kty, crv, x, kid, alg: "EdDSA", use: "sig" } };
}

function thumbprint(x: string): string {
  return createHash("sha256")
    .update(canonicalBytes({ crv: "Ed25519", kty: "OKP", x }))
    .digest("base64url");
}
