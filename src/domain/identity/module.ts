// The services of this room: accounts, sessions, teams, tokens and single sign-on.

import type { Outbound } from "../../kit/net/outbound/client.ts";
import type { NetworkGuard } from "../../kit/net/outbound/guard.ts";
import { createResolveText } from "../../kit/net/outbound/resolve.ts";
import type { Clock } from "../../kit/process/clock.ts";
import { productVersion } from "../../kit/process/product-folder.ts";
import { OidcClient } from "../../platform/oidc/oidc.ts";
import type { Sealer } from "../../platform/seal.ts";
import type { Database } from "../../store/connection/database.ts";
import type { Plan } from "../billing/plan.ts";
import type { MailQueue } from "../mail/mail-queue.ts";
import { Accounts } from "./account.ts";
import type { Installation } from "./installation.ts";
import { Invitations } from "./invitation.ts";
import { JoinRequests } from "./join-request.ts";
import { Logins } from "./login.ts";
import { LoginTries } from "./login-try.ts";
import { OwnOrganizations } from "./own-organization.ts";
import { Passwords } from "./password-change.ts";
import { PasswordHasher } from "./password-hash.ts";
import { Registrations } from "./registration.ts";
import { SecondFactors } from "./second-factor.ts";
import { Sessions } from "./session.ts";
import type { NoteRefusal } from "./sign-in-refusal.ts";
import { SsoConfigurations } from "./sso.ts";
import { SsoDomains } from "./sso-domain.ts";
import { SsoLogins } from "./sso-login.ts";
import { StepUp } from "./step-up.ts";
import { Team } from "./team.ts";
import { Tokens } from "./token.ts";

const dnsTimeoutMs = 3000;

/** What the services are built from. */
export interface IdentityParts {
  readonly database: Database;
  readonly clock: Clock;
  readonly sealer: Sealer;
  /** Undefined when mail is not configured. */
  readonly mailer: MailQueue | undefined;
  readonly guard: NetworkGuard;
  readonly outbound: Outbound;
  /** Empty for the servers of the system. */
  readonly dnsServers: readonly string[];
  /** Address of the control plane and its console as browsers reach it, without a slash at its end. */
  readonly publicUrl: string;
  /** Whether strangers may register. */
  readonly isRegistrationOpen: boolean;
  /** The address of a runtime; undefined when the operator has named none. */
  readonly runtimeUrl: string | undefined;
  /** The plan of new organizations. */
  readonly defaultPlan: Plan;
  /** Counts and logs refused sign-ins. */
  readonly noteRefusal: NoteRefusal;
}

/** Builds the services. */
export function createIdentityDomain(parts: IdentityParts) {
  const tokens = new Tokens(parts.database);
  return { ...createAccounts(parts), ...createSso(parts), tokens, installation: installationOf(parts) };
}

function installationOf({ mailer, isRegistrationOpen, runtimeUrl }: IdentityParts): Installation {
  return { version: productVersion(), isRegistrationOpen, isMailConfigured: mailer !== undefined, runtimeUrl };
}

function createAccounts(parts: IdentityParts) {
  const { database, clock, sealer, mailer, publicUrl, isRegistrationOpen, defaultPlan, noteRefusal: note } = parts;
  const post = mailer && { mailer, publicUrl };
  const hasher = new PasswordHasher();
  const tries = new LoginTries(database, clock, note);
  const stepUp = new StepUp(database, { clock, hasher, tries });
  const factors = new SecondFactors(database, { sealer, tries, stepUp, mailer });
  return {
    accounts: new Accounts(database),
    registrations: new Registrations(database, clock, { hasher, post, isOpen: isRegistrationOpen, defaultPlan }),
    logins: new Logins(database, clock, { tries, hasher, factors, note }),
    sessions: new Sessions(database, clock),
    passwords: new Passwords(database, clock, { hasher, tries, post }),
    factors,
    team: new Team(database, { mailer }),
    invitations: new Invitations(database, { clock, hasher, tries, mailer, publicUrl }),
    joinRequests: new JoinRequests(database, { mailer, publicUrl }),
    ownOrganizations: new OwnOrganizations(database, { defaultPlan }),
  };
}

function createSso(parts: IdentityParts) {
  const { database, clock, sealer, guard, outbound, dnsServers, publicUrl, noteRefusal: note } = parts;
  const oidc = new OidcClient({ outbound, guard, clock });
  return {
    ssoConfigurations: new SsoConfigurations(database, { sealer, oidc }),
    ssoDomains: new SsoDomains(database, { resolveText: createResolveText({ dnsServers, timeoutMs: dnsTimeoutMs }) }),
    ssoLogins: new SsoLogins(database, { sealer, oidc, clock, publicUrl, note }),
  };
}
