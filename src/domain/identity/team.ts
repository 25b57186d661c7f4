// The members of an organization. Every call reads the caller's role, so a change takes effect with its commit.

import { insufficientScope, notFound } from "../../kit/fault/fault.ts";
import type { Caller } from "../../kit/rpc/context.ts";
import type { SearchedPage } from "../../kit/rpc/page.ts";
import type { Database } from "../../store/connection/database.ts";
import type { Transaction } from "../../store/core/transaction.ts";
import { lockAccount } from "../../store/identity/account.ts";
import {
  countOtherMemberships,
  deleteMember,
  findMember,
  listMembers,
  type MemberRole,
  type MemberRow,
  type MemberView,
  viewMember,
} from "../../store/identity/member.ts";
import { isManaged } from "../../store/scim/scim-user.ts";
import { findOrganization } from "../../store/tenancy/organization.ts";
import { publishEvent } from "../event/event.ts";
import { factorRemovedMail, type TransactionalMailer } from "../mail/mail.ts";
import {
  assertMayChange,
  assertMayGive,
  assertNotLastOwner,
  assertRoleUnmanaged,
  conflict,
  lockTeamAs,
  managedByScim,
} from "../tenancy/team-rule.ts";
import { requireAccount } from "./account.ts";
import { deactivate } from "./deactivation.ts";
import { type DepartureReason, endGrants, mayHoldTokens } from "./departure.ts";
import { removeFactor } from "./second-factor.ts";

/** Lists, changes and removes members. */
export class Team {
  readonly #database: Database;
  readonly #mailer: TransactionalMailer | undefined;

  constructor(database: Database, { mailer }: { readonly mailer: TransactionalMailer | undefined }) {
    this.#database = database;
    this.#mailer = mailer;
  }

  /** A page of members and invitations. */
  list(caller: Caller, page: SearchedPage): Promise<[MemberView[], number]> {
    return this.#database.read(caller.orgId, (tx) => listMembers(tx, page));
  }

  /** Changes the role of a member or an invitation. A role below admin ends the member's tokens and invitations. */
  setRole(caller: Caller, id: string, role: MemberRole): Promise<MemberView> {
    return this.#database.transaction(caller, async (tx) => {
      const actor = await lockTeamAs(tx, caller, "admin");
      const member = await requireMember(tx, id);
      assertMayChange(actor, member.role);
      assertMayGive(actor, role);
      await assertRoleUnmanaged(tx, id);
      if (role !== "owner") await assertNotLastOwner(tx, member);
      const before = auditView(member);
      const { accountId, email } = member;
      const isDemoted = mayHoldTokens(member.role) && !mayHoldTokens(role);
      member.role = role;
      member.updatedAt = tx.now;
      tx.changed({ resource: resourceOf(member), before, after: auditView(member) });
      if (isDemoted && accountId != null) {
        await endGrants(tx, { accountId, email }, { reason: "demoted", mailer: this.#mailer });
      }
      return viewMember(tx, id);
    });
  }

  /** Removes a member and ends their tokens and invitations, or withdraws an invitation. */
  remove(caller: Caller, id: string): Promise<void> {
    return this.#database.transaction(caller, async (tx) => {
      const actor = await lockTeamAs(tx, caller, "admin");
      const member = await requireMember(tx, id);
      assertMayChange(actor, member.role);
      if (await isManaged(tx, id)) await this.#deactivate(tx, member);
      else await this.#end(tx, member, "removed");
    });
  }

  /** Ends the caller's own membership, and their tokens and invitations. */
  leave(caller: Caller): Promise<void> {
    return this.#database.transaction(caller, async (tx) => {
      const { member } = await lockTeamAs(tx, caller, "viewer");
      if (member === undefined) throw insufficientScope("a token is not a member, so it cannot leave");
      if (await isManaged(tx, member.id)) {
        throw managedByScim("your organization's directory manages your membership; it has to end there");
      }
      await this.#end(tx, member, "left");
    });
  }

  /** Makes the member an owner and the caller an admin. */
  transferOwnership(caller: Caller, id: string): Promise<MemberView> {
    return this.#database.transaction(caller, async (tx) => {
      const { member: owner } = await lockTeamAs(tx, caller, "owner");
      const heir = await requireMember(tx, id);
      if (owner === undefined) throw insufficientScope("a token cannot own an organization");
      if (heir.id === owner.id) throw conflict("you are already the owner");
      if (heir.state !== "active") throw conflict("only an active member can become the owner");
      for (const { id: changed } of [heir, owner]) await assertRoleUnmanaged(tx, changed);
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
        throw insufficientScope("remove your own second factor with one of its codes");
      assertMayChange(actor, member.role);
      if (member.accountId == null) throw notFound("second factor");
      // Otherwise an admin who invites a person could remove the factor that protects the person's other organizations.
      if ((await countOtherMemberships(tx, member.accountId)) > 0) {
        throw conflict(
          "this member also belongs to other organizations, so only the member can remove the second factor",
        );
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

  async #deactivate(tx: Transaction, member: MemberRow): Promise<void> {
    if (member.state === "deactivated") throw managedByScim("this member is deactivated; the directory removes them");
    await assertNotLastOwner(tx, member);
    const before = auditView(member);
    await deactivate(tx, member, { mailer: this.#mailer });
    tx.changed({ resource: resourceOf(member), before, after: auditView(member) });
  }

  async #end(tx: Transaction, member: MemberRow, reason: DepartureReason): Promise<void> {
    await assertNotLastOwner(tx, member);
    const { id, accountId, email, role } = member;
    await deleteMember(tx, id);
    tx.changed({ resource: resourceOf(member), before: auditView(member), after: null });
    // An open invitation is not a member.
    if (accountId == null) return;
    await publishEvent(tx, "team.member_removed", { member_id: id, account_id: accountId, email, role });
    await endGrants(tx, { accountId, email }, { reason, mailer: this.#mailer });
  }
}

/** The fields of a member that the audit log keeps. */
export function auditView({ email, role, state }: MemberRow) {
  return { email, role, state };
}

/** How the audit log names a member. */
export function resourceOf({ id }: { readonly id: string }): string {
  return `member/${id}`;
}

/** Publishes that an account has become a member. */
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
