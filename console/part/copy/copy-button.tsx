import { useState } from "react";
import { en } from "../../text/en.ts";
import { Button } from "../button.tsx";

/** Copies a text. `label` says to listeners which one. */
export function CopyButton({ label, text }: { readonly label: string; readonly text: string }) {
  const [shown, setShown] = useState<string>(en.common.copy);
  // A browser may refuse, as where a page is not the one in front.
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => setShown(en.common.copied),
      () => setShown(en.common.notCopied),
    );
  return (
    <Button kind="quiet" aria-label={`${shown}: ${label}`} onClick={copy}>
      {shown}
    </Button>
  );
}
