import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { enterAs } from "../../data/enter.ts";
import { installationQuery } from "../../data/installation.ts";
import { ownAddress } from "../../data/search.ts";
import { en } from "../../text/en.ts";
import { EntryCard } from "./card.tsx";
import style from "./entry.module.css";
import { SignInForm } from "./sign-in-form.tsx";
import { SsoStart } from "./sso-start.tsx";

const { links } = en.entry;

/** Where people sign in. Leads back to where they came from. */
export function SignInPage() {
  const next = ownAddress(useSearch({ from: "/sign-in" }).next);
  const navigate = useNavigate();
  const { data: installation } = useQuery(installationQuery);
  const goOn = async () => {
    await enterAs();
    await navigate({ href: next, replace: true });
  };
  return (
    <EntryCard
      title={en.signIn.title}
      links={
        <>
          <Link to="/password-reset">{links.forgot}</Link>
          {installation?.isRegistrationOpen === true && <Link to="/sign-up">{links.signUp}</Link>}
        </>
      }
    >
      <SignInForm onSignedIn={goOn} />
      <p className={style.or}>{en.signIn.or}</p>
      <SsoStart next={next} />
      {installation?.isMailConfigured === false && <p className={style.note}>{en.signIn.where}</p>}
    </EntryCard>
  );
}
