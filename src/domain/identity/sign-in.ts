// The result of a sign-in, whether by password, by registration or by an identity provider.

import { Reason } from "../../../gen/policyguard/common/v1/reason_pb.ts";
import { Fault } from "../../kit/fault/fault.ts";
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

/** The fault of a failed sign-in; its message never says which part was wrong. */
export function wrongLogin(message: string): Fault {
  return new Fault(Reason.UNAUTHENTICATED, message, {
    headers: { "WWW-Authenticate": 'Bearer realm="policy-guard"' },
  });
}
