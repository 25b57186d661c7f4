import { type FormEvent, type ReactNode, useLayoutEffect, useRef, useState } from "react";
import { faultsOf } from "../../data/failure.ts";
import { en } from "../../text/en.ts";
import { useBusy } from "../busy.ts";
import { Button } from "../button.tsx";
import { type FaultOf, FormFaults } from "../field.tsx";
import { textsOf } from "../form.ts";
import layout from "../layout/layout.module.css";
import { Failed } from "../state.tsx";
import { fieldOf, fill, typedIn, type Values } from "./typed-field.ts";

/**
 * A form that stays where it is when it is saved, and says so. What is typed into its named fields and not saved is kept
 * in `draft`, where it outlives a reload. It has no field for a secret.
 */
export function SavedForm({
  draft,
  onSave,
  children,
}: {
  readonly draft: { readonly read: () => Values | undefined; readonly keep: (values: Values | undefined) => void };
  readonly onSave: (text: (name: string) => string) => Promise<void>;
  readonly children: (faultOf: FaultOf) => ReactNode;
}) {
  const { run, isBusy, error } = useBusy();
  const [isSaved, setSaved] = useState(false);
  const changes = useRef(0);
  const { form, isRestored, keep, forget } = useKept(draft);
  const faultOf = faultsOf(error);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const text = textsOf(event.currentTarget);
    const sent = changes.current;
    setSaved(false);
    run(async () => {
      await onSave(text);
      // What was typed meanwhile is not saved.
      if (changes.current !== sent) return;
      forget();
      setSaved(true);
    });
  };
  return (
    <form
      ref={form}
      className={`${layout.stack} ${layout.narrow}`}
      onSubmit={submit}
      onChange={({ target }) => {
        changes.current += 1;
        setSaved(false);
        keep(target);
      }}
    >
      <FormFaults value={faultOf}>{children(faultOf)}</FormFaults>
      {isRestored && <p role="status">{en.edit.restored}</p>}
      {error !== undefined && <Failed error={error} />}
      <div className={layout.row}>
        <Button type="submit" kind="primary" disabled={isBusy}>
          {en.common.save}
        </Button>
        {isSaved && <span role="status">{en.common.saved}</span>}
      </div>
    </form>
  );
}

/** Fills in what was typed before, and keeps what is typed now. */
function useKept(draft: {
  readonly read: () => Values | undefined;
  readonly keep: (values: Values | undefined) => void;
}) {
  const form = useRef<HTMLFormElement>(null);
  const [kept] = useState(draft.read);
  const typed = useRef<Values>(kept ?? {});
  const [isRestored, setRestored] = useState(kept !== undefined);
  useLayoutEffect(() => {
    for (const [name, value] of Object.entries(kept ?? {})) fill(form.current?.elements.namedItem(name), value);
  }, [kept]);
  return {
    form,
    isRestored,
    keep: (target: EventTarget) => {
      const field = fieldOf(target);
      if (field === undefined || field.name === "") return;
      typed.current = { ...typed.current, [field.name]: typedIn(field) };
      draft.keep(typed.current);
    },
    forget: () => {
      typed.current = {};
      draft.keep(undefined);
      setRestored(false);
    },
  };
}
