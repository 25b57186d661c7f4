// People to call with: an account with a live session, and a place in an organization where one is wanted.

import { CredentialKind } from "../../../gen/policyguard/options/v1/options_pb.ts";
import { addAccount, addMember } from "../../../src/domain/identity/account.ts";
import { PasswordHasher } from "../../../src/domain/identity/password-hash.ts";
import { openSession, roleOf } from "../../../src/domain/identity/session.ts";
import { parseEmail } from "../../../src/domain/mail/email.ts";
import { newId } from "../../../src/kit/process/id.ts";
import type { Caller } from "../../../src/kit/rpc/context.ts";
import type { Database } from "../../../src/store/connection/database.ts";
import type { MemberRole } from "../../../src/store/identity/member.ts";

/** One person. */
export interface Person {
  readonly account_id: string;
  readonly email: string;
  readonly password: string;
  /** Id of the membership; "" for somebody who is in no organization. */
  readonly member_id: string;
  readonly session_id: string;
  readonly access_token: string;
  readonly refresh_token: string;
}

/** Everybody's password. Hashed once: a hash takes tens of milliseconds by design. */
export const everybodysPassword = "seven quiet otters";
const hash = new PasswordHasher().hash(everybodysPassword);

/** Makes a person with a session; a member of the organization when one is given. */
export async function createPerson(
  database: Database,
  place?: { readonly orgId: string; readonly role: MemberRole },
): Promise<Person> {
  const accountId = newId();
  const passwordHash = await hash;
  return database.accountTransaction(accountId, async (tx) => {
    const email = parseEmail(`${place?.role ?? "somebody"}.${accountId.slice(0, 8)}@example.com`);
    const account = await addAccount(tx, { email, name: "Ada Lovelace", passwordHash, isVerified: true });
    const session = await openSession(tx, "password", { address: "192.0.2.1", userAgent: "tests" });
    // Tests move the clock by days; this session does not end by that.
    const end = new Date(tx.now.getTime() + 365 * 86_400_000);
    await tx.em.flush();
    await tx.sql("update session set expires_at = ?", [end]);
    await tx.sql("update session_token set expires_at = ?", [end]);
    if (session.kind !== "tokens") throw new Error("the session has no tokens");
    let memberId = "";
    if (place !== undefined) {
      const audit = { action: "test.setup", requestId: "test", address: "" };
      const author = { credential: { id: accountId, label: email.text }, audit };
      memberId = addMember(await tx.openOrganization(place.orgId, author), account, place.role).id;
    }
    return {
      account_id: accountId,
      email: email.text,
      password: everybodysPassword,
      member_id: memberId,
      session_id: session.sessionId,
      access_token: session.accessToken,
      refresh_token: session.refreshToken,
    };
  });
}

/** The person as the interceptors would see them at this moment, for domain methods. */
export function memberCaller(
  { account_id: id, email: label, session_id: sessionId }: Person,
  orgId: string,
  role: MemberRole,
): Caller {
  const none = { orgId: undefined, projectId: undefined, environment: undefined };
  return {
    credential: { kind: CredentialKind.MEMBER, id, label, ...none, roles: new Map([[orgId, roleOf(role)]]), sessionId },
    orgId,
    role: roleOf(role),
    audit: { action: "test.member", requestId: "test", address: "127.0.0.1" },
  };
}
