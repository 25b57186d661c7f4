// The members of an organization. Their roles are read with every call, so what is changed here holds from the commit on.

import type { Caller } from "../kit/context.ts";
import { insufficientScope, notFound } from "../kit/error.ts";
import type { Page } from "../kit/page.ts";
import { lockAccount } from "../store/account.ts";
import type { Database, Transaction } from "../store/database.ts";
import {
  countOtherMemberships,
  deleteMember,
  findMember,
  listMembers,
  type MemberRole,
  type MemberRow,
  type MemberView,
  viewMember,
} from "../store/member.ts";
import { findOrganization } from "../store/organization.ts";
import { requireAccount } from "./account.ts";
import { publishEvent } from "./event.ts";
import { factorRemovedMail, type TransactionalMailer } from "./mail.ts";
import { removeFactor } from "./second-factor.ts";
import { assertMayChange, assertMayGive, assertNotLastOwner, conflict, lockTeamAs } from "./team-rule.ts";

/** Lists, changes and removes members. */
export class Team {
  readonly #database: Database;
  readonly #mailer: TransactionalMailer | undefined;

  constructor(database: Database, { mailer }: { readonly mailer: TransactionalMailer | undefined }) {
    this.#database = database;
    this.#mailer = mailer;
  }

  /** A page of members and invitations. */
  list(caller: Caller, page: Page): Promise<[MemberView[], number]> {
    return this.#database.read(caller.orgId, (tx) => listMembers(tx, page));
  }

  /** Gives a member, or an invitation, another role. */
  setRole(caller: Caller, id: string, role: MemberRole): Promise<MemberView> {
    return this.#database.transaction(caller, async (tx) => {
      const actor = await lockTeamAs(tx, caller, "admin");
      const member = await requireMember(tx, id);
      assertMayChange(actor, member.role);
      assertMayGive(actor, role);
      if (role !== "owner") await assertNotLastOwner(tx, member);
      const before = auditView(member);
      member.role = role;
      member.updatedAt = tx.now;
      tx.changed({ resource: resourceOf(member), before, after: auditView(member) });
      return viewMember(tx, id);
    });
  }

  /** Removes a member, or withdraws an invitation. */
  remove(caller: Caller, id: string): Promise<void> {
    return this.#database.transaction(caller, async (tx) => {
      const actor = await lockTeamAs(tx, caller, "admin");
      const member = await requireMember(tx, id);
      assertMayChange(actor, member.role);
      await end(tx, member);
    });
  }

  /** Ends the caller's own membership. */
  leave(caller: Caller): Promise<void> {
    return this.#database.transaction(caller, async (tx) => {
      const { member } = await lockTeamAs(tx, caller, "viewer");
      if (member === undefined) throw insufficientScope("a token is no member");
      await end(tx, member);
    });
  }

  /** Makes the member an owner and the caller an admin. */
  transferOwnership(caller: Caller, id: string): Promise<MemberView> {
    return this.#database.transaction(caller, async (tx) => {
      const { member: owner } = await lockTeamAs(tx, caller, "owner");
      const heir = await requireMember(tx, id);
      if (owner === undefined) throw insufficientScope("a token owns nothing");
      if (heir.id === owner.id) throw conflict("you are the owner already");
      if (heir.state !== "active")
        throw conflict("only a member can become the owner, and this one is not, or not yet");
      const before = auditView(heir);
      heir.role = "owner";
      owner.role = "admin";
      for (const member of [heir, owner]) member.updatedAt = tx.now;
      tx.changed({ resource: resourceOf(heir), before, after: { ...auditView(heir), previous_owner: owner.email } });
      return viewMember(tx, id);
    });
  }

  /** Removes a member's second factor, and tells the member. */
  removeSecondFactor(caller: Caller, id: string): Promise<void> {
    return this.#database.transaction(caller, async (tx) => {
      const actor = await lockTeamAs(tx, caller, "admin");
      const member = await requireMember(tx, id);
      if (member.id === actor.member?.id)
        throw insufficientScope("your own second factor is removed with a code of it");
      assertMayChange(actor, member.role);
      if (member.accountId == null) throw notFound("second factor");
      // Or whoever invites somebody could take away what guards their other organizations.
      if ((await countOtherMemberships(tx, member.accountId)) > 0) {
        throw conflict("this member belongs to other organizations too, so only their owner removes the second factor");
      }
      const accountTx = await tx.openAccount(member.accountId);
      const account = requireAccount(await lockAccount(accountTx));
      if (account.mfaEnabledAt == null) throw notFound("second factor");
      await removeFactor(accountTx, account);
      const { name: organization } = await findOrganization(tx);
      const email = { text: account.email, key: account.emailKey };
      await this.#mailer?.sendWithin(tx, factorRemovedMail(email, { organization }));
      tx.changed({ resource: resourceOf(member), before: { mfa_enabled: true }, after: { mfa_enabled: false } });
    });
  }
}

/** What the audit log keeps of a member. */
export function auditView({ email, role, state }: MemberRow) {
  return { email, role, state };
}

/** How the audit log names a member. */
export function resourceOf({ id }: { readonly id: string }): string {
  return `member/${id}`;
}

/** Tells that an account has become a member. */
export async function tellAdded(
  tx: Transaction,
  member: { readonly id: string; readonly accountId: string; readonly email: string; readonly role: MemberRole },
): Promise<void> {
  const { id, accountId, email, role } = member;
  await publishEvent(tx, "team.member_added", { member_id: id, account_id: accountId, email, role });
}

async function requireMember(tx: Transaction, id: string): Promise<MemberRow> {
  const member = await findMember(tx, id);
  if (member === null) throw notFound("member");
  return member;
}

async function end(tx: Transaction, member: MemberRow): Promise<void> {
  await assertNotLastOwner(tx, member);
  const { id, accountId, email, role } = member;
  await deleteMember(tx, id);
  tx.changed({ resource: resourceOf(member), before: auditView(member), after: null });
  // Nobody joined by an invitation that was not accepted.
  if (accountId != null) {
    await publishEvent(tx, "team.member_removed", { member_id: id, account_id: accountId, email, role });
  }
}
