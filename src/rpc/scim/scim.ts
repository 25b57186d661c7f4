import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampDate } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import type { ScimPreviousTokenSchema, ScimService } from "../../../gen/policyguard/control/v1/scim_service_pb.ts";
import { Role } from "../../../gen/policyguard/options/v1/options_pb.ts";
import { roleOf } from "../../domain/identity/session.ts";
import type { DirectoryToken, DirectoryTokens } from "../../domain/scim/directory-token.ts";
import {
  resourceTypeNamed,
  resourceTypes,
  schemaOf,
  schemas,
  serviceProviderConfig,
} from "../../domain/scim/discovery.ts";
import type { GroupMapping, GroupMappings } from "../../domain/scim/group-mapping.ts";
import type { ScimGroups } from "../../domain/scim/groups.ts";
import { type ScimUsers, scimBaseUrl } from "../../domain/scim/users.ts";
import { callerOf } from "../../kit/rpc/context.ts";
import { roleName } from "../identity/role.ts";
import { timestamp } from "../time.ts";

/** What the handlers call. */
export interface ScimDomain {
  readonly directoryTokens: DirectoryTokens;
  readonly groupMappings: GroupMappings;
  readonly scimUsers: ScimUsers;
  readonly scimGroups: ScimGroups;
  /** Address of the control plane as directories reach it. */
  readonly scimAddress: string;
}

type Handlers = ServiceImpl<typeof ScimService>;

/** Handlers of ScimService. */
export function scimHandlers(domain: ScimDomain): Handlers {
  return {
    ...tokenHandlers(domain),
    ...mappingHandlers(domain),
    ...discoveryHandlers(domain),
    ...userHandlers(domain),
    ...groupHandlers(domain),
  };
}

function tokenHandlers({ directoryTokens }: ScimDomain) {
  return {
    issueScimToken: async ({ name, expiresAt, keepPreviousHours }, context) => {
      const input = { name, expiresAt: expiresAt && timestampDate(expiresAt), keepPreviousHours };
      const issued = await directoryTokens.issue(callerOf(context), input);
      return { ...tokenFields(issued), token: issued.value };
    },
    getScimToken: async (_request, context) => {
      const token = await directoryTokens.get(callerOf(context));
      const { name, createdBy, lastUsedAt } = token.row;
      return { ...tokenFields(token), name, createdBy, lastUsedAt: timestamp(lastUsedAt) };
    },
    revokeScimToken: async (_request, context) => {
      await directoryTokens.revoke(callerOf(context));
      return {};
    },
  } satisfies Partial<Handlers>;
}

function tokenFields({ row, previous, baseUrl }: DirectoryToken) {
  return {
    ...{ id: row.id, prefix: row.prefix, baseUrl },
    authority: roleOf(row.authority ?? "admin"),
    expiresAt: timestamp(row.expiresAt),
    createdAt: timestamp(row.createdAt),
    previous: previous && previousMessage(previous),
  };
}

function previousMessage({
  prefix,
  expiresAt,
}: DirectoryToken["row"]): MessageInitShape<typeof ScimPreviousTokenSchema> {
  return { prefix, expiresAt: timestamp(expiresAt) };
}

function mappingHandlers({ groupMappings }: ScimDomain) {
  return {
    getScimGroupMapping: async (_request, context) => mappingMessage(await groupMappings.get(callerOf(context))),
    setScimGroupMapping: async ({ groups, defaultRole }, context) => {
      const role = defaultRole === Role.UNSPECIFIED ? "viewer" : roleName(defaultRole);
      const wanted = {
        groups: groups.map((group) => ({ role: roleName(group.role), displayName: group.displayName })),
        // The contract excludes owner.
        defaultRole: role === "owner" ? "viewer" : role,
      } as const;
      return mappingMessage(await groupMappings.set(callerOf(context), wanted));
    },
  } satisfies Partial<Handlers>;
}

function mappingMessage({ groups, defaultRole }: GroupMapping) {
  return {
    groups: groups.map(({ role, displayName }) => ({ role: roleOf(role), displayName })),
    defaultRole: roleOf(defaultRole),
  };
}

function discoveryHandlers({ scimAddress }: ScimDomain) {
  const at = (orgId: string) => scimBaseUrl(scimAddress, orgId);
  return {
    getServiceProviderConfig: ({ orgId }) => ({ resource: serviceProviderConfig(at(orgId)) }),
    listResourceTypes: ({ orgId }) => ({ resource: resourceTypes(at(orgId)) }),
    getResourceType: ({ orgId, name }) => ({ resource: resourceTypeNamed(name, at(orgId)) }),
    listScimSchemas: ({ orgId }) => ({ resource: schemas(at(orgId)) }),
    getScimSchema: ({ orgId, uri }) => ({ resource: schemaOf(uri, at(orgId)) }),
  } satisfies Partial<Handlers>;
}

function userHandlers({ scimUsers }: ScimDomain) {
  return {
    listScimUsers: async (request, context) => ({ resource: await scimUsers.list(callerOf(context), request) }),
    createScimUser: ({ resource = {}, ...projection }, context) =>
      scimUsers.create(callerOf(context), resource, projection),
    getScimUser: ({ userId: id, ...request }, context) => scimUsers.get(callerOf(context), { ...request, id }),
    replaceScimUser: ({ userId: id, resource = {}, ...request }, context) =>
      scimUsers.replace(callerOf(context), resource, { ...request, id }),
    patchScimUser: ({ userId: id, resource = {}, ...request }, context) =>
      scimUsers.patch(callerOf(context), resource, { ...request, id }),
    deleteScimUser: async ({ userId: id, ifMatch }, context) => {
      await scimUsers.delete(callerOf(context), { id, ifMatch });
      return {};
    },
  } satisfies Partial<Handlers>;
}

function groupHandlers({ scimGroups }: ScimDomain) {
  return {
    listScimGroups: async (request, context) => ({ resource: await scimGroups.list(callerOf(context), request) }),
    getScimGroup: ({ groupId: id, ...request }, context) => scimGroups.get(callerOf(context), { ...request, id }),
    replaceScimGroup: ({ groupId: id, resource = {}, ...request }, context) =>
      scimGroups.replace(callerOf(context), resource, { ...request, id }),
    patchScimGroup: async ({ groupId: id, resource = {}, ...request }, context) => ({
      ...(await scimGroups.patch(callerOf(context), resource, { ...request, id })),
      noContent: request.attributes === undefined && request.excludedAttributes === undefined,
    }),
  } satisfies Partial<Handlers>;
}
