// Parts of the frame that are loaded when they are first shown. The page works without them: one whose file does not come
// is told in its place, and asked for again when it is shown again.

import { type ComponentType, createElement, useEffect, useState } from "react";
import { Button } from "../part/button.tsx";
import { Dialog, DialogActions } from "../part/dialog.tsx";
import { en } from "../text/en.ts";

const texts = en.failure;

/** A part that loads when it is shown; `Missing` stands for it where its file does not come. */
export function deferred<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  Missing: ComponentType<NoInfer<Props>>,
): ComponentType<Props> {
  let loaded: ComponentType<Props> | undefined;
  return function Deferred(props) {
    const [part, setPart] = useState(() => loaded);
    useEffect(() => {
      load().then(
        (found) => {
          loaded = found;
          setPart(() => found);
        },
        () => setPart(() => Missing),
      );
    }, []);
    return part === undefined ? null : createElement(part, props);
  };
}

/** In place of a dialog whose file does not come. */
export function MissingDialog({ onClose }: { readonly onClose: () => void }) {
  return (
    <Dialog title={texts.missingPart} onClose={onClose}>
      <p>{texts.missingPartText}</p>
      <DialogActions>
        <Button onClick={() => location.reload()}>{texts.reload}</Button>
        <Button kind="primary" onClick={onClose}>
          {en.common.close}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
