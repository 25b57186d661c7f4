import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampDate } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import type { TokenAuthorSchema, TokenSchema } from "../../../gen/policyguard/control/v1/token_pb.ts";
import type { TokenService } from "../../../gen/policyguard/control/v1/token_service_pb.ts";
import { credentialKindOf, type IssuedToken, type Tokens } from "../../domain/identity/token.ts";
import { callerOf } from "../../kit/rpc/context.ts";
import { pageOf, searchOf } from "../../kit/rpc/page.ts";
import { timestamp } from "../time.ts";

type Row = IssuedToken["row"];

/** Handlers of TokenService. */
export function tokenHandlers(tokens: Tokens): ServiceImpl<typeof TokenService> {
  return {
    issueRuntimeToken: async ({ projectId, environment, name, expiresAt }, context) =>
      issuedMessage(
        await tokens.issue(callerOf(context), "runtime", {
          name: name ?? `runtime of ${environment}`,
          projectId,
          environment,
          expiresAt: expiresAt && timestampDate(expiresAt),
        }),
      ),
    issueCiToken: async ({ projectId, name, expiresAt }, context) =>
      issuedMessage(
        await tokens.issue(callerOf(context), "ci", {
          name,
          projectId,
          expiresAt: expiresAt && timestampDate(expiresAt),
        }),
      ),
    issueAdminToken: async ({ name, expiresAt, neverExpires }, context) =>
      issuedMessage(
        await tokens.issue(callerOf(context), "admin", {
          name,
          expiresAt: expiresAt && timestampDate(expiresAt),
          neverExpires,
        }),
      ),
    getOwnToken: async (_, context) => ({ token: tokenMessage(await tokens.own(callerOf(context))) }),
    listTokens: async (request, context) => {
      const page = pageOf(request);
      const [rows, total] = await tokens.list(callerOf(context), { ...page, ...searchOf(request) });
      return { total, ...page, tokens: rows.map(tokenMessage) };
    },
    revokeToken: async ({ tokenId }, context) => {
      await tokens.revoke(callerOf(context), tokenId);
      return {};
    },
    rotateToken: async ({ tokenId, overlapSeconds }, context) => {
      const { row, value, previousExpiresAt } = await tokens.rotate(callerOf(context), tokenId, { overlapSeconds });
      return {
        ...{ id: row.id, token: value, prefix: row.prefix },
        ...{ previousExpiresAt: timestamp(previousExpiresAt), expiresAt: timestamp(row.expiresAt) },
      };
    },
  };
}

function issuedMessage({ row, value }: IssuedToken) {
  return { ...commonFields(row), token: value };
}

function tokenMessage(row: Row): MessageInitShape<typeof TokenSchema> {
  return { ...commonFields(row), lastUsedAt: timestamp(row.lastUsedAt), rotatedBy: rotatedBy(row) };
}

function rotatedBy({
  rotatedBy: label,
  rotatedByTokenId,
  accountId,
}: Row): MessageInitShape<typeof TokenAuthorSchema> | undefined {
  if (label == null) return undefined;
  return { label, accountId: accountId ?? undefined, tokenId: rotatedByTokenId ?? undefined };
}

function commonFields(row: Row) {
  return {
    id: row.id,
    orgId: row.orgId,
    type: credentialKindOf(row.kind),
    name: row.name,
    projectId: row.projectId ?? undefined,
    environment: row.environment ?? undefined,
    prefix: row.prefix,
    createdAt: timestamp(row.createdAt),
    expiresAt: timestamp(row.expiresAt),
    createdBy: {
      label: row.createdBy,
      accountId: row.createdByAccountId ?? undefined,
      tokenId: row.createdByTokenId ?? undefined,
    },
  };
}
