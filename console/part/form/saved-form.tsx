import { type FormEvent, type ReactNode, useRef, useState } from "react";
import { faultsOf } from "../../data/failure.ts";
import { en } from "../../text/en.ts";
import { useBusy } from "../busy.ts";
import { Button } from "../button.tsx";
import { type FaultOf, FormFaults } from "../field.tsx";
import { textsOf } from "../form.ts";
import layout from "../layout/layout.module.css";
import { Failed } from "../state.tsx";

/** A form that stays where it is when it is saved, and says so. */
export function SavedForm({
  onSave,
  children,
}: {
  readonly onSave: (text: (name: string) => string) => Promise<void>;
  readonly children: (faultOf: FaultOf) => ReactNode;
}) {
  const { run, isBusy, error } = useBusy();
  const [isSaved, setSaved] = useState(false);
  const changes = useRef(0);
  const faultOf = faultsOf(error);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const text = textsOf(event.currentTarget);
    const sent = changes.current;
    setSaved(false);
    run(async () => {
      await onSave(text);
      // What was typed meanwhile is not.
      setSaved(changes.current === sent);
    });
  };
  const change = () => {
    changes.current += 1;
    setSaved(false);
  };
  return (
    <form className={`${layout.stack} ${layout.narrow}`} onSubmit={submit} onChange={change}>
      <FormFaults value={faultOf}>{children(faultOf)}</FormFaults>
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
