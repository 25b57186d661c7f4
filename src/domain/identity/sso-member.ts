// Finds the account of a person who signed in at a provider, and decides whether the organization admits them. A
// provider is trusted for people who signed in through it before (by issuer and subject), and for confirmed addresses
// at domains that its organization has verified. It is trusted for nothing else, since every organization chooses its
// provider itself.

import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { Reason } from "../../../gen/policyguard/common/v1/reason_pb.ts";
import { Fault } from "../../kit/fault/fault.ts";
import { newId } from "../../kit/process/id.ts";
import type { OidcIdentity } from "../../platform/oidc/oidc.ts";
import type { Database } from "../../store/connection/database.ts";
import type { AccountTransaction, Transaction } from "../../store/core/transaction.ts";
import { type AccountRow, findAccount, lookUpAccount } from "../../store/identity/account.ts";
import { insertJoinRequest } from "../../store/identity/join-request.ts";
import {
  deleteExpiredInvitation,
  findMemberByEmail,
  findMemberOfAccount,
  lockTeam,
  type MemberRow,
} from "../../store/identity/member.ts";
import type { ProvidedRole, SsoRow } from "../../store/identity/sso.ts";
import { isVerifiedDomain } from "../../store/identity/sso-domain.ts";
import { addIdentity, findIdentity } from "../../store/identity/sso-identity.ts";
import { hasDirectory, isManaged } from "../../store/scim/scim-user.ts";
import { domainPart, type EmailAddress, parseEmail } from "../mail/email.ts";
import { addAccount, addMember, requireAccount } from "./account.ts";
import { endGrantsLater, mayHoldTokens } from "./departure.ts";
import type { IssuedSession } from "./session.ts";
import type { CallOrigin } from "./sign-in.ts";
import { auditView, resourceOf, tellAdded } from "./team.ts";

/** Time after which a rejected person may ask again. */
const rejectionMs = 7 * 24 * 3_600_000;
const maxNameLength = 200;
const ranks: Readonly<Record<ProvidedRole, number>> = { viewer: 1, editor: 2, admin: 3 };

/** The result of a sign-in. */
export interface Admitted {
  readonly status: "signed_in" | "join_requested";
  readonly account: AccountRow;
  /** Undefined when the person has to wait, or gets a code for it. */
  readonly session: IssuedSession | undefined;
}

/** A person who has signed in at an organization's provider. */
export interface Arrival {
  readonly sso: SsoRow;
  readonly identity: OidcIdentity;
  readonly origin: CallOrigin;
}

/** The person of an arrival. */
interface Person {
  readonly accountId: string;
  /** The address, if the provider is trusted for it. */
  readonly email: EmailAddress | undefined;
  /** Whether this person has signed in here before. */
  readonly isKnown: boolean;
}

/** Begins the person's session, or makes the code for it, in the transaction. */
export type Begin = (tx: AccountTransaction, account: AccountRow) => Promise<IssuedSession | undefined>;

/** Admits a person as a member, existing or new, or adds their request to join. */
export async function admit(database: Database, arrival: Arrival, begin: Begin): Promise<Admitted> {
  const person = await identify(database, arrival);
  try {
    return await enter(database, arrival, person, begin);
  } catch (error) {
    // When a person signs in for the first time twice at the same moment, the second sign-in finds the account of the
    // first.
    if (!(error instanceof Fault) || error.reason !== Reason.ALREADY_EXISTS) throw error;
    return enter(database, arrival, await identify(database, arrival), begin);
  }
}

async function identify(database: Database, { sso, identity }: Arrival): Promise<Person> {
  const { known, email } = await database.read(sso.orgId, async (tx) => ({
    known: await findIdentity(tx, identity),
    email: await believedEmail(tx, identity.claims),
  }));
  if (known !== undefined) return { accountId: known, email: "key" in email ? email : undefined, isKnown: true };
  if ("refusal" in email) throw refused(email.refusal);
  const found = await lookUpAccount(database, email.key);
  return { accountId: found?.id ?? newId(), email, isKnown: false };
}

async function believedEmail(
  tx: Transaction,
  claims: JsonObject,
): Promise<EmailAddress | { readonly refusal: string }> {
  const email = readEmail(claims.email);
  if (email === undefined) return { refusal: "the identity provider sent no e-mail address" };
  // Only the boolean: the text "true" or a number has no agreed meaning.
  if (claims.email_verified !== true) return { refusal: "the identity provider has not confirmed the e-mail address" };
  if (await isVerifiedDomain(tx, domainPart(email))) return email;
  return { refusal: "the organization has not verified the domain of the e-mail address" };
}

function readEmail(value: JsonValue | undefined): EmailAddress | undefined {
  if (typeof value !== "string") return undefined;
  try {
    return parseEmail(value);
  } catch {
    return undefined;
  }
}

async function enter(database: Database, arrival: Arrival, person: Person, begin: Begin): Promise<Admitted> {
  const { sso, identity, origin } = arrival;
  return database.accountTransaction(person.accountId, async (tx) => {
    const account = (await findAccount(tx)) ?? (await addProvidedAccount(tx, person, identity.claims));
    // Otherwise a stranger who registered the address would share the account with its owner, once the owner comes.
    // Members are no exception: what let them in shows nothing about the address.
    if (!person.isKnown && account.emailVerifiedAt == null) {
      throw refused(
        "an account with this address exists, and nobody has confirmed that the address belongs to its owner; set a new password with a mailed link, or ask the operator to confirm the address",
      );
    }
    const credential = { id: account.id, label: account.email };
    const organization = await tx.openOrganization(sso.orgId, { credential, audit: origin.audit });
    await lockTeam(organization);
    const member = await becomeMember(organization, arrival, { account, person });
    await addIdentity(organization, identity, account.id);
    if (member === undefined) return { status: "join_requested", account, session: undefined };
    return { status: "signed_in", account, session: await begin(tx, account) };
  });
}

async function addProvidedAccount(tx: AccountTransaction, { email }: Person, claims: JsonObject): Promise<AccountRow> {
  if (email === undefined) throw refused("the account was deleted");
  const name = typeof claims.name === "string" ? claims.name : "";
  const shown =
    name
      .replace(/\p{Cc}/gu, "")
      .trim()
      .slice(0, maxNameLength) || email.text;
  await addAccount(tx, { email, name: shown, passwordHash: undefined, isVerified: true });
  return requireAccount(await findAccount(tx));
}

// Writes exactly one audit entry, whatever the result.
async function becomeMember(
  tx: Transaction,
  arrival: Arrival,
  { account, person }: { readonly account: AccountRow; readonly person: Person },
): Promise<MemberRow | undefined> {
  const member = await findMemberOfAccount(tx, account.id);
  if (member !== null) return goOn(tx, arrival, member);
  if (person.email === undefined) throw refused("the organization has not verified the domain of the e-mail address");
  await deleteExpiredInvitation(tx, account.emailKey);
  const invitation = await findMemberByEmail(tx, account.emailKey);
  if (invitation !== null) return acceptInvitation(tx, arrival, { invitation, account });
  if (arrival.sso.join === "request") return askToJoin(tx, account);
  if (await hasDirectory(tx)) throw refused("its directory decides who is a member; ask for the application there");
  const added = addMember(tx, account, mappedRole(arrival) ?? arrival.sso.defaultRole);
  await tx.em.flush();
  return tellJoined(tx, added, { before: null });
}

async function goOn(tx: Transaction, arrival: Arrival, member: MemberRow): Promise<MemberRow> {
  if (member.state !== "active") throw refused("the membership is deactivated");
  const before = auditView(member);
  // A directory that manages the member has the last word on the role.
  const mapped = (await isManaged(tx, member.id)) ? undefined : mappedRole(arrival);
  if (mapped !== undefined && member.role !== "owner" && member.role !== mapped) {
    const { accountId } = member;
    if (accountId != null && mayHoldTokens(member.role) && !mayHoldTokens(mapped))
      await endGrantsLater(tx, { accountId });
    member.role = mapped;
    member.updatedAt = tx.now;
  }
  tx.changed({ resource: resourceOf(member), before, after: auditView(member) });
  return member;
}

async function acceptInvitation(
  tx: Transaction,
  arrival: Arrival,
  { invitation, account }: { readonly invitation: MemberRow; readonly account: AccountRow },
): Promise<MemberRow> {
  if (invitation.state !== "invited") throw refused("the membership belongs to another account");
  if (invitation.role === "owner") throw refused("an invitation as owner can be accepted only with its link");
  const before = auditView(invitation);
  const claimed = (await isManaged(tx, invitation.id)) ? undefined : mappedRole(arrival);
  const role = claimed ?? invitation.role;
  const ended = { invitationDigest: null, invitationExpiresAt: null };
  Object.assign(invitation, { accountId: account.id, state: "active", role, updatedAt: tx.now }, ended);
  await tx.em.flush();
  return tellJoined(tx, invitation, { before });
}

async function tellJoined(
  tx: Transaction,
  member: MemberRow,
  { before }: { readonly before: JsonObject | null },
): Promise<MemberRow> {
  const { id, accountId, email, role } = member;
  tx.changed({ resource: resourceOf(member), before, after: auditView(member) });
  await tellAdded(tx, { id, accountId: accountId ?? "", email, role });
  return member;
}

async function askToJoin(tx: Transaction, { id: accountId, email, emailKey, name }: AccountRow): Promise<undefined> {
  const unlessRejectedSince = new Date(tx.now.getTime() - rejectionMs);
  await insertJoinRequest(
    tx,
    { id: newId(), accountId, email, emailKey, name, message: null },
    { unlessRejectedSince },
  );
  tx.changed({ resource: `account/${accountId}`, before: null, after: { email, asks_to_join: true } });
  return undefined;
}

/**
 * The highest role that the person's claim maps to; undefined when roles do not come from a claim, or it maps to none.
 */
function mappedRole({ sso, identity }: Arrival): ProvidedRole | undefined {
  if (sso.roleClaim == null) return undefined;
  const claimed = identity.claims[sso.roleClaim];
  const values = Array.isArray(claimed) ? claimed : [claimed];
  const roles = values.flatMap((value) =>
    typeof value === "string" && Object.hasOwn(sso.roleMapping, value) ? (sso.roleMapping[value] ?? []) : [],
  );
  return roles.sort((a, b) => ranks[b] - ranks[a])[0];
}

function refused(why: string): Fault {
  return new Fault(Reason.SSO_ACCOUNT_REFUSED, `the organization does not let you in by single sign-on: ${why}`);
}
