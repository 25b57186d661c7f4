// The result of a sign-in, whether by password, by registration or by an identity provider.

import type { AuditIntent } from "../../kit/rpc/context.ts";
import type { AccountRow } from "../../store/identity/account.ts";
import type { IssuedSession, Origin } from "./session.ts";

/** The origin of a call. */
export interface CallOrigin extends Origin {
  readonly audit: AuditIntent;
}

/** A session that has begun. */
export interface SignedIn {
  readonly account: AccountRow;
  readonly session: IssuedSession;
}
