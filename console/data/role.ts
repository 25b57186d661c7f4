import { Role } from "../../gen/policyguard/options/v1/options_pb.ts";

/** The roles, the least first. */
export const roles = [Role.VIEWER, Role.EDITOR, Role.ADMIN, Role.OWNER] as const;

const names: ReadonlyMap<Role, string> = new Map([
  [Role.VIEWER, "viewer"],
  [Role.EDITOR, "editor"],
  [Role.ADMIN, "admin"],
  [Role.OWNER, "owner"],
]);

/** The wire name of a role, such as "editor". */
export function roleName(role: Role): string {
  return names.get(role) ?? "";
}

/** The role of this wire name; a viewer's for a name that is none. */
export function roleOfName(name: string): Role {
  return roles.find((role) => names.get(role) === name) ?? Role.VIEWER;
}
