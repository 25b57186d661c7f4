import { createClient } from "@connectrpc/connect";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { AccountService } from "../../../gen/policyguard/control/v1/account_service_pb.ts";
import { fragmentValue } from "../../data/fragment.ts";
import { transport } from "../../data/transport.ts";
import { TextField } from "../../part/field.tsx";
import { Empty } from "../../part/state.tsx";
import { en } from "../../text/en.ts";
import { EntryCard } from "./card.tsx";
import { EntryForm } from "./entry-form.tsx";

const texts = en.entry.newPassword;
const accounts = createClient(AccountService, transport);

/** Where the mailed link of a forgotten password leads. */
export function NewPasswordPage() {
  const token = fragmentValue("token");
  const [isDone, setDone] = useState(false);
  return (
    <EntryCard title={texts.title} links={<Link to="/sign-in">{en.entry.links.signIn}</Link>}>
      {token === undefined && <Empty title={en.entry.confirm.missing} text={en.entry.confirm.missingText} />}
      {isDone && <Empty title={texts.done} text={texts.doneText} />}
      {token !== undefined && !isDone && (
        <EntryForm
          submit={texts.submit}
          onSubmit={async (text) => {
            await accounts.resetPassword({ token, newPassword: text("password") });
            setDone(true);
          }}
        >
          {(faultOf) => (
            <TextField
              label={texts.password}
              hint={en.entry.signUp.passwordHint}
              fault={faultOf("new_password")}
              name="password"
              type="password"
              autoComplete="new-password"
              required
            />
          )}
        </EntryForm>
      )}
    </EntryCard>
  );
}
