import { en } from "../text/en.ts";
import { type Asked, Select } from "./field.tsx";

/** A choice among projects; `all` offers to choose none. */
export function ProjectSelect({
  projects,
  value,
  asked,
  all = false,
  onChange,
}: {
  readonly projects: readonly { readonly id: string; readonly name: string }[];
  readonly value: string | undefined;
  /** The call that answers the projects, in forms that wait for it. */
  readonly asked?: Asked;
  readonly all?: boolean;
  readonly onChange: (id: string | undefined) => void;
}) {
  return (
    <Select
      label={en.environments.project}
      {...(asked === undefined ? {} : { asked })}
      value={value ?? ""}
      onChange={(event) => onChange(event.target.value || undefined)}
    >
      {all && <option value="">{en.common.all}</option>}
      {projects.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </Select>
  );
}
