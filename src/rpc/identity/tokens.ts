import type { MessageInitShape } from "@bufbuild/protobuf";
import type { SessionTokensSchema } from "../../../gen/policyguard/control/v1/account_pb.ts";
import type { IssuedTokens } from "../../domain/identity/session.ts";

/** A session's credentials as callers see them. */
export function tokensMessage(session: IssuedTokens): MessageInitShape<typeof SessionTokensSchema> {
  return {
    accessToken: session.accessToken,
    refreshToken: session.refreshToken,
    tokenType: "Bearer",
    expiresIn: session.expiresInSeconds,
  };
}
