// What happens when nobody is signed in, or nobody any more.

import { useNavigate } from "@tanstack/react-router";
import { useEffect, useState } from "react";
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

/** Asks for the password again when a call found no session; the page stays as it is behind the dialog. */
export function EndedSession({ email, accountId }: { readonly email: string; readonly accountId: string }) {
  const [hasEnded, setEnded] = useState(false);
  useEffect(() => {
    whenSessionEnds(() => setEnded(true));
    return () => whenSessionEnds(undefined);
  }, []);
  return hasEnded && <SessionDialog email={email} accountId={accountId} onSignedIn={() => setEnded(false)} />;
}
