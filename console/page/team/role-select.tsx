import { useOrganization } from "../../data/organization.ts";
import { roleName, roleOfName, roles } from "../../data/role.ts";
import { Select } from "../../part/field.tsx";
import { en } from "../../text/en.ts";

/** The roles that this person may give: none above their own. */
export function RoleSelect({ value, onChange }: { readonly value: string; readonly onChange: (role: string) => void }) {
  const { role: own } = useOrganization();
  return (
    <Select
      label={en.team.role}
      hint={en.roles.hints[value]}
      value={value}
      onChange={(event) => onChange(event.target.value)}
    >
      {roles
        .filter((role) => role <= roleOfName(own))
        .map((role) => (
          <option key={role} value={roleName(role)}>
            {en.roles.names[roleName(role)]}
          </option>
        ))}
    </Select>
  );
}
