import { useNavigate, useSearch } from "@tanstack/react-router";
import { queryClient } from "../../data/client.ts";
import { meQuery } from "../../data/session.ts";
import { Mark } from "../../part/mark.tsx";
import { useTitle } from "../../part/title.ts";
import { en } from "../../text/en.ts";
import style from "./entry.module.css";
import { SignInForm } from "./sign-in-form.tsx";

/** Where people sign in. Leads back to where they came from. */
export function SignInPage() {
  const { next = "/" } = useSearch({ from: "/sign-in" });
  const navigate = useNavigate();
  useTitle(en.signIn.title);
  const goOn = async () => {
    queryClient.clear();
    await queryClient.fetchQuery(meQuery);
    await navigate({ href: next, replace: true });
  };
  return (
    <main className={style.entry}>
      <div className={style.card}>
        <p className={style.brand}>
          <Mark />
          {en.product}
        </p>
        <h1>{en.signIn.title}</h1>
        <SignInForm onSignedIn={goOn} />
        <p className={style.note}>{en.signIn.where}</p>
      </div>
    </main>
  );
}
