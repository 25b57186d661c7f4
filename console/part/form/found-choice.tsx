import { type KeyboardEvent, useEffect, useId, useRef, useState } from "react";
import { en } from "../../text/en.ts";
import { type Asked, Select, TextField } from "../field.tsx";
import { useEntered } from "./entered.ts";
import style from "./found-choice.module.css";

const maxShown = 50;

/** One thing that can be chosen. */
interface Chosen {
  readonly id: string;
  readonly name: string;
}

interface ChoiceProps {
  readonly label: string;
  readonly hint?: string | undefined;
  readonly fault?: string | undefined;
  /** Its name in a form that is sent. */
  readonly name?: string;
  /** What it is called to choose none; without it there is no such choice. */
  readonly none?: string | undefined;
  /** The call that answers them, in forms that wait for it. */
  readonly asked?: Asked;
  /** The first ones: all, unless there are `further` ones. */
  readonly choices: readonly Chosen[];
  /** Absent for a choice that keeps to itself which one it is, for the form around it. */
  readonly value?: string | undefined;
  readonly required?: boolean;
  readonly onChange?: (id: string) => void;
}

/** Asks for what a text finds among more than `choices`. */
interface Further {
  readonly found: readonly Chosen[];
  readonly isLoading: boolean;
  readonly onSearch: (text: string) => void;
}

/** A choice of any size: of few, a list; of more than the first ones, a field that finds by what is typed. */
export function FoundChoice({ further, ...props }: ChoiceProps & { readonly further: Further | undefined }) {
  const { asked, ...choice } = props;
  const { none, choices, onChange, ...select } = choice;
  // How many there are may be known only when somebody is there already.
  const hasFocus = useRef(false);
  if (further !== undefined) return <Combobox {...choice} further={further} hasFocus={hasFocus.current} />;
  return (
    <Select
      {...select}
      {...(asked === undefined ? {} : { asked })}
      onFocus={() => {
        hasFocus.current = true;
      }}
      onBlur={() => {
        hasFocus.current = false;
      }}
      onChange={onChange && (({ target }) => onChange(target.value))}
    >
      {none !== undefined && <option value="">{none}</option>}
      {choices.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </Select>
  );
}

/** ARIA's combobox with a list: the focus stays in the field, which names the option that Enter takes. */
function Combobox({
  choices,
  further,
  none,
  name,
  value,
  onChange,
  hasFocus,
  ...field
}: Omit<ChoiceProps, "asked"> & { readonly further: Further; readonly hasFocus: boolean }) {
  const id = useId();
  const nothing = none ? [{ id: "", name: none }] : [];
  const [own, setOwn] = useState<Chosen>();
  // What is typed; undefined while nothing is, and the field shows what is chosen.
  const [text, setText] = useState<string>();
  const [at, setAt] = useState(0);
  const all = [...nothing, ...choices];
  const known = [...all, ...further.found, ...(own === undefined ? [] : [own])];
  const wanted = value ?? own?.id ?? "";
  // Of one that was chosen before, beyond the first ones, no name is known here.
  const chosen =
    known.find((each) => each.id === wanted) ??
    (wanted !== "" ? unnamed(wanted) : none === undefined ? all[0] : undefined);
  const options = text === undefined ? [] : optionsFor(text, all, further.found);
  const current = Math.min(at, options.length - 1);
  const type = (next: string | undefined) => {
    setText(next);
    setAt(0);
    withdraw();
    further.onSearch(next ?? "");
  };
  const take = (option: Chosen | undefined) => {
    if (option === undefined) return;
    setOwn(option);
    onChange?.(option.id);
    type(undefined);
  };
  const { enter, withdraw } = useEntered({ isLoading: further.isLoading, takeFirst: () => take(options[0]) });
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && text === undefined) type("");
    else if (step !== undefined) setAt((current + step + options.length) % Math.max(1, options.length));
    else if (event.key === "Enter" && text !== undefined && options.length === 0) enter();
    else if (event.key === "Enter" && text !== undefined) take(options[current]);
    // A dialog around it stays open.
    else if (event.key === "Escape" && text !== undefined) type(undefined);
    else return;
    event.preventDefault();
  };
  return (
    <div className={style.choice}>
      <TextField
        {...field}
        role="combobox"
        // In place of a list that had it.
        autoFocus={hasFocus}
        aria-autocomplete="list"
        aria-expanded={text !== undefined}
        aria-controls={id}
        aria-activedescendant={options[current] === undefined ? undefined : `${id}-${current}`}
        autoComplete="off"
        spellCheck={false}
        placeholder={en.common.find}
        value={text ?? chosen?.name ?? ""}
        onFocus={({ target }) => target.select()}
        onClick={() => text === undefined && type("")}
        onChange={({ target }) => type(target.value)}
        onBlur={() => type(undefined)}
        onKeyDown={onKeyDown}
      />
      {name !== undefined && <input type="hidden" name={name} value={chosen?.id ?? ""} />}
      <Options {...{ id, options, current }} label={field.label} onPoint={setAt} onTake={take} />
      {text !== undefined && options.length === 0 && (
        <p role="status" className={style.list}>
          {further.isLoading ? en.common.loading : en.common.notFound}
        </p>
      )}
    </div>
  );
}

function Options({
  id,
  label,
  options,
  current,
  onPoint,
  onTake,
}: {
  readonly id: string;
  readonly label: string;
  readonly options: readonly Chosen[];
  /** The one that Enter takes. */
  readonly current: number;
  readonly onPoint: (at: number) => void;
  readonly onTake: (option: Chosen) => void;
}) {
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    list.current?.children[current]?.scrollIntoView({ block: "nearest" });
  }, [current]);
  return (
    <div ref={list} id={id} role="listbox" aria-label={label} className={style.list} hidden={options.length === 0}>
      {options.map((option, index) => (
        // biome-ignore lint/a11y/useFocusableInteractive: the field has the focus, and names the current one
        <div
          key={option.id}
          id={`${id}-${index}`}
          role="option"
          aria-selected={index === current}
          className={index === current ? style.current : ""}
          onPointerMove={() => onPoint(index)}
          // Before the field loses the focus, which closes the list.
          onPointerDown={(event) => {
            event.preventDefault();
            onTake(option);
          }}
        >
          {option.name}
        </div>
      ))}
    </div>
  );
}

function unnamed(id: string): Chosen {
  return { id, name: id.slice(0, 8) };
}

/** What the text finds among the first ones and what was answered, which may be to a former text. */
function optionsFor(text: string, first: readonly Chosen[], found: readonly Chosen[]): readonly Chosen[] {
  const wanted = text.trim().toLowerCase();
  const matching = [...first, ...found].filter(({ name }) => name.toLowerCase().includes(wanted));
  const unique = [...new Map(matching.map((each) => [each.id, each])).values()];
  const isExact = ({ name }: Chosen) => name.toLowerCase() === wanted;
  return [...unique.filter(isExact), ...unique.filter((each) => !isExact(each))].slice(0, maxShown);
}
