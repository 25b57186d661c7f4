// Invitations: a link that makes the person who opens it a member with the role that an admin chose. The link's token
// is stored as a digest, and works once within a week. With mail, only the address gets the link; without, the answer
// to the admin contains it.

import { Reason } from "../../../gen/policyguard/common/v1/reason_pb.ts";
import { CredentialKind } from "../../../gen/policyguard/options/v1/options_pb.ts";
import { isTicket, newTicket, tokenDigest } from "../../kit/crypto/token.ts";
import { Fault, linkInvalid, unauthenticated, validationFailed } from "../../kit/fault/fault.ts";
import type { Clock } from "../../kit/process/clock.ts";
import { newId } from "../../kit/process/id.ts";
import type { AccountCaller, AuditIntent, Caller } from "../../kit/rpc/context.ts";
import type { Database } from "../../store/connection/database.ts";
import { violatedUnique } from "../../store/connection/driver-error.ts";
import type { AccountTransaction } from "../../store/core/transaction.ts";
import { type AccountRow, findAccount, lookUpAccount } from "../../store/identity/account.ts";
import {
  countInvitations,
  deleteExpiredInvitation,
  type FoundInvitation,
  findMember,
  findMemberByEmail,
  lockTeam,
  lookUpInvitation,
  type MemberRole,
  MemberRow,
  type MemberView,
  takeInvitation,
  viewMember,
} from "../../store/identity/member.ts";
import { findOrganization } from "../../store/tenancy/organization.ts";
import { type EmailAddress, parseEmail } from "../mail/email.ts";
import { invitationMail, mayMail, type TransactionalMailer } from "../mail/mail.ts";
import { assertMayGive, lockTeamAs } from "../tenancy/team-rule.ts";
import { addAccount, requireAccount } from "./account.ts";
import type { LoginTries, TryResult } from "./login-try.ts";
import type { PasswordHasher } from "./password-hash.ts";
import { checkPassword } from "./password-rule.ts";
import { type IssuedSession, openSession } from "./session.ts";
import type { CallOrigin } from "./sign-in.ts";
import { auditView, resourceOf, tellAdded } from "./team.ts";
import { personBehind } from "./token.ts";

const linkMs = 7 * 24 * 3_600_000;

/** Open invitations of one organization. */
export const invitationLimit = 100;

/** What the service is built from. */
export interface InvitationParts {
  readonly clock: Clock;
  readonly hasher: PasswordHasher;
  readonly tries: LoginTries;
  /** Undefined when mail is not configured. */
  readonly mailer: TransactionalMailer | undefined;
  /** Address of the console, to which links lead. */
  readonly publicUrl: string;
}

/** A new invitation. */
export interface Invited {
  readonly member: MemberView;
  /** Undefined when it was mailed. */
  readonly link: string | undefined;
}

/** The input of a person who opens the link. */
export interface AcceptInput {
  readonly token: string;
  readonly name?: string;
  readonly password?: string;
}

/** What an invitation offers. */
export interface Offer {
  readonly orgName: string;
  readonly email: string;
  readonly role: MemberRole;
  readonly invitedBy: string;
  readonly expiresAt: Date;
  /** Whether the address has an account, whose password joins. */
  readonly hasAccount: boolean;
}

/** A person who has joined. */
export interface Joined {
  readonly account: AccountRow;
  /** Undefined for a person who was signed in already. */
  readonly session: IssuedSession | undefined;
  readonly membership: {
    readonly orgId: string;
    readonly orgName: string;
    readonly role: MemberRole;
    readonly secondFactorRequired: boolean;
  };
}

/** The account that joins: an existing one, or a new one. */
interface Joiner {
  readonly accountId: string;
  readonly isSignedIn: boolean;
  readonly begins?: { readonly name: string; readonly passwordHash: string };
}

/** Invites people and lets them in. */
export class Invitations {
  readonly #database: Database;
  readonly #parts: InvitationParts;

  constructor(database: Database, parts: InvitationParts) {
    this.#database = database;
    this.#parts = parts;
  }

  /** Invites an address. */
  async invite(caller: Caller, input: { readonly email: string; readonly role: MemberRole }): Promise<Invited> {
    const email = parseEmail(input.email);
    const token = newTicket("link");
    const link = `${this.#parts.publicUrl}/accept#token=${token}`;
    const { mailer, clock } = this.#parts;
    if (mailer !== undefined && !(await mayMail(this.#database, email, clock.now(), "invitation"))) throw tooMany();
    const work = this.#database.transaction(caller, async (tx) => {
      const actor = await lockTeamAs(tx, caller, "admin");
      assertMayGive(actor, input.role);
      await deleteExpiredInvitation(tx, email.key);
      const known = await findMemberByEmail(tx, email.key);
      if (known !== null && !hasLapsed(known, tx.now)) throw alreadyThere();
      if ((await countInvitations(tx)) >= invitationLimit) throw limitReached();
      const { label: by } = caller.credential;
      const byAccountId = await personBehind(tx, caller.credential);
      const invitation = { token, mailed: mailer !== undefined, by, byAccountId };
      const row = known ?? tx.em.create(MemberRow, invited(tx, email, input.role, invitation));
      // One that a directory knows keeps its id and its role, which the caller's link must not exceed.
      if (known !== null) assertMayGive(actor, known.role);
      if (known !== null) Object.assign(known, linkOf(tx, invitation));
      tx.changed({ resource: resourceOf(row), before: known && auditView(known), after: auditView(row) });
      const { name } = await findOrganization(tx);
      const facts = { link, organization: name, inviter: inviterOf(caller), role: input.role };
      await mailer?.sendWithin(tx, { ...invitationMail(email, facts), expiresAt: new Date(tx.now.getTime() + linkMs) });
      return viewMember(tx, row.id);
    });
    const member = await work.catch((error: unknown) => {
      throw violatedUnique(error) === "member_email" ? alreadyThere() : error;
    });
    return { member, link: mailer === undefined ? link : undefined };
  }

  /** What the link offers. Whoever has it may know: they could accept. */
  async lookUp(token: string): Promise<Offer> {
    const found = await this.#find(token);
    const member = await this.#database.systemTransaction(found.org_id, (tx) => findMember(tx, found.member_id));
    // It was accepted or withdrawn meanwhile.
    if (member?.invitationExpiresAt == null) throw linkInvalid();
    return {
      orgName: found.org_name,
      email: found.email,
      role: member.role,
      invitedBy: member.invitedBy ?? "",
      expiresAt: member.invitationExpiresAt,
      hasAccount: (await lookUpAccount(this.#database, found.email_key)) !== undefined,
    };
  }

  /** Joins by a link. `caller` is the signed-in person, if any. */
  async accept(input: AcceptInput, origin: CallOrigin, caller: AccountCaller | undefined): Promise<Joined> {
    const found = await this.#find(input.token);
    const digest = tokenDigest(input.token);
    const joiner = await this.#joiner(found, input, caller, origin);
    const work = this.#database.accountTransaction(joiner.accountId, (tx) =>
      join(tx, found, { digest, joiner, origin }),
    );
    return work.catch((error: unknown) => {
      // The account is a member already, under another address.
      if (violatedUnique(error) === "member_person") throw linkInvalid();
      // When two calls make an account for the address at the same moment, the second finds it.
      if (error instanceof Fault && error.reason === Reason.ALREADY_EXISTS) return this.accept(input, origin, caller);
      throw error;
    });
  }

  async #find(token: string): Promise<FoundInvitation> {
    if (!isTicket("link", token)) throw linkInvalid();
    const found = await lookUpInvitation(this.#database, tokenDigest(token), this.#parts.clock.now());
    if (found === undefined) throw linkInvalid();
    return found;
  }

  // The link proves that the address is the caller's, not that the account is.
  async #joiner(
    { email, email_key: key }: FoundInvitation,
    { name, password }: AcceptInput,
    caller: AccountCaller | undefined,
    origin: CallOrigin,
  ): Promise<Joiner> {
    // A session that began at an identity provider proves whom that provider knows, not that the account is the
    // caller's.
    const isWhole = caller !== undefined && caller.credential.providerOrgId === undefined;
    if (isWhole && parseEmail(caller.credential.label).key === key) {
      return { accountId: caller.accountId, isSignedIn: true };
    }
    const account = await lookUpAccount(this.#database, key);
    if (account === undefined) {
      const { hasher } = this.#parts;
      const begins = requireBeginning(name, password);
      checkPassword(begins.password, { email: { text: email, key }, name: begins.name });
      const passwordHash = await hasher.hash(begins.password);
      return { accountId: newId(), isSignedIn: false, begins: { name: begins.name, passwordHash } };
    }
    if (password === undefined) throw unauthenticated("this address has an account; sign in, or send its password");
    await this.#checkPassword(key, password, origin.audit);
    return { accountId: account.id, isSignedIn: false };
  }

  async #checkPassword(key: string, password: string, call: AuditIntent): Promise<void> {
    const answer = await this.#parts.tries.run(key, call, async (): Promise<TryResult<"in" | "mfa" | "out">> => {
      const account = await lookUpAccount(this.#database, key);
      const { matches } = await this.#parts.hasher.check(password, account?.password_hash);
      if (!matches) return { outcome: "wrong", value: "out" };
      return account?.mfa_enabled === true ? { outcome: "undecided", value: "mfa" } : { outcome: "right", value: "in" };
    });
    if (answer === "out") throw unauthenticated("this address has an account, and the password is wrong");
    if (answer === "mfa") throw unauthenticated("this account has a second factor; sign in, then open the link again");
  }
}

async function join(
  tx: AccountTransaction,
  found: FoundInvitation,
  { digest, joiner, origin }: { readonly digest: Buffer; readonly joiner: Joiner; readonly origin: CallOrigin },
): Promise<Joined> {
  const { email, email_key: key, mailed: isVerified } = found;
  const { accountId, begins } = joiner;
  const account =
    begins === undefined
      ? requireAccount(await findAccount(tx))
      : await addAccount(tx, { email: { text: email, key }, ...begins, isVerified });
  // A caller with the account and the mailed link has proved that both are theirs.
  if (isVerified) account.emailVerifiedAt ??= tx.now;
  const author = { credential: { id: accountId, label: account.email }, audit: origin.audit };
  const organization = await tx.openOrganization(found.org_id, author);
  // A join request of the same person may be approved at the same time.
  await lockTeam(organization);
  const member = await takeInvitation(organization, digest, accountId);
  if (member === undefined) throw linkInvalid();
  const { id, role } = member;
  organization.changed({
    resource: resourceOf(member),
    before: { email, role, state: "invited" },
    after: { email, role, state: "active" },
  });
  await tellAdded(organization, { id, accountId, email, role });
  const session = joiner.isSignedIn ? undefined : await openSession(tx, "invitation", origin);
  const { secondFactorRequired } = await findOrganization(organization);
  return { account, session, membership: { orgId: found.org_id, orgName: found.org_name, role, secondFactorRequired } };
}

function invited(
  { orgId, now }: { readonly orgId: string; readonly now: Date },
  email: EmailAddress,
  role: MemberRole,
  link: NewLink,
) {
  return {
    ...{ orgId, id: newId(), accountId: null, email: email.text, emailKey: email.key, role },
    ...{ state: "invited" as const, createdAt: now },
    ...linkOf({ now }, link),
  };
}

interface NewLink {
  readonly token: string;
  readonly mailed: boolean;
  readonly by: string;
  readonly byAccountId: string | null;
}

function linkOf({ now }: { readonly now: Date }, { token, mailed, by, byAccountId }: NewLink) {
  return {
    updatedAt: now,
    invitationDigest: tokenDigest(token),
    invitationExpiresAt: new Date(now.getTime() + linkMs),
    invitationMailed: mailed,
    invitedBy: by,
    invitedByAccountId: byAccountId,
  };
}

// An expired invitation of anybody else was deleted before.
function hasLapsed({ state, invitationExpiresAt: end }: MemberRow, now: Date): boolean {
  return state === "invited" && end != null && end <= now;
}

/** A new link that invites for a week. `digest` is what is stored of it. */
export function newInvitationLink(publicUrl: string, now: Date) {
  const token = newTicket("link");
  const expiresAt = new Date(now.getTime() + linkMs);
  return { link: `${publicUrl}/accept#token=${token}`, digest: tokenDigest(token), expiresAt };
}

function inviterOf({ credential: { kind, label } }: Caller): string {
  return kind === CredentialKind.MEMBER ? label : "An administrator";
}

function requireBeginning(name: string | undefined, password: string | undefined) {
  if (name !== undefined && password !== undefined) return { name, password };
  const missing = Object.entries({ name, password }).filter(([, value]) => value === undefined);
  throw validationFailed(missing.map(([field]) => ({ field, message: "is required for a new account" })));
}

function alreadyThere(): Fault {
  return new Fault(Reason.ALREADY_EXISTS, "this address belongs to a member, or has an open invitation");
}

function tooMany(): Fault {
  return new Fault(Reason.LIMIT_REACHED, "this address was invited too often within the hour; try again later");
}

function limitReached(): Fault {
  return new Fault(Reason.LIMIT_REACHED, `an organization has at most ${invitationLimit} open invitations`, {
    extra: { limit: invitationLimit },
  });
}
