import type { JsonValue } from "@bufbuild/protobuf";
import { Select, TextArea, TextField } from "../../part/field.tsx";
import { linesOf } from "../../part/form.ts";
import { outcomes } from "../../part/judgement/outcome-name.ts";
import layout from "../../part/layout/layout.module.css";
import { en } from "../../text/en.ts";
import { inWords, type ParameterField, textsOf } from "./parameter.ts";

/** A field of the form by which a pack is set. */
export function ParameterInput({
  field,
  value,
  onChange,
}: {
  readonly field: ParameterField;
  readonly value: JsonValue;
  readonly onChange: (value: JsonValue) => void;
}) {
  const { kind, title, description, options } = field;
  switch (kind) {
    case "flag":
      return (
        <label className={layout.check}>
          <input type="checkbox" checked={value === true} onChange={({ target }) => onChange(target.checked)} />
          <span>
            {title} <span className={layout.small}>{description}</span>
          </span>
        </label>
      );
    case "choices":
      return <Choices field={field} chosen={textsOf(value)} onChange={onChange} />;
    case "choice":
      return (
        <Select
          label={title}
          hint={description}
          value={String(value)}
          onChange={({ target }) => onChange(target.value)}
        >
          {options.map((option) => (
            <option key={option} value={option}>
              {optionTitle(option)}
            </option>
          ))}
        </Select>
      );
    case "lines":
      return (
        <TextArea
          label={title}
          hint={description}
          rows={3}
          spellCheck={false}
          defaultValue={textsOf(value).join("\n")}
          onChange={({ target }) => onChange(linesOf(target.value))}
        />
      );
    case "number":
      return (
        <TextField
          label={title}
          hint={description}
          type="number"
          step="any"
          min={field.min}
          max={field.max}
          required
          defaultValue={String(value)}
          onChange={({ target }) => onChange(target.valueAsNumber)}
        />
      );
    case "text":
      return (
        <TextField
          label={title}
          hint={description}
          value={String(value)}
          onChange={({ target }) => onChange(target.value)}
        />
      );
  }
}

/** Outcomes as everywhere, other options in words. */
function optionTitle(option: string): string {
  const outcome = outcomes.find((each) => each === option);
  return outcome === undefined ? inWords(option) : en.outcome[outcome];
}

function Choices({
  field: { title, description, options },
  chosen,
  onChange,
}: {
  readonly field: ParameterField;
  readonly chosen: readonly string[];
  readonly onChange: (value: JsonValue) => void;
}) {
  return (
    <fieldset className={layout.set}>
      <legend>{title}</legend>
      {options.map((option) => (
        <label key={option} className={layout.check}>
          <input
            type="checkbox"
            checked={chosen.includes(option)}
            onChange={({ target }) =>
              onChange(options.filter((each) => (each === option ? target.checked : chosen.includes(each))))
            }
          />
          {optionTitle(option)}
        </label>
      ))}
      <p className={layout.small}>{description}</p>
    </fieldset>
  );
}
