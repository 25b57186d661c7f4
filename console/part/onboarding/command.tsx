import { useState } from "react";
import { en } from "../../text/en.ts";
import { Button } from "../button.tsx";
import style from "./command.module.css";

/** A command to paste into a terminal. */
export function Command({ label, text }: { readonly label: string; readonly text: string }) {
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
  };
  return (
    <div className={style.command}>
      <pre>{text}</pre>
      <Button kind="quiet" aria-label={`${isCopied ? en.common.copied : en.common.copy}: ${label}`} onClick={copy}>
        {isCopied ? en.common.copied : en.common.copy}
      </Button>
    </div>
  );
}
