// Key sets name the keys that may sign, and are signed by such keys. A runtime that trusts one of the signers adopts a
// newer set, so that rotations and revocations also reach runtimes that no control plane calls. An older set changes
// nothing: it might trust a key that was revoked since. After The Update Framework, section 5.3
// (https://theupdateframework.github.io/specification/latest/).

import { type KeySetPayload, readKeySet } from "../../src/kit/bundle/statement-payload.ts";
import { publicJwkOf, type TrustedKeys, trustKeys } from "../../src/kit/crypto/signing-key.ts";
import { type SignedStatement, verifyStatement } from "../../src/kit/crypto/statement.ts";
import { verified } from "./activation.ts";
import { BundleRejection } from "./rejection.ts";

/** The keys that a runtime trusts. */
export interface TrustRoot {
  readonly trust: TrustedKeys;
  /** Serial of the key set that it comes from; 0 for keys that were pinned or given without one. */
  readonly serial: number;
  /** Keys that are no longer trusted. */
  readonly revoked: ReadonlySet<string>;
}

/** The trust root of a key set that is trusted already. Throws a BundleRejection when no key is left. */
export function rootOf({ serial, keys }: KeySetPayload): TrustRoot {
  const live = keys.filter(({ state }) => state !== "revoked");
  const revoked = keys.filter(({ state }) => state === "revoked");
  const jwks = live.map(({ kid, x }) => ({ ...publicJwkOf(x), kid }));
  try {
    return { trust: trustKeys(jwks), serial, revoked: new Set(revoked.map(({ kid }) => kid)) };
  } catch (cause) {
    throw new BundleRejection("bad_payload", "the key set has no key, or an entry that is not a key", { cause });
  }
}

/** A key that was revoked once is never trusted again, even if a later key set names it. */
export function without({ trust, serial, revoked }: TrustRoot, known: ReadonlySet<string>): TrustRoot {
  const left = new Map([...trust].filter(([kid]) => !known.has(kid)));
  if (left.size === 0)
    throw new BundleRejection("revoked_kid", "this runtime knows every key of the key set as revoked");
  return { trust: left, serial, revoked: revoked.union(known) };
}

/**
 * The trust root after this statement: that of the statement when it is newer, else the known one. Throws a
 * BundleRejection when no trusted key signed it, or when it belongs to another organization.
 */
export async function followKeySet(root: TrustRoot, statement: SignedStatement, orgId: string): Promise<TrustRoot> {
  const { payload } = await verified(() => verifyStatement("keys", statement, root.trust, root.revoked));
  const set = await verified(async () => readKeySet(payload));
  if (set.org_id !== orgId) {
    throw new BundleRejection("wrong_scope", `the key set is for organization ${set.org_id}, not ${orgId}`);
  }
  return set.serial > root.serial ? without(rootOf(set), root.revoked) : root;
}
