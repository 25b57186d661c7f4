// Key sets: which keys may sign, itself signed by them. Whoever trusts one of the signers takes a newer set over, so that a rotation is
// followed and a revocation reaches runtimes that no control plane ever calls. An older set changes nothing: it might believe a key
// that was revoked since. After The Update Framework, section 5.3 (https://theupdateframework.github.io/specification/latest/).

import { publicJwkOf, type TrustedKeys, trustKeys } from "../../src/kit/signing-key.ts";
import { type SignedStatement, verifyStatement } from "../../src/kit/statement.ts";
import { type KeySetPayload, readKeySet } from "../../src/kit/statement-payload.ts";
import { verified } from "./activation.ts";
import { BundleRejection } from "./rejection.ts";

/** Whom a runtime believes. */
export interface TrustRoot {
  readonly trust: TrustedKeys;
  /** Serial of the key set that it comes from; 0 for keys that were pinned or given without one. */
  readonly serial: number;
  /** Keys that are believed no more. */
  readonly revoked: ReadonlySet<string>;
}

/** The trust root of a key set that is believed already. Throws a BundleRejection when it leaves no key. */
export function rootOf({ serial, keys }: KeySetPayload): TrustRoot {
  const live = keys.filter(({ state }) => state !== "revoked");
  const revoked = keys.filter(({ state }) => state === "revoked");
  const jwks = live.map(({ kid, x }) => ({ ...publicJwkOf(x), kid }));
  try {
    return { trust: trustKeys(jwks), serial, revoked: new Set(revoked.map(({ kid }) => kid)) };
  } catch (cause) {
    throw new BundleRejection("bad_payload", "the key set has a key that is none, or none at all", { cause });
  }
}

/** What was revoked once is never believed again, whoever says so. */
function without({ trust, serial, revoked }: TrustRoot, known: ReadonlySet<string>): TrustRoot {
  const left = new Map([...trust].filter(([kid]) => !known.has(kid)));
  if (left.size === 0) throw new BundleRejection("revoked_kid", "every key of the key set is revoked here");
  return { trust: left, serial, revoked: revoked.union(known) };
}

/**
 * The trust root after this statement: its own when it is newer, what is known when it is not. Throws a BundleRejection when no
 * trusted key signed it, or it is another organization's.
 */
export async function followKeySet(root: TrustRoot, statement: SignedStatement, orgId: string): Promise<TrustRoot> {
  const { payload } = await verified(() => verifyStatement("keys", statement, root.trust, root.revoked));
  const set = await verified(async () => readKeySet(payload));
  if (set.org_id !== orgId) {
    throw new BundleRejection("wrong_scope", `the key set is for organization ${set.org_id}, not ${orgId}`);
  }
  return set.serial > root.serial ? without(rootOf(set), root.revoked) : root;
}
