// How a directory lets a person in. Only an address at a domain that the organization has verified makes a member at
// once: the directory is trusted for those addresses and no others, so it never gets hold of somebody else's account.

import { Reason } from "../../../gen/policyguard/common/v1/reason_pb.ts";
import { Fault } from "../../kit/fault/fault.ts";
import { newId } from "../../kit/process/id.ts";
import { lookupsWithin, type Transaction } from "../../store/core/transaction.ts";
import { isProven, lookUpAccount } from "../../store/identity/account.ts";
import { findMemberOfAccount, type MemberRow } from "../../store/identity/member.ts";
import { isVerifiedDomain } from "../../store/identity/sso-domain.ts";
import { findOrganization } from "../../store/tenancy/organization.ts";
import { addAccount } from "../identity/account.ts";
import { newInvitationLink } from "../identity/invitation.ts";
import { tellAdded } from "../identity/team.ts";
import { domainPart, type EmailAddress } from "../mail/email.ts";
import { invitationMail, mayMail, type TransactionalMailer } from "../mail/mail.ts";
import { notUnique } from "./fault.ts";

/** What letting somebody in needs. */
export interface AdmissionParts {
  readonly mailer: TransactionalMailer | undefined;
  readonly publicUrl: string;
}

/**
 * Makes the person a member, or invites them. Returns whether that made an account. `name` is for a new account.
 */
export async function letIn(
  tx: Transaction,
  member: MemberRow,
  { name, parts }: { readonly name: string; readonly parts: AdmissionParts },
): Promise<boolean> {
  const email = { text: member.email, key: member.emailKey };
  const found = member.accountId == null ? await accountFor(tx, email, name) : { id: member.accountId, isNew: false };
  if (found === undefined) {
    await inviteByMail(tx, member, parts);
    return false;
  }
  if (member.accountId == null && (await findMemberOfAccount(tx, found.id)) !== null) {
    throw notUnique("the account of this address is another member's already");
  }
  const ended = { invitationDigest: null, invitationExpiresAt: null };
  Object.assign(member, { accountId: found.id, state: "active", updatedAt: tx.now }, ended);
  const { id, email: address, role } = member;
  await tx.em.flush();
  await tellAdded(tx, { id, accountId: found.id, email: address, role });
  return found.isNew;
}

/** The account that the person gets without being asked; undefined when they have to be asked. */
async function accountFor(
  tx: Transaction,
  email: EmailAddress,
  name: string,
): Promise<{ readonly id: string; readonly isNew: boolean } | undefined> {
  if (!(await isVerifiedDomain(tx, domainPart(email)))) return undefined;
  const known = await lookUpAccount(lookupsWithin(tx), email.key);
  if (known !== undefined) return (await isProven(tx, known.id)) ? { id: known.id, isNew: false } : undefined;
  const accountTx = await tx.openAccount(newId());
  // The organization has proven that it hands out the addresses of the domain.
  const { id } = await addAccount(accountTx, { email, name, passwordHash: undefined, isVerified: true });
  return { id, isNew: true };
}

/** Invites the person, unless they have an open invitation. Without mail an admin gets the link by inviting again. */
export async function inviteByMail(
  tx: Transaction,
  member: MemberRow,
  { mailer, publicUrl }: AdmissionParts,
): Promise<void> {
  const { state, invitationExpiresAt: end } = member;
  if (state === "invited" && end != null && end > tx.now) return;
  member.state = "invited";
  member.updatedAt = tx.now;
  if (mailer === undefined) {
    Object.assign(member, { invitationDigest: null, invitationExpiresAt: tx.now, invitationMailed: false });
    return;
  }
  const email = { text: member.email, key: member.emailKey };
  if (!(await mayMail(lookupsWithin(tx), email, tx.now, "invitation"))) throw tooManyMails();
  const { link, expiresAt, digest } = newInvitationLink(publicUrl, tx.now);
  Object.assign(member, { invitationDigest: digest, invitationExpiresAt: expiresAt, invitationMailed: true });
  const { name: organization } = await findOrganization(tx);
  const facts = { link, organization, inviter: "The directory of your organization", role: member.role };
  await mailer.sendWithin(tx, { ...invitationMail(email, facts), expiresAt });
}

function tooManyMails(): Fault {
  return new Fault(Reason.OVERLOADED, "this address was invited too often within the hour; retry later", {
    extra: { retry_after: 600 },
    headers: { "Retry-After": "600" },
  });
}
