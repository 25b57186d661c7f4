// A group of the directory as SCIM shows it.

import type { JsonObject } from "@bufbuild/protobuf";
import type { GroupMember, ScimGroupRow } from "../../store/scim/scim-group.ts";
import { groupSchema } from "./schema.ts";
import { shownTime, userNameKey } from "./user-resource.ts";

/** The group; without members when they are not asked for. */
export function groupResource(
  group: ScimGroupRow,
  members: readonly GroupMember[] | undefined,
  baseUrl: string,
): JsonObject {
  const { id, displayName, externalId } = group;
  return {
    schemas: [groupSchema.uri],
    id,
    ...(externalId == null ? {} : { externalId }),
    displayName,
    ...(members === undefined || members.length === 0
      ? {}
      : { members: members.map((member) => ({ value: member.id, display: member.display, type: "User" })) }),
    meta: {
      resourceType: "Group",
      created: shownTime(group.createdAt),
      lastModified: shownTime(group.updatedAt),
      location: groupLocation(id, baseUrl),
      version: groupVersion(group),
    },
  };
}

/** Address of a group. */
export function groupLocation(id: string, baseUrl: string): string {
  return `${baseUrl}/Groups/${id}`;
}

/** Its entity tag. */
export function groupVersion({ version }: ScimGroupRow): string {
  return `W/"${version}"`;
}

/** The form by which names of groups are found. */
export const groupNameKey = userNameKey;
