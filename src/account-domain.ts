// What the control plane has about people, put together.

import { Accounts } from "./domain/account.ts";
import { Invitations } from "./domain/invitation.ts";
import { JoinRequests } from "./domain/join-request.ts";
import { Logins } from "./domain/login.ts";
import { LoginTries } from "./domain/login-try.ts";
import type { MailQueue } from "./domain/mail-queue.ts";
import { OwnOrganizations } from "./domain/own-organization.ts";
import { Passwords } from "./domain/password-change.ts";
import { PasswordHasher } from "./domain/password-hash.ts";
import { Registrations } from "./domain/registration.ts";
import { SecondFactors } from "./domain/second-factor.ts";
import { Sessions } from "./domain/session.ts";
import { Team } from "./domain/team.ts";
import type { Clock } from "./kit/clock.ts";
import type { Sealer } from "./kit/seal.ts";
import type { AccountDomain } from "./rpc/account.ts";
import type { TeamDomain } from "./rpc/team.ts";
import type { Database } from "./store/database.ts";

/** What people need of their process. */
export interface AccountParts {
  readonly clock: Clock;
  readonly sealer: Sealer;
  /** Undefined when mail is not configured. */
  readonly mailer: MailQueue | undefined;
  /** Address of the console, without a slash at its end. */
  readonly publicUrl: string;
}

/** Accounts, sessions, passwords, second factors, and the organizations that people are members of. */
export function createAccountDomain(
  database: Database,
  { clock, sealer, mailer, publicUrl }: AccountParts,
): AccountDomain & TeamDomain & { readonly ownOrganizations: OwnOrganizations } {
  const post = mailer && { mailer, publicUrl };
  const hasher = new PasswordHasher();
  const tries = new LoginTries(database, clock);
  const factors = new SecondFactors(database, { sealer, tries });
  return {
    accounts: new Accounts(database),
    registrations: new Registrations(database, clock, { hasher, post }),
    logins: new Logins(database, clock, { tries, hasher, factors }),
    sessions: new Sessions(database, clock),
    passwords: new Passwords(database, clock, { hasher, tries, post }),
    factors,
    team: new Team(database, { mailer }),
    invitations: new Invitations(database, { clock, hasher, tries, mailer, publicUrl }),
    joinRequests: new JoinRequests(database, { mailer, publicUrl }),
    ownOrganizations: new OwnOrganizations(database),
  };
}
