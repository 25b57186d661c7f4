import { en } from "../text/en.ts";
import { Select } from "./field.tsx";

/** A choice among projects; `all` offers to choose none. */
export function ProjectSelect({
  projects,
  value,
  all = false,
  onChange,
}: {
  readonly projects: readonly { readonly id: string; readonly name: string }[];
  readonly value: string | undefined;
  readonly all?: boolean;
  readonly onChange: (id: string | undefined) => void;
}) {
  return (
    <Select
      label={en.environments.project}
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
