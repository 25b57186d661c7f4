import { useState } from "react";
import { en } from "../text/en.ts";
import { Button } from "./button.tsx";
import { Dialog, DialogActions } from "./dialog.tsx";
import style from "./shown-once.module.css";

/** A secret that is shown once: the dialog closes only when the person says that it is stored. */
export function ShownOnce({
  title,
  text,
  value,
  file,
  onClose,
}: {
  readonly title: string;
  readonly text: string;
  readonly value: string;
  /** Name of the file that "Download" saves; without it there is no such button. */
  readonly file?: string;
  readonly onClose: () => void;
}) {
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(value);
    setCopied(true);
  };
  return (
    <Dialog title={title} isFirm onClose={onClose}>
      <p>{text}</p>
      <pre className={style.secret}>{value}</pre>
      <DialogActions>
        {file !== undefined && <Button onClick={() => save(value, file)}>{en.common.download}</Button>}
        <Button onClick={copy}>{isCopied ? en.common.copied : en.common.copy}</Button>
        <Button kind="primary" onClick={onClose}>
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
