import { en } from "../text/en.ts";
import { Select } from "./field.tsx";

/** A filter by environment; the address may name one that is there no longer. */
export function EnvironmentSelect({
  environments,
  value,
  onChange,
}: {
  readonly environments: readonly { readonly name: string }[];
  readonly value: string | undefined;
  readonly onChange: (name: string | undefined) => void;
}) {
  const names = new Set([...environments.map(({ name }) => name), ...(value === undefined ? [] : [value])]);
  return (
    <Select
      label={en.nav.environment}
      value={value ?? ""}
      onChange={({ target }) => onChange(target.value || undefined)}
    >
      <option value="">{en.common.all}</option>
      {[...names].map((name) => (
        <option key={name} value={name}>
          {name}
        </option>
      ))}
    </Select>
  );
}
