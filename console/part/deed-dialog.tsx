import { type FormEvent, type ReactNode, useCallback, useState } from "react";
import { faultsOf } from "../data/failure.ts";
import { en } from "../text/en.ts";
import { useBusy } from "./busy.ts";
import { Button } from "./button.tsx";
import style from "./deed-dialog.module.css";
import { Dialog, DialogActions } from "./dialog.tsx";
import { type FaultOf, FormFaults, FormWait, TextField } from "./field.tsx";
import { useUnsaved } from "./form/unsaved.ts";
import { textsOf } from "./form.ts";
import { useShown } from "./shown.ts";
import { Failed } from "./state.tsx";

/**
 * A dialog that does one thing. Its button names the deed; it closes when the deed is done, and says what was refused
 * when it is not. With `typed`, the person has to type that name first.
 */
export function DeedDialog({
  title,
  text,
  deed,
  isGrave = false,
  typed,
  staysOpen = false,
  isWide = false,
  onDo,
  onClose,
  children,
}: {
  readonly title: string;
  readonly text?: ReactNode;
  readonly deed: string;
  readonly isGrave?: boolean;
  readonly typed?: string;
  /** The deed leads to a next step instead of closing the dialog. */
  readonly staysOpen?: boolean;
  readonly isWide?: boolean;
  readonly onDo: (text: (name: string) => string) => Promise<void>;
  readonly onClose: () => void;
  readonly children?: ReactNode | ((faultOf: FaultOf) => ReactNode);
}) {
  const { run, isBusy, error } = useBusy();
  // Whoever closed it before its deed was done may have opened another one, which stays.
  const isOpen = useShown();
  const { typed: noteTyped, send } = useUnsaved();
  const [name, setName] = useState("");
  const faultOf = faultsOf(error);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const texts = textsOf(event.currentTarget);
    run(async () => {
      await send(() => onDo(texts));
      if (!staysOpen && isOpen.current) onClose();
    });
  };
  const [waits, setWaits] = useState(0);
  const wait = useCallback(() => {
    setWaits((count) => count + 1);
    return () => setWaits((count) => count - 1);
  }, []);
  const isReady = waits === 0 && (typed === undefined || name === typed);
  return (
    <Dialog title={title} isWide={isWide} onClose={onClose}>
      <form className={style.form} onSubmit={submit} onChange={noteTyped}>
        {text !== undefined && <p>{text}</p>}
        <FormFaults value={faultOf}>
          <FormWait value={wait}>{typeof children === "function" ? children(faultOf) : children}</FormWait>
        </FormFaults>
        {typed !== undefined && (
          <TextField
            label={en.common.typeName(typed)}
            name="typed"
            autoComplete="off"
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
        )}
        {error !== undefined && <Failed error={error} />}
        <DialogActions>
          <Button onClick={onClose}>{en.common.cancel}</Button>
          <Button type="submit" kind={isGrave ? "danger" : "primary"} disabled={isBusy || !isReady}>
            {deed}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
