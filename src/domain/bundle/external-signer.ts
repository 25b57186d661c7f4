// A signer outside of the product, such as a small service in front of an HSM or a cloud's key management: it makes
// keys and signs with them, and never gives their private halves away. Two calls, both POST with `Authorization: Bearer
// <secret>` and JSON:
//
//   {url}/keys  {"org_id": "<id>"}                                → {"x": "<base64url of the public Ed25519 key>"}
//   {url}/sign  {"kid": "<thumbprint>", "payload": "<base64url>"} → {"signature": "<base64url>"}
//
// Its signatures are verified with the public key before anything leaves the product, so a signer that fails cannot
// break bundles.

import { verify } from "node:crypto";
import { Reason } from "../../../gen/policyguard/common/v1/reason_pb.ts";
import {
  newSigningKey,
  type PublicJwk,
  publicJwkOf,
  type SigningKey,
  trustKeys,
} from "../../kit/crypto/signing-key.ts";
import { type RemoteKey, signedBy } from "../../kit/crypto/statement.ts";
import { Fault } from "../../kit/fault/fault.ts";
import type { Outbound } from "../../kit/net/outbound/client.ts";

/** Address of the signer, and the secret by which it knows the product. */
export interface SignerAddress {
  readonly url: string;
  readonly secret: string;
}

/** Makes keys, and signs with them. */
export interface ExternalSigner {
  /** A new key for the organization. */
  createKey(orgId: string): Promise<PublicJwk>;
  /** The key in the form in which statements are signed with it. */
  keyOf(jwk: PublicJwk): RemoteKey;
}

/** A signer that is called over HTTP, through the network guard. */
export function createExternalSigner(outbound: Pick<Outbound, "request">, address: SignerAddress): ExternalSigner {
  return {
    async createKey(orgId) {
      const x = await ask(outbound, address, "keys", { org_id: orgId }, "x");
      const jwk = publicJwkOf(x);
      trustKeys([jwk]);
      return jwk;
    },
    keyOf: (jwk) => ({
      kid: jwk.kid,
      async sign(bytes) {
        const payload = Buffer.from(bytes).toString("base64url");
        const answer = await ask(outbound, address, "sign", { kid: jwk.kid, payload }, "signature");
        const signature = Buffer.from(answer, "base64url");
        const key = trustKeys([jwk]).get(jwk.kid);
        if (key === undefined || !verify(null, bytes, key, signature))
          throw away("its signature does not match the key");
        return signature;
      },
    }),
  };
}

/**
 * A signer for changes that are rolled back: its new keys are made here and forgotten, since those of the real one would
 * stay there for good. With keys that the real one has it signs as ever, so that a signer that is away is noticed.
 */
export function trialSigner(signer: ExternalSigner): ExternalSigner {
  const made = new Map<string, SigningKey>();
  return {
    createKey() {
      const key = newSigningKey();
      made.set(key.kid, key);
      return Promise.resolve(key.publicJwk);
    },
    keyOf(jwk) {
      const key = made.get(jwk.kid);
      return key === undefined ? signer.keyOf(jwk) : { kid: jwk.kid, sign: (bytes) => signedBy(key, bytes) };
    },
  };
}

async function ask(
  outbound: Pick<Outbound, "request">,
  { url, secret }: SignerAddress,
  call: "keys" | "sign",
  body: object,
  member: string,
): Promise<string> {
  const answer = await outbound
    .request({
      owner: "external-signer",
      url: `${url.replace(/\/+$/, "")}/${call}`,
      method: "POST",
      headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
      body: Buffer.from(JSON.stringify(body)),
    })
    .catch((cause: unknown) => {
      throw away("it did not answer", cause);
    });
  if (answer.statusCode !== 200) throw away(`it answered ${answer.statusCode}`);
  const value = memberOf(answer.bodyText, member);
  if (typeof value !== "string" || !/^[A-Za-z0-9_-]{1,128}$/.test(value)) throw away(`its answer has no ${member}`);
  return value;
}

function memberOf(text: string, member: string): unknown {
  try {
    return JSON.parse(text)[member];
  } catch {
    return undefined;
  }
}

function away(why: string, cause?: unknown): Fault {
  return new Fault(Reason.UNAVAILABLE, `the external signer could not be used: ${why}`, { cause });
}
