// How accounts begin. With mail: by a link, and whoever registers an address learns nothing about whether it has an account; the
// account exists from the click on. Without mail nobody can be asked, so an account begins at once and a known address is refused:
// such an installation tells strangers which addresses have accounts.

import { Reason } from "../../gen/policyguard/common/v1/reason_pb.ts";
import type { Clock } from "../kit/clock.ts";
import type { AuditIntent } from "../kit/context.ts";
import { Fault } from "../kit/error.ts";
import { newId } from "../kit/id.ts";
import { isTicket, newTicket, tokenDigest } from "../kit/token.ts";
import { lookUpAccount } from "../store/account.ts";
import type { AccountTransaction, Database } from "../store/database.ts";
import { addOneTimeToken, lookUpOneTimeToken, useOneTimeToken } from "../store/one-time-token.ts";
import { addAccount, addOwnOrganization } from "./account.ts";
import { type EmailAddress, parseEmail } from "./email.ts";
import type { SignedIn } from "./login.ts";
import { confirmationMail, knownAddressMail, mayMail, type Post } from "./mail.ts";
import type { PasswordHasher } from "./password-hash.ts";
import { checkPassword } from "./password-rule.ts";
import { type Origin, openSession } from "./session.ts";

const linkMs = 24 * 3_600_000;

/** What somebody says who registers. */
export interface RegistrationInput {
  readonly email: string;
  readonly password: string;
  readonly name: string;
  readonly organizationName?: string;
}

/** An account that has begun, with its session and, where one was asked for, its organization. */
export interface Begun extends SignedIn {
  readonly orgId: string | undefined;
}

/** What the link of a registration stands for. */
type Pending = {
  readonly email_text: string;
  readonly email_key: string;
  readonly name: string;
  readonly password_hash: string;
  readonly organization_name: string | null;
};

/** From where a call came. */
export interface CallOrigin extends Origin {
  readonly audit: AuditIntent;
}

/** Begins accounts. */
export class Registrations {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #hasher: PasswordHasher;
  readonly #post: Post | undefined;

  constructor(
    database: Database,
    clock: Clock,
    parts: { readonly hasher: PasswordHasher; readonly post: Post | undefined },
  ) {
    this.#database = database;
    this.#clock = clock;
    this.#hasher = parts.hasher;
    this.#post = parts.post;
  }

  /** Begins an account, or mails the link that does; undefined then. */
  async register(input: RegistrationInput, origin: CallOrigin): Promise<Begun | undefined> {
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
    return this.#database.accountTransaction(accountId, (tx) => begin(tx, pending, origin, { isVerified: false }));
  }

  /** Begins the account of a mailed link. */
  async confirm(token: string, origin: CallOrigin): Promise<Begun> {
    if (!isTicket("link", token)) throw linkInvalid();
    const digest = tokenDigest(token);
    const accountId = await lookUpOneTimeToken(this.#database, "register", digest, this.#clock.now());
    if (accountId === undefined) throw linkInvalid();
    return this.#database.accountTransaction(accountId, async (tx) => {
      const pending = await useOneTimeToken(tx, "register", digest);
      if (pending === undefined) throw linkInvalid();
      // Our own row, written by `#mailLink`.
      return begin(tx, pending as Pending, origin, { isVerified: true });
    });
  }

  // A known address takes the same way, so that both take as long; its token goes to nobody.
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
  { isVerified }: { readonly isVerified: boolean },
): Promise<Begun> {
  const { email_text: text, email_key: key, name, password_hash: passwordHash } = pending;
  const account = await addAccount(tx, { email: { text, key }, name, passwordHash, isVerified }).catch(asInvalidLink);
  const session = await openSession(tx, "password", origin);
  const { organization_name: orgName } = pending;
  const orgId =
    orgName === null ? undefined : await addOwnOrganization(tx, account, { name: orgName, audit: origin.audit });
  return { account, session, orgId };

  // Two links for one address: the second is worth nothing any more.
  function asInvalidLink(error: unknown): never {
    throw isVerified && error instanceof Fault ? linkInvalid() : error;
  }
}

/** A link that is unknown, used or expired. */
export function linkInvalid(): Fault {
  return new Fault(Reason.LINK_INVALID, "this link is unknown, used or expired; ask for a new one");
}
