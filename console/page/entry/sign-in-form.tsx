// The form that signs in, on its page and in the dialog of a session that has ended.

import { type FormEvent, useState } from "react";
import { completeSignIn, signIn } from "../../data/session.ts";
import { useBusy } from "../../part/busy.ts";
import { Button } from "../../part/button.tsx";
import { TextField } from "../../part/field.tsx";
import { Failed } from "../../part/state.tsx";
import { en } from "../../text/en.ts";
import style from "./entry.module.css";

const texts = en.signIn;
/** What an authenticator shows, as some paste it. */
const sixDigits = /^\s*\d{3} ?\d{3}\s*$/;

/** E-mail and password, then a code where the account has a second factor. */
export function SignInForm({
  email: known = "",
  onSignedIn,
}: {
  readonly email?: string;
  readonly onSignedIn: () => Promise<void>;
}) {
  const [mfaToken, setMfaToken] = useState<string>();
  const { run, isBusy, error } = useBusy();
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const text = (name: string) => String(form.get(name) ?? "");
    run(async () => {
      if (mfaToken !== undefined) await completeSignIn(mfaToken, text("code"));
      else {
        const step = await signIn(text("email"), text("password"));
        if (step !== undefined) return setMfaToken(step.mfaToken);
      }
      await onSignedIn();
    });
  };
  return (
    <form onSubmit={submit} className={style.form}>
      {mfaToken === undefined ? (
        <>
          <TextField
            label={texts.email}
            name="email"
            type="email"
            autoComplete="username"
            required
            defaultValue={known}
          />
          <TextField label={texts.password} name="password" type="password" autoComplete="current-password" required />
        </>
      ) : (
        <TextField
          label={texts.code}
          hint={texts.codeHint}
          name="code"
          autoComplete="one-time-code"
          inputMode="text"
          autoFocus
          required
          onChange={({ target }) => sixDigits.test(target.value) && target.form?.requestSubmit()}
        />
      )}
      {error !== undefined && <Failed error={error} />}
      <Button type="submit" kind="primary" disabled={isBusy}>
        {mfaToken === undefined ? texts.submit : texts.verify}
      </Button>
      {/* The second step is open for minutes only. */}
      {mfaToken !== undefined && <Button onClick={() => setMfaToken(undefined)}>{texts.startAgain}</Button>}
    </form>
  );
}
