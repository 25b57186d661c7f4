// Ends the tokens and invitations of a person who leaves an organization or stops being an admin of it. Otherwise a
// former admin could remain one: tokens outlive sessions, and the person may have kept their values; an invitation may
// be for another address of the same person, and without mail the inviter has its link. Anything made with a token
// counts as made by the person responsible for that token, so a chain of tokens ends as a whole.
//
// Runtime tokens stay, since production depends on them and they can only read one environment's bundle, and so does
// the token of the directory. The mail to owners and admins lists them.

import { CredentialKind } from "../../../gen/policyguard/options/v1/options_pb.ts";
import { newId } from "../../kit/process/id.ts";
import type { Caller } from "../../kit/rpc/context.ts";
import type { Database } from "../../store/connection/database.ts";
import type { Transaction } from "../../store/core/transaction.ts";
import { findMemberOfAccount, lockTeam, type MemberRole, withdrawInvitations } from "../../store/identity/member.ts";
import {
  endPreviousValues,
  listLastingTokensOf,
  type NamedToken,
  revokePrivilegedTokens,
} from "../../store/identity/token.ts";
import { mailAdmins, type ServiceAlert } from "../alert/alert.ts";
import { tokensChannel } from "../channel.ts";
import { enqueueJob, type FormerAdmin } from "../job.ts";
import { departureMail, type TransactionalMailer } from "../mail/mail.ts";

/**
 * Time of grace: a role that an identity provider takes away may come back with the next sign-in, such as after a
 * renamed group.
 */
export const providerGraceMs = 15 * 60_000;

/** Tokens that one audit entry lists, and invitations too; it counts all of them. */
const maxNamed = 100;

/** Why a person's tokens and invitations end. */
export type DepartureReason = "removed" | "left" | "demoted" | "deactivated";

/** A person who leaves or stops being an admin. */
export interface Leaver {
  readonly accountId: string;
  readonly email: string;
}

/** Whether a person with this role may hold tokens that act for the organization. */
export function mayHoldTokens(role: MemberRole): boolean {
  return role === "admin" || role === "owner";
}

/**
 * Revokes a person's admin and ci tokens, in every process and at every connected runtime with the commit, withdraws
 * their open invitations, and mails owners and admins. The caller holds the lock of the team.
 */
export async function endGrants(
  tx: Transaction,
  leaver: Leaver,
  { reason, mailer }: { readonly reason: DepartureReason; readonly mailer: TransactionalMailer | undefined },
): Promise<void> {
  // Pending changes could be about the same rows.
  await tx.em.flush();
  const revoked = await revokePrivilegedTokens(tx, leaver.accountId);
  const shortened = await endPreviousValues(tx, leaver.accountId);
  const kept = await listLastingTokensOf(tx, leaver.accountId);
  const withdrawn = await withdrawInvitations(tx, leaver.accountId);
  if (revoked.length + shortened.length > 0) await tx.notify(tokensChannel, {});
  if (revoked.length + shortened.length + withdrawn.length > 0) {
    const before = { tokens: revoked.length, earlier_values: shortened.length, invitations: withdrawn.length };
    const after = {
      ...{ revoked: named(revoked), earlier_values_ended: named(shortened) },
      invitations_withdrawn: withdrawn.slice(0, maxNamed).map(({ id, email, role }) => ({ id, email, role })),
    };
    tx.changed({ resource: `account/${leaver.accountId}`, before, after });
  } else if (kept.length === 0 || reason === "demoted") return;
  const facts = { person: leaver.email, reason, revoked, shortened, withdrawn, kept };
  const mail: ServiceAlert["mail"] = (email, organization) => departureMail(email, { organization, ...facts });
  await mailAdmins(tx, mailer, mail, { except: leaver.accountId, besides: "securityEmail" });
}

/**
 * Ends, after the time of grace, the tokens and invitations of a person whose admin role an identity provider took
 * away, unless the person has it again by then.
 */
export async function endGrantsLater(tx: Transaction, { accountId }: Pick<Leaver, "accountId">): Promise<void> {
  const runAt = new Date(tx.now.getTime() + providerGraceMs);
  const key = `end-tokens/${tx.orgId}/${accountId}`;
  await enqueueJob(tx, "end-tokens", { org_id: tx.orgId, account_id: accountId }, { runAt, key });
}

/** Ends tokens and invitations after the time of grace. */
export class Departures {
  readonly #database: Database;
  readonly #mailer: TransactionalMailer | undefined;

  constructor(database: Database, { mailer }: { readonly mailer: TransactionalMailer | undefined }) {
    this.#database = database;
    this.#mailer = mailer;
  }

  /**
   * Ends the tokens and invitations of a former admin. Does nothing for a person who is an admin again, or who has
   * left: those have ended already.
   */
  async settle({ org_id: orgId, account_id: accountId }: FormerAdmin): Promise<void> {
    await this.#database.transaction(providerOf(orgId), async (tx) => {
      await lockTeam(tx);
      const member = await findMemberOfAccount(tx, accountId);
      if (member === null || (member.state === "active" && mayHoldTokens(member.role))) return;
      await endGrants(tx, { accountId, email: member.email }, { reason: "demoted", mailer: this.#mailer });
    });
  }
}

function named(tokens: readonly NamedToken[]) {
  return tokens.slice(0, maxNamed).map(({ id, kind, name, prefix }) => ({ id, kind, name, prefix }));
}

/** The identity provider as the author of the change, as the audit log names it. */
function providerOf(orgId: string): Caller {
  const nowhere = { projectId: undefined, environment: undefined, roles: new Map() };
  return {
    credential: { kind: CredentialKind.UNSPECIFIED, id: orgId, label: "the identity provider", orgId, ...nowhere },
    orgId,
    role: undefined,
    audit: { action: "token.revoke", requestId: newId(), address: "" },
  };
}
