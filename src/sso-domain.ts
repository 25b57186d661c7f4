// What the control plane has for single sign-on, put together.

import { SsoConfigurations } from "./domain/sso.ts";
import { SsoDomains } from "./domain/sso-domain.ts";
import { SsoLogins } from "./domain/sso-login.ts";
import type { Clock } from "./kit/clock.ts";
import type { Outbound } from "./kit/outbound/client.ts";
import type { NetworkGuard } from "./kit/outbound/guard.ts";
import { OidcClient } from "./kit/outbound/oidc.ts";
import { createResolveText } from "./kit/outbound/resolve.ts";
import type { Sealer } from "./kit/seal.ts";
import type { SsoDomain } from "./rpc/sso.ts";
import type { Database } from "./store/database.ts";

const dnsTimeoutMs = 3000;

/** What single sign-on needs of its process. */
export interface SsoDomainParts {
  readonly clock: Clock;
  readonly sealer: Sealer;
  readonly guard: NetworkGuard;
  readonly outbound: Outbound;
  /** Empty: the system's. */
  readonly dnsServers: readonly string[];
  /** Address of this service as browsers reach it, without a slash at its end. */
  readonly publicUrl: string;
}

/** Configurations, domains and sign-ins. */
export function createSsoDomain(database: Database, parts: SsoDomainParts): SsoDomain {
  const { clock, sealer, guard, outbound, dnsServers, publicUrl } = parts;
  const oidc = new OidcClient({ outbound, guard, clock });
  return {
    ssoConfigurations: new SsoConfigurations(database, { sealer, oidc }),
    ssoDomains: new SsoDomains(database, { resolveText: createResolveText({ dnsServers, timeoutMs: dnsTimeoutMs }) }),
    ssoLogins: new SsoLogins(database, { sealer, oidc, clock, publicUrl }),
  };
}
