import { useState } from "react";
import { en } from "../text/en.ts";
import { useBusy } from "./busy.ts";
import { Button } from "./button.tsx";
import { Dialog, DialogActions } from "./dialog.tsx";
import { useUnsavedWhile } from "./form/unsaved.ts";
import style from "./shown-once.module.css";

/** A secret that is shown once: the dialog closes only when the person says that it is stored. */
export function ShownOnce({
  title,
  text,
  value,
  variable,
  file,
  onClose,
}: {
  readonly title: string;
  readonly text: string;
  readonly value: string;
  /** The variable that programs read it from: the dialog offers its line of a `.env` file. */
  readonly variable?: string;
  /** Name of the file that "Download" saves; without it there is no such button. */
  readonly file?: string;
  readonly onClose: () => void;
}) {
  const forget = useUnsavedWhile(true);
  const [copied, setCopied] = useState<string>();
  const { run, error } = useBusy();
  const copy = (text: string) =>
    run(async () => {
      await navigator.clipboard.writeText(text);
      setCopied(text);
    });
  const line = variable === undefined ? undefined : `${variable}=${value}`;
  return (
    <Dialog title={title} isFirm onClose={onClose}>
      <p>{text}</p>
      <pre className={style.secret}>{value}</pre>
      {error !== undefined && <p role="alert">{en.common.notCopied}</p>}
      <DialogActions>
        {file !== undefined && <Button onClick={() => save(value, file)}>{en.common.download}</Button>}
        {line !== undefined && (
          <Button onClick={() => copy(line)}>{copied === line ? en.common.copied : en.common.copyLine}</Button>
        )}
        <Button onClick={() => copy(value)}>{copied === value ? en.common.copied : en.common.copy}</Button>
        <Button
          kind="primary"
          onClick={() => {
            forget();
            onClose();
          }}
        >
          {en.common.stored}
        </Button>
      </DialogActions>
    </Dialog>
  );
}

function save(text: string, name: string): void {
  const url = URL.createObjectURL(new Blob([`${text}\n`], { type: "text/plain" }));
  const link = Object.assign(document.createElement("a"), { href: url, download: name });
  link.click();
  URL.revokeObjectURL(url);
}
