// Ends a membership on a directory's behalf, or by an admin for a member whom a directory manages: the member is
// deactivated and keeps their id, so that the directory can bring them back. Tokens and sessions never come back.

import type { Transaction } from "../../store/core/transaction.ts";
import { countOtherMemberships, type MemberRow } from "../../store/identity/member.ts";
import { revokeProvidedSessions, revokeSessions } from "../../store/identity/session.ts";
import { publishEvent } from "../event/event.ts";
import type { TransactionalMailer } from "../mail/mail.ts";
import { type DepartureReason, endGrants } from "./departure.ts";

/** Deactivates a member, or ends an invitation that a directory may renew. */
export async function deactivate(
  tx: Transaction,
  member: MemberRow,
  { mailer }: { readonly mailer: TransactionalMailer | undefined },
): Promise<void> {
  const wasActive = member.state === "active";
  const ended = { invitationDigest: null, invitationExpiresAt: null };
  Object.assign(member, { state: "deactivated", updatedAt: tx.now }, ended);
  if (wasActive) await endMembership(tx, member, { reason: "deactivated", mailer });
}

/** Ends what an active member has: tokens, invitations, and the sessions that reach only this organization. */
export async function endMembership(
  tx: Transaction,
  member: MemberRow,
  { reason, mailer }: { readonly reason: DepartureReason; readonly mailer: TransactionalMailer | undefined },
): Promise<void> {
  const { id, accountId, email, role } = member;
  if (accountId == null) return;
  await publishEvent(tx, "team.member_removed", { member_id: id, account_id: accountId, email, role });
  await endGrants(tx, { accountId, email }, { reason, mailer });
  const isOnlyHere = (await countOtherMemberships(tx, accountId)) === 0;
  const account = await tx.openAccount(accountId);
  if (isOnlyHere) await revokeSessions(account);
  else await revokeProvidedSessions(account, tx.orgId);
}
