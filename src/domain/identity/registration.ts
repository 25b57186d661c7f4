// Registers accounts. With mail, a mailed link makes the account, and the answer to a registration does not tell
// whether the address has one already. Without mail, the account is made at once and a known address is refused, so
// such an installation tells strangers which addresses have accounts.

import { Reason } from "../../../gen/policyguard/common/v1/reason_pb.ts";
import { isTicket, newTicket, tokenDigest } from "../../kit/crypto/token.ts";
import { Fault, linkInvalid } from "../../kit/fault/fault.ts";
import type { Clock } from "../../kit/process/clock.ts";
import { newId } from "../../kit/process/id.ts";
import type { Database } from "../../store/connection/database.ts";
import type { AccountTransaction } from "../../store/core/transaction.ts";
import { lookUpAccount } from "../../store/identity/account.ts";
import { addOneTimeToken, lookUpOneTimeToken, useOneTimeToken } from "../../store/identity/one-time-token.ts";
import type { Plan } from "../billing/plan.ts";
import { type EmailAddress, parseEmail } from "../mail/email.ts";
import { confirmationMail, knownAddressMail, mayMail, type Post } from "../mail/mail.ts";
import { addAccount, addOwnOrganization } from "./account.ts";
import type { PasswordHasher } from "./password-hash.ts";
import { checkPassword } from "./password-rule.ts";
import { openSession } from "./session.ts";
import type { CallOrigin, SignedIn } from "./sign-in.ts";

const linkMs = 24 * 3_600_000;

/** The input of a registration. */
export interface RegistrationInput {
  readonly email: string;
  readonly password: string;
  readonly name: string;
  readonly organizationName?: string;
}

/** A new account with its session and, if the registration named one, its organization. */
export interface Begun extends SignedIn {
  readonly orgId: string | undefined;
}

/** The payload of a registration's link. */
type Pending = {
  readonly email_text: string;
  readonly email_key: string;
  readonly name: string;
  readonly password_hash: string;
  readonly organization_name: string | null;
};

/** Makes accounts. */
export class Registrations {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #hasher: PasswordHasher;
  readonly #post: Post | undefined;
  readonly #isOpen: boolean;
  readonly #defaultPlan: Plan;

  constructor(
    database: Database,
    clock: Clock,
    parts: {
      readonly hasher: PasswordHasher;
      readonly post: Post | undefined;
      readonly isOpen: boolean;
      /** The plan of new organizations. */
      readonly defaultPlan: Plan;
    },
  ) {
    this.#database = database;
    this.#clock = clock;
    this.#hasher = parts.hasher;
    this.#post = parts.post;
    this.#isOpen = parts.isOpen;
    this.#defaultPlan = parts.defaultPlan;
  }

  /** Makes an account and returns it, or mails the link that makes it and returns undefined. */
  async register(input: RegistrationInput, origin: CallOrigin): Promise<Begun | undefined> {
    this.#assertOpen();
    const email = parseEmail(input.email);
    checkPassword(input.password, { email, name: input.name });
    const pending: Pending = {
      email_text: email.text,
      email_key: email.key,
      name: input.name,
      password_hash: await this.#hasher.hash(input.password),
      organization_name: input.organizationName ?? null,
    };
    const accountId = newId();
    if (this.#post !== undefined) return this.#mailLink(this.#post, email, accountId, pending);
    return this.#database.accountTransaction(accountId, (tx) =>
      begin(tx, pending, origin, { isVerified: false, plan: this.#defaultPlan }),
    );
  }

  /** Makes the account of a mailed link. */
  async confirm(token: string, origin: CallOrigin): Promise<Begun> {
    // A link from a time when registration was open does not work anymore.
    this.#assertOpen();
    if (!isTicket("link", token)) throw linkInvalid();
    const digest = tokenDigest(token);
    const accountId = await lookUpOneTimeToken(this.#database, "register", digest, this.#clock.now());
    if (accountId === undefined) throw linkInvalid();
    return this.#database.accountTransaction(accountId, async (tx) => {
      const pending = await useOneTimeToken(tx, "register", digest);
      if (pending === undefined) throw linkInvalid();
      // Our own row, written by `#mailLink`.
      return begin(tx, pending as Pending, origin, { isVerified: true, plan: this.#defaultPlan });
    });
  }

  #assertOpen(): void {
    if (this.#isOpen) return;
    throw new Fault(
      Reason.REGISTRATION_CLOSED,
      "nobody can register at this installation: open the link of your invitation, sign in through your organization's " +
        "identity provider, or ask the operator for an account",
    );
  }

  // A known address takes the same steps, so that both take the same time; its token is sent to nobody.
  async #mailLink(post: Post, email: EmailAddress, accountId: string, pending: Pending): Promise<undefined> {
    const found = await lookUpAccount(this.#database, email.key);
    const token = newTicket("link");
    await this.#database.accountTransaction(accountId, async (tx) =>
      addOneTimeToken(tx, "register", { digest: tokenDigest(token), payload: pending, lifeMs: linkMs }),
    );
    if (!(await mayMail(this.#database, email, this.#clock.now()))) return;
    post.mailer.send(found === undefined ? confirmationMail(post, email, token) : knownAddressMail(post, email));
  }
}

async function begin(
  tx: AccountTransaction,
  pending: Pending,
  origin: CallOrigin,
  { isVerified, plan }: { readonly isVerified: boolean; readonly plan: Plan },
): Promise<Begun> {
  const { email_text: text, email_key: key, name, password_hash: passwordHash } = pending;
  const account = await addAccount(tx, { email: { text, key }, name, passwordHash, isVerified }).catch(asInvalidLink);
  const session = await openSession(tx, "password", origin);
  const { organization_name: orgName } = pending;
  const orgId =
    orgName === null ? undefined : await addOwnOrganization(tx, account, { name: orgName, plan, audit: origin.audit });
  return { account, session, orgId };

  // Of two links for one address, the second does not work anymore.
  function asInvalidLink(error: unknown): never {
    throw isVerified && error instanceof Fault ? linkInvalid() : error;
  }
}
