import type { FormEvent, ReactNode } from "react";
import { failureOf } from "../../data/failure.ts";
import { useBusy } from "../../part/busy.ts";
import { Button } from "../../part/button.tsx";
import { textsOf } from "../../part/form.ts";
import { Failed } from "../../part/state.tsx";
import { en } from "../../text/en.ts";
import style from "./entry.module.css";

/**
 * A form with one button: what was refused about a field is told beside it, everything else above the button, such as
 * what is wrong with the token of a link.
 */
export function EntryForm({
  submit,
  onSubmit,
  children,
}: {
  readonly submit: string;
  readonly onSubmit: (text: (name: string) => string) => Promise<void>;
  readonly children?: (faultOf: (field: string) => string | undefined) => ReactNode;
}) {
  const { run, isBusy, error } = useBusy();
  const faults = error === undefined ? [] : failureOf(error).fields;
  const send = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const texts = textsOf(event.currentTarget);
    run(() => onSubmit(texts));
  };
  const told = new Set<string>();
  const fields = children?.((field) => {
    told.add(field);
    return faults.find((each) => each.field === field)?.message;
  });
  return (
    <form className={style.form} onSubmit={send}>
      {fields}
      {error !== undefined && !(faults.length > 0 && faults.every(({ field }) => told.has(field))) && (
        <Failed error={error} />
      )}
      <Button type="submit" kind="primary" disabled={isBusy}>
        {isBusy ? en.common.working : submit}
      </Button>
    </form>
  );
}
