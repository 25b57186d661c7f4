import type { ServiceImpl } from "@connectrpc/connect";
import type { AccountService } from "../../../gen/policyguard/control/v1/account_service_pb.ts";
import type { Invitations } from "../../domain/identity/invitation.ts";
import { roleOf } from "../../domain/identity/session.ts";
import { signedInAccount } from "../../kit/rpc/context.ts";
import { accountMessage, originOf, tokensMessage } from "./account.ts";

/** The handler of AccountService that accepts invitations. */
export function invitationHandlers(
  invitations: Invitations,
): Pick<ServiceImpl<typeof AccountService>, "acceptInvitation"> {
  return {
    acceptInvitation: async (request, context) => {
      const joined = await invitations.accept(request, originOf(context), signedInAccount(context));
      const { orgId, orgName, role } = joined.membership;
      return {
        account: accountMessage(joined.account),
        tokens: joined.session && tokensMessage(joined.session),
        membership: { orgId, orgName, role: roleOf(role) },
      };
    },
  };
}
