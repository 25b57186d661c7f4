// What happens when nobody is signed in, or nobody any more.

import { useNavigate } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { goOnAs, whenSignedInElsewhere } from "../data/session.ts";
import { whenSessionEnds } from "../data/transport.ts";
import { Loading } from "../part/state.tsx";
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
 * another tab ends the session of this one, too, and counts for both.
 */
export function EndedSession({ email, accountId }: { readonly email: string; readonly accountId: string }) {
  const [hasEnded, setEnded] = useState(false);
  useEffect(() => {
    whenSessionEnds(() => setEnded(true));
    whenSignedInElsewhere(() => {
      goOnAs(accountId).then(
        () => setEnded(false),
        // Without an answer nobody knows who signed in: the person is asked.
        () => setEnded(true),
      );
    });
    return () => {
      whenSessionEnds(undefined);
      whenSignedInElsewhere(undefined);
    };
  }, [accountId]);
  return hasEnded && <SessionDialog email={email} accountId={accountId} onSignedIn={() => setEnded(false)} />;
}
