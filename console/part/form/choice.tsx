import { Select } from "../field.tsx";

/** The values of an enum, and their names both ways. */
interface Names<Value extends number> {
  readonly values: readonly Value[];
  readonly nameOf: (value: Value | undefined) => string;
  readonly valueOf: (name: string | undefined) => Value | undefined;
}

/** A choice among the values of an enum. */
export function Choice<Value extends number>({
  label,
  names,
  title,
  hint,
  value,
  none,
  name,
  onChoose,
}: {
  readonly label: string;
  /** Its name in a form that keeps what is typed. */
  readonly name?: string;
  readonly names: Names<Value>;
  /** What the values are called, by their names. */
  readonly title: Readonly<Record<string, string>>;
  /** What the chosen value means, by its name. */
  readonly hint?: Readonly<Record<string, string>>;
  readonly value: Value;
  /** What the unspecified value is called; without it there is no such choice. */
  readonly none?: string;
  readonly onChoose: (value: Value) => void;
}) {
  return (
    <Select
      label={label}
      hint={hint?.[names.nameOf(value)]}
      name={name}
      value={names.nameOf(value)}
      // The unspecified value of every enum is 0.
      onChange={({ target }) => onChoose(names.valueOf(target.value) ?? (0 as Value))}
    >
      {none !== undefined && <option value="">{none}</option>}
      {names.values.map((each) => (
        <option key={each} value={names.nameOf(each)}>
          {title[names.nameOf(each)] ?? names.nameOf(each)}
        </option>
      ))}
    </Select>
  );
}
