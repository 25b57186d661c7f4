import { type ComponentProps, createContext, type ReactNode, useContext, useId, useLayoutEffect } from "react";
import { failureOf } from "../data/failure.ts";
import { en } from "../text/en.ts";
import style from "./field.module.css";
import { useTyped } from "./form/typed.ts";

/** What the server refused about a field of a form. */
export type FaultOf = (field: string) => string | undefined;

/** The form around a field: what is refused about a field is shown at it, by its name. */
export const FormFaults = createContext<FaultOf>(() => undefined);

/** The form around a choice: its deed waits while a choice is asked for. What is returned ends the wait. */
export const FormWait = createContext<() => () => void>(() => () => {});

/** What is said of the field itself, else what the form around it knows by the field's name. */
function useFault(fault: string | undefined, name: string | undefined): string | undefined {
  const faultOf = useContext(FormFaults);
  return fault ?? (name === undefined ? undefined : faultOf(name));
}

/** A text that has to be a number, in forms that would send anything else as nothing. */
export const aNumber = { inputMode: "decimal", pattern: "\\s*\\d*\\.?\\d+\\s*", title: en.common.aNumber } as const;

interface Labelled {
  readonly label: string;
  readonly hint?: string | undefined;
  /** What the server refused about it. */
  readonly fault?: string | undefined;
}

/** A text input with its label, hint and fault. */
export function TextField({ label, hint, fault: own, ...input }: Labelled & ComponentProps<"input">) {
  const id = useId();
  const fault = useFault(own, input.name);
  return (
    <Frame id={id} label={label} hint={hint} fault={fault}>
      <input
        {...input}
        id={id}
        className={style.input}
        aria-invalid={fault !== undefined}
        aria-describedby={describedBy(id, hint, fault)}
      />
    </Frame>
  );
}

/** A text of several lines. */
export function TextArea({ label, hint, fault: own, ...input }: Labelled & ComponentProps<"textarea">) {
  const id = useId();
  const fault = useFault(own, input.name);
  return (
    <Frame id={id} label={label} hint={hint} fault={fault}>
      <textarea
        {...input}
        id={id}
        className={style.input}
        aria-invalid={fault !== undefined}
        aria-describedby={describedBy(id, hint, fault)}
      />
    </Frame>
  );
}

/** A filter that takes effect when it is left or confirmed, not with every key. */
export function TypedFilter({
  label,
  value = "",
  onChange,
}: {
  readonly label: string;
  readonly value: string | undefined;
  readonly onChange: (value: string | undefined) => void;
}) {
  const { text, setText, keep } = useTyped(value, (next) => onChange(next || undefined));
  const apply = () => keep(text.trim());
  return (
    <TextField
      label={label}
      value={text}
      onChange={(event) => setText(event.target.value)}
      onBlur={apply}
      onKeyDown={(event) => event.key === "Enter" && apply()}
    />
  );
}

/** A call whose answer a choice is made from. */
export interface Asked {
  readonly isLoading: boolean;
  readonly error: unknown;
}

/** A choice among few. Until `asked` is answered it says so, and the form around it cannot be sent without a choice. */
export function Select({
  label,
  hint,
  fault: own,
  asked = { isLoading: false, error: undefined },
  children,
  ...select
}: Labelled & { readonly asked?: Asked } & ComponentProps<"select">) {
  const id = useId();
  const refused = useFault(own, select.name);
  const fault = refused ?? (asked.error ? failureOf(asked.error).message : undefined);
  const wait = useContext(FormWait);
  // Before it is painted: a button that can be pressed does something.
  useLayoutEffect(() => (asked.isLoading ? wait() : undefined), [asked.isLoading, wait]);
  return (
    <Frame id={id} label={label} hint={hint} fault={fault}>
      <select
        {...select}
        id={id}
        className={style.input}
        aria-invalid={fault !== undefined}
        aria-describedby={describedBy(id, hint, fault)}
        aria-busy={asked.isLoading}
      >
        {asked.isLoading && <option value="">{en.common.loading}</option>}
        {children}
      </select>
    </Frame>
  );
}

function describedBy(id: string, hint: string | undefined, fault: string | undefined): string | undefined {
  return fault !== undefined ? `${id}-fault` : hint === undefined ? undefined : `${id}-hint`;
}

function Frame({ id, label, hint, fault, children }: Labelled & { readonly id: string; readonly children: ReactNode }) {
  return (
    <div className={style.field}>
      <label htmlFor={id}>{label}</label>
      {children}
      {fault === undefined ? (
        hint !== undefined && (
          <p id={`${id}-hint`} className={style.hint}>
            {hint}
          </p>
        )
      ) : (
        <p id={`${id}-fault`} className={style.fault} role="alert">
          {fault}
        </p>
      )}
    </div>
  );
}
