import type { Role } from "../../../gen/policyguard/options/v1/options_pb.ts";
import { roleName, roleOfName, roles } from "../../data/role.ts";
import { Button } from "../../part/button.tsx";
import { Select, TextField } from "../../part/field.tsx";
import layout from "../../part/layout/layout.module.css";
import { en } from "../../text/en.ts";
import style from "./identity.module.css";

const texts = en.scim;

/** A name, and the role that it stands for. `key` tells rows apart while they are typed. */
export interface RoleRow {
  readonly key: number;
  readonly name: string;
  readonly role: Role;
}

/** Rows of a form, from what is stored. */
export function rowsOf(stored: readonly { readonly name: string; readonly role: Role }[]): readonly RoleRow[] {
  return stored.map((row, key) => ({ ...row, key }));
}

/** Names with roles, any number of them. */
export function RoleRows({
  label,
  nameLabel,
  rows,
  highest,
  onChange,
}: {
  readonly label: string;
  readonly nameLabel: string;
  readonly rows: readonly RoleRow[];
  /** The highest role that may be given. */
  readonly highest: Role;
  readonly onChange: (rows: readonly RoleRow[]) => void;
}) {
  const change = (key: number, part: Partial<RoleRow>) =>
    onChange(rows.map((row) => (row.key === key ? { ...row, ...part } : row)));
  const add = () =>
    onChange([...rows, { key: Math.max(-1, ...rows.map(({ key }) => key)) + 1, name: "", role: roles[0] }]);
  return (
    <fieldset className={style.rows}>
      <legend>{label}</legend>
      {rows.map(({ key, name, role }) => (
        <div key={key} className={style.roleRow}>
          <TextField
            label={nameLabel}
            value={name}
            autoComplete="off"
            required
            onChange={({ target }) => change(key, { name: target.value })}
          />
          <RoleChoice
            label={texts.role}
            value={role}
            highest={highest}
            onChange={(next) => change(key, { role: next })}
          />
          <Button
            kind="quiet"
            aria-label={texts.removeRow(name)}
            onClick={() => onChange(rows.filter((row) => row.key !== key))}
          >
            {texts.removeShort}
          </Button>
        </div>
      ))}
      <div className={layout.row}>
        <Button onClick={add}>{texts.addRow}</Button>
      </div>
    </fieldset>
  );
}

/** A choice among roles up to one. */
export function RoleChoice({
  label,
  value,
  highest,
  onChange,
}: {
  readonly label: string;
  readonly value: Role;
  readonly highest: Role;
  readonly onChange: (role: Role) => void;
}) {
  return (
    <Select label={label} value={roleName(value)} onChange={({ target }) => onChange(roleOfName(target.value))}>
      {roles
        .filter((role) => role <= highest)
        .map((role) => (
          <option key={role} value={roleName(role)}>
            {en.roles.names[roleName(role)]}
          </option>
        ))}
    </Select>
  );
}
