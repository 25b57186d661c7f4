// What happens when nobody is signed in, or nobody any more, or somebody else.

import { useNavigate } from "@tanstack/react-router";
import { useCallback, useEffect, useRef, useState } from "react";
import { goOnAs, whenSignedInElsewhere } from "../data/session.ts";
import { whenSessionChanges, whenSessionEnds } from "../data/transport.ts";
import { Button } from "../part/button.tsx";
import { Dialog, DialogActions } from "../part/dialog.tsx";
import { forgetUnsaved, hasUnsaved } from "../part/form/unsaved.ts";
import { Loading } from "../part/state.tsx";
import { en } from "../text/en.ts";
import { SessionDialog } from "./session-dialog.tsx";

/** Leads to the sign-in, and from there back to the address that the person came with. */
export function ToSignIn() {
  const [next] = useState(() => location.pathname + location.search);
  const navigate = useNavigate();
  useEffect(() => {
    navigate({ to: "/sign-in", search: { next }, replace: true });
  }, [navigate, next]);
  return <Loading />;
}

/**
 * Asks for the password again when a call found no session; the page stays as it is behind the dialog. A sign-in by
 * another tab ends the session of this one, too, and counts for both. Somebody else's loads the page anew, but not what
 * is typed away: whoever typed it gets to see it first.
 */
export function EndedSession({ email, accountId }: { readonly email: string; readonly accountId: string }) {
  const [hasEnded, setEnded] = useState(false);
  const [isOther, setOther] = useState(false);
  // Who has read the notice looks at what they typed: calls go on failing, and say so themselves.
  const wasTold = useRef(false);
  const tell = useCallback(() => {
    if (!hasUnsaved()) return location.assign("/");
    if (!wasTold.current) setOther(true);
    wasTold.current = true;
  }, []);
  useEffect(() => {
    const goOn = () =>
      goOnAs(accountId).then(
        (isSame) => (isSame ? setEnded(false) : tell()),
        // Without an answer nobody knows who signed in: the person is asked.
        () => setEnded(true),
      );
    whenSessionEnds(() => setEnded(true));
    whenSessionChanges(() => (hasUnsaved() ? void goOn() : location.reload()));
    whenSignedInElsewhere(goOn);
    return () => {
      whenSessionEnds(undefined);
      whenSessionChanges(undefined);
      whenSignedInElsewhere(undefined);
    };
  }, [accountId, tell]);
  if (isOther) return <OtherPerson onStay={() => setOther(false)} />;
  const close = (isSame: boolean) => {
    setEnded(false);
    if (!isSame) tell();
  };
  return hasEnded && <SessionDialog email={email} accountId={accountId} onSignedIn={close} />;
}

function loadAnew(): void {
  forgetUnsaved();
  location.reload();
}

/** Says that another person's session holds in this browser. */
function OtherPerson({ onStay }: { readonly onStay: () => void }) {
  return (
    <Dialog title={en.signIn.otherTitle} onClose={onStay}>
      <p>{en.signIn.otherText}</p>
      <DialogActions>
        <Button onClick={onStay}>{en.signIn.lookAtTyped}</Button>
        <Button kind="primary" onClick={loadAnew}>
          {en.failure.reload}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
