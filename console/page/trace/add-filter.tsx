import { useState } from "react";
import { Button } from "../../part/button.tsx";
import { Select, TextField } from "../../part/field.tsx";
import { en } from "../../text/en.ts";
import { type Chip, choicesOf, type TraceSearch } from "./search.ts";
import style from "./trace.module.css";

const texts = en.traces;

/** Filters that somebody adds by name; times come from charts. */
const offered = [
  ...(["stage", "mark", "policy", "detector", "category", "agent", "user", "session", "unjudged"] as const),
  ...(["version", "would", "language", "least", "most"] as const),
] as const satisfies readonly Chip[];

/** Adds a filter that has no field of its own: first its name, then its value. */
export function AddFilter({
  search,
  without,
  onAdd,
}: {
  readonly search: TraceSearch;
  /** What is not offered. */
  readonly without: readonly Chip[];
  readonly onAdd: (name: Chip, value: string) => void;
}) {
  const [name, setName] = useState<Chip>();
  const [value, setValue] = useState("");
  const choices = name === undefined ? undefined : choicesOf[name];
  const add = (text: string) => {
    if (name === undefined || text.trim() === "") return;
    onAdd(name, text.trim());
    setName(undefined);
    setValue("");
  };
  return (
    <>
      <Select
        label={texts.addFilter}
        value={name ?? ""}
        onChange={({ target }) => setName(offered.find((each) => each === target.value))}
      >
        <option value="" />
        {offered
          .filter((each) => search[each] === undefined && !without.includes(each))
          .map((each) => (
            <option key={each} value={each}>
              {texts.chip[each]}
            </option>
          ))}
      </Select>
      {name !== undefined && choices !== undefined && (
        <Select label={texts.chip[name]} value="" onChange={({ target }) => add(target.value)}>
          <option value="" />
          {choices.map((each) => (
            <option key={each} value={each}>
              {texts.choices[each] ?? each}
            </option>
          ))}
        </Select>
      )}
      {name !== undefined && choices === undefined && (
        <div className={style.replayBy}>
          <TextField
            label={texts.chip[name]}
            value={value}
            onChange={({ target }) => setValue(target.value)}
            onKeyDown={(event) => event.key === "Enter" && add(value)}
          />
          <Button onClick={() => add(value)}>{texts.add}</Button>
        </div>
      )}
    </>
  );
}
