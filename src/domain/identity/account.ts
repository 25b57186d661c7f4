// Accounts: makes them, and shows them to their owners.

import { Reason } from "../../../gen/policyguard/common/v1/reason_pb.ts";
import { Fault, unauthenticated } from "../../kit/fault/fault.ts";
import { newId } from "../../kit/process/id.ts";
import type { AccountCaller } from "../../kit/rpc/context.ts";
import type { Database } from "../../store/connection/database.ts";
import type { AccountTransaction, AuditAuthor, Transaction } from "../../store/core/transaction.ts";
import { type AccountRow, findAccount, insertAccount, lockAccount } from "../../store/identity/account.ts";
import { type FoundMembership, lookUpMemberships, type MemberRole, MemberRow } from "../../store/identity/member.ts";
import { isNameManaged } from "../../store/scim/scim-user.ts";
import type { Plan } from "../billing/plan.ts";
import type { EmailAddress } from "../mail/email.ts";
import { addOrganization } from "../tenancy/organization.ts";
import { managedByScim } from "../tenancy/team-rule.ts";
import { isUnchanged } from "../unchanged.ts";

/** The person that an account is made for. */
export interface AccountInput {
  readonly email: EmailAddress;
  readonly name: string;
  /** Undefined for somebody who signs in through an identity provider only. */
  readonly passwordHash: string | undefined;
  /** Whether its owner has opened a link that was mailed to the address. */
  readonly isVerified: boolean;
}

/** Adds the transaction's account. Throws ALREADY_EXISTS when the address has one. */
export async function addAccount(tx: AccountTransaction, input: AccountInput): Promise<AccountRow> {
  const { email, name, passwordHash, isVerified } = input;
  const isNew = await insertAccount(tx, {
    email: email.text,
    emailKey: email.key,
    name,
    passwordHash: passwordHash ?? null,
    emailVerifiedAt: isVerified ? tx.now : null,
  });
  if (!isNew) throw new Fault(Reason.ALREADY_EXISTS, "an account with this e-mail address exists; sign in instead");
  return requireAccount(await findAccount(tx));
}

/** Makes the account a member of the transaction's organization. */
export function addMember(
  tx: Transaction,
  { id, email, emailKey }: Pick<AccountRow, "id" | "email" | "emailKey">,
  role: MemberRole,
): MemberRow {
  return tx.em.create(MemberRow, {
    orgId: tx.orgId,
    id: newId(),
    accountId: id,
    email,
    emailKey,
    role,
    state: "active",
    createdAt: tx.now,
    updatedAt: tx.now,
    invitationDigest: null,
    invitationExpiresAt: null,
    invitedBy: null,
    invitedByAccountId: null,
  });
}

/** Adds an organization that the account owns, in the same transaction. Returns its id. */
export async function addOwnOrganization(
  tx: AccountTransaction,
  account: AccountRow,
  { name, plan, audit }: { readonly name: string; readonly plan: Plan; readonly audit: AuditAuthor["audit"] },
): Promise<string> {
  const author = {
    credential: { id: account.id, label: account.email },
    audit: { ...audit, action: "organization.create" },
  };
  const organization = await tx.openOrganization(newId(), author);
  addOrganization(organization, { name, plan });
  await tx.em.flush();
  addMember(organization, account, "owner");
  return organization.orgId;
}

/** The account of a transaction. Throws UNAUTHENTICATED when it is gone, since its sessions are gone too. */
export function requireAccount(account: AccountRow | null): AccountRow {
  if (account === null) throw unauthenticated();
  return account;
}

/** The account as the signed-in person sees and changes it. */
export class Accounts {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /**
   * The caller's account and the organizations that it is an active member of. A session of single sign-on sees only
   * its own one.
   */
  async me({
    accountId,
    credential: { providerOrgId },
  }: AccountCaller): Promise<{ account: AccountRow; memberships: FoundMembership[] }> {
    const account = await this.#database.readAccount(accountId, async (tx) => requireAccount(await findAccount(tx)));
    const memberships = await lookUpMemberships(this.#database, accountId);
    return {
      account,
      memberships: memberships.filter(
        ({ org_id: orgId, state }) => state === "active" && (providerOrgId ?? orgId) === orgId,
      ),
    };
  }

  /** Changes what is given. Throws MANAGED_BY_SCIM for a name that a directory decides. */
  async update(caller: AccountCaller, { name }: { readonly name?: string | undefined }): Promise<AccountRow> {
    const { accountId } = caller;
    if (name !== undefined) await this.#assertNameUnmanaged(accountId);
    return this.#database.accountTransaction(accountId, async (tx) => {
      const account = requireAccount(await lockAccount(tx));
      const before = { name: account.name };
      const next = { ...(name !== undefined && { name }) };
      if (!isUnchanged(account, next)) Object.assign(account, next, { updatedAt: tx.now });
      tx.changed(caller, { resource: `account/${accountId}`, before, after: { name: account.name } });
      return account;
    });
  }

  async #assertNameUnmanaged(accountId: string): Promise<void> {
    const memberships = await lookUpMemberships(this.#database, accountId);
    for (const { org_id: orgId, org_name: organization, member_id: memberId } of memberships) {
      if (!(await this.#database.read(orgId, (tx) => isNameManaged(tx, memberId)))) continue;
      throw managedByScim(`the directory of ${organization} has made this account; the name is changed there`);
    }
  }
}
