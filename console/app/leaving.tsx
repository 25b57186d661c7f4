import { type HistoryLocation, type RouterHistory, useRouter } from "@tanstack/react-router";
import { useLayoutEffect, useState } from "react";
import { Button } from "../part/button.tsx";
import { Dialog, DialogActions } from "../part/dialog.tsx";
import { forgetUnsaved, losesUnsaved } from "../part/form/unsaved.ts";
import { en } from "../text/en.ts";

const texts = en.leaving;

/**
 * Asks before another page takes the place of one on which something is typed that is kept nowhere. The way there is
 * refused at once, and gone again by whoever leaves all the same: while a Back waited for the answer, the address would
 * be that of the other page.
 */
export function Leaving() {
  const { history } = useRouter();
  const [asked, setAsked] = useState<{ readonly goOn: () => void }>();
  useLayoutEffect(
    () =>
      history.block({
        // Before the document is left the browser asks, and only while there is something to lose.
        enableBeforeUnload: false,
        blockerFn: ({ action, currentLocation, nextLocation }) => {
          // What a page looks at is in its search: with another one it stays, and so does what is typed.
          if (currentLocation.pathname === nextLocation.pathname || !losesUnsaved()) return false;
          setAsked({ goOn: wayTo(history, action, { from: currentLocation, to: nextLocation }) });
          return true;
        },
      }),
    [history],
  );
  if (asked === undefined) return null;
  const stay = () => setAsked(undefined);
  const leave = () => {
    forgetUnsaved();
    setAsked(undefined);
    asked.goOn();
  };
  return (
    <Dialog title={texts.title} onClose={stay}>
      <p>{texts.text}</p>
      <DialogActions>
        <Button kind="primary" onClick={stay}>
          {texts.stay}
        </Button>
        <Button onClick={leave}>{texts.leave}</Button>
      </DialogActions>
    </Dialog>
  );
}

/** The same step again, of which nobody is asked any more. */
function wayTo(
  history: RouterHistory,
  action: string,
  { from, to }: { readonly from: HistoryLocation; readonly to: HistoryLocation },
): () => void {
  const options = { ignoreBlocker: true };
  if (action === "PUSH") return () => history.push(to.href, to.state, options);
  if (action === "REPLACE") return () => history.replace(to.href, to.state, options);
  return () => history.go(to.state.__TSR_index - from.state.__TSR_index, options);
}
