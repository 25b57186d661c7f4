import type { ServiceImpl } from "@connectrpc/connect";
import type { AccountService } from "../../../gen/policyguard/control/v1/account_service_pb.ts";
import type { Invitations } from "../../domain/identity/invitation.ts";
import { roleOf } from "../../domain/identity/session.ts";
import { signedInAccount } from "../../kit/rpc/context.ts";
import { timestamp } from "../time.ts";
import { accountMessage } from "./account.ts";
import type { ConsoleSessions } from "./console-session.ts";

/** The handlers of AccountService for people who were invited. */
export function invitationHandlers(
  invitations: Invitations,
  consoles: ConsoleSessions,
): Pick<ServiceImpl<typeof AccountService>, "acceptInvitation" | "lookUpInvitation"> {
  return {
    lookUpInvitation: async ({ token }) => {
      const { role, expiresAt, ...offer } = await invitations.lookUp(token);
      return { ...offer, role: roleOf(role), expiresAt: timestamp(expiresAt) };
    },
    acceptInvitation: async (request, context) => {
      const origin = consoles.originOf(context, request);
      const joined = await invitations.accept(request, origin, signedInAccount(context));
      const { role, ...membership } = joined.membership;
      return {
        account: accountMessage(joined.account),
        ...(await consoles.answer(context, joined.session)),
        membership: { ...membership, role: roleOf(role) },
      };
    },
  };
}
