// What the control plane has about people, put together.

import { Accounts } from "./domain/account.ts";
import { Logins } from "./domain/login.ts";
import { LoginTries } from "./domain/login-try.ts";
import type { Post } from "./domain/mail.ts";
import { Passwords } from "./domain/password-change.ts";
import { PasswordHasher } from "./domain/password-hash.ts";
import { Registrations } from "./domain/registration.ts";
import { SecondFactors } from "./domain/second-factor.ts";
import { Sessions } from "./domain/session.ts";
import type { Clock } from "./kit/clock.ts";
import type { Sealer } from "./kit/seal.ts";
import type { AccountDomain } from "./rpc/account.ts";
import type { Database } from "./store/database.ts";

/** Accounts, sessions, passwords and second factors. */
export function createAccountDomain(
  database: Database,
  parts: { readonly clock: Clock; readonly sealer: Sealer; readonly post: Post | undefined },
): AccountDomain {
  const { clock, sealer, post } = parts;
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
  };
}
