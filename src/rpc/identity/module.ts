// The services of this room: accounts, teams, tokens and single sign-on.

import type { DescService } from "@bufbuild/protobuf";
import type { ConnectRouter } from "@connectrpc/connect";
import { AccountService } from "../../../gen/policyguard/control/v1/account_service_pb.ts";
import { SsoService } from "../../../gen/policyguard/control/v1/sso_service_pb.ts";
import { TeamService } from "../../../gen/policyguard/control/v1/team_service_pb.ts";
import { TokenService } from "../../../gen/policyguard/control/v1/token_service_pb.ts";
import type { Tokens } from "../../domain/identity/token.ts";
import { type AccountDomain, accountHandlers } from "./account.ts";
import { ConsoleSessions } from "./console-session.ts";
import { invitationHandlers } from "./invitation.ts";
import { type SsoDomain, ssoHandlers } from "./sso.ts";
import { type TeamDomain, teamHandlers } from "./team.ts";
import { tokenHandlers } from "./token.ts";

/** What the handlers call. */
export interface IdentityDomain extends AccountDomain, TeamDomain, SsoDomain {
  readonly tokens: Tokens;
}

/**
 * Registers the services. `services` are all of the control plane: GetPermissions tells who may call them. `publicUrl`
 * is where browsers reach it.
 */
export function registerIdentityServices(
  router: ConnectRouter,
  domain: IdentityDomain,
  { services, publicUrl }: { readonly services: readonly DescService[]; readonly publicUrl: string },
): void {
  const consoles = new ConsoleSessions(domain.sessions, publicUrl);
  router.service(AccountService, {
    ...accountHandlers(domain, consoles),
    ...invitationHandlers(domain.invitations, consoles),
  });
  router.service(TeamService, teamHandlers(domain, services));
  router.service(TokenService, tokenHandlers(domain.tokens));
  router.service(SsoService, ssoHandlers(domain, consoles));
}
