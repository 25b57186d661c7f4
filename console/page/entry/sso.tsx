import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { useEffect } from "react";
import { enterAs } from "../../data/enter.ts";
import { fragmentValue } from "../../data/fragment.ts";
import { tellSignIn } from "../../data/session.ts";
import { finishSso } from "../../data/sso.ts";
import { Empty, Failed, Loading } from "../../part/state.tsx";
import { en } from "../../text/en.ts";
import { EntryCard } from "./card.tsx";

const texts = en.entry.sso;

/** Where the identity provider sends people back to. */
export function SsoPage() {
  const code = fragmentValue("sso_code");
  const hasAsked = fragmentValue("sso") === "join_requested";
  return (
    <EntryCard title={texts.title} links={<Link to="/sign-in">{texts.password}</Link>}>
      {code !== undefined && <Exchange code={code} />}
      {hasAsked && <Empty title={texts.asked} text={texts.askedText} />}
      {code === undefined && !hasAsked && <Empty title={texts.failed} text={reasonOf(fragmentValue("sso_error"))} />}
    </EntryCard>
  );
}

/** What a failure of the sign-in means for the person; the page was reloaded where there is none. */
function reasonOf(error: string | undefined): string {
  return error === undefined ? texts.reloaded : (texts.errors[error] ?? texts.otherError);
}

/** A code works once, so its exchange is a query: it is asked for once, however often this is drawn. */
function Exchange({ code }: { readonly code: string }) {
  const navigate = useNavigate();
  const { data, error } = useQuery({
    queryKey: ["sso", code],
    queryFn: () => finishSso(code),
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
  });
  useEffect(() => {
    if (data === undefined) return;
    const { next } = data;
    if (next === undefined) tellSignIn();
    else enterAs().then(() => navigate({ href: next, replace: true }));
  }, [data, navigate]);
  if (error !== null) return <Failed error={error} />;
  return data === undefined || data.next !== undefined ? (
    <Loading rows={2} />
  ) : (
    <Empty title={texts.signedIn} text={texts.signedInText} />
  );
}
