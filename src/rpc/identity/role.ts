import { Role } from "../../../gen/policyguard/options/v1/options_pb.ts";
import type { Team } from "../../domain/identity/team.ts";

/** A role as the store spells it, which is also its spelling in JSON. */
type RoleName = Parameters<Team["setRole"]>[2];

const names: ReadonlyMap<Role, RoleName> = new Map([
  [Role.VIEWER, "viewer"],
  [Role.EDITOR, "editor"],
  [Role.ADMIN, "admin"],
  [Role.OWNER, "owner"],
]);

/** The name of a role. */
export function roleName(role: Role): RoleName {
  const name = names.get(role);
  if (name === undefined) throw new Error(`no role has the number ${role}`);
  return name;
}
