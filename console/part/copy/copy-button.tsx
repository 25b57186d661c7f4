import { useState } from "react";
import { en } from "../../text/en.ts";
import { Button } from "../button.tsx";

/** Copies a text. `label` says to listeners which one. */
export function CopyButton({ label, text }: { readonly label: string; readonly text: string }) {
  const [isCopied, setCopied] = useState(false);
  const shown = isCopied ? en.common.copied : en.common.copy;
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
  };
  return (
    <Button kind="quiet" aria-label={`${shown}: ${label}`} onClick={copy}>
      {shown}
    </Button>
  );
}
