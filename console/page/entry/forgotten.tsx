import { createClient } from "@connectrpc/connect";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { AccountService } from "../../../gen/policyguard/control/v1/account_service_pb.ts";
import { installationQuery } from "../../data/installation.ts";
import { transport } from "../../data/transport.ts";
import { TextField } from "../../part/field.tsx";
import { Empty, Failed, Loading } from "../../part/state.tsx";
import { en } from "../../text/en.ts";
import { EntryCard } from "./card.tsx";
import style from "./entry.module.css";
import { EntryForm } from "./entry-form.tsx";

const texts = en.entry.forgotten;
const accounts = createClient(AccountService, transport);
const operatorCommand = "npm run set-password -- you@example.com";

/** Where people ask for a link that sets a new password. */
export function ForgottenPage() {
  const { data, error, refetch } = useQuery(installationQuery);
  const [isSent, setSent] = useState(false);
  return (
    <EntryCard title={texts.title} links={<Link to="/sign-in">{texts.back}</Link>}>
      {error !== null && <Failed error={error} onRetry={refetch} />}
      {data === undefined && error === null && <Loading rows={3} />}
      {data?.isMailConfigured === false && (
        <Empty title={texts.noMail} text={texts.noMailText}>
          <code className={style.command}>{operatorCommand}</code>
        </Empty>
      )}
      {isSent && <Empty title={texts.sent} text={texts.sentText} />}
      {data?.isMailConfigured === true && !isSent && (
        <EntryForm
          submit={texts.submit}
          onSubmit={async (text) => {
            await accounts.requestPasswordReset({ email: text("email") });
            setSent(true);
          }}
        >
          {(faultOf) => (
            <TextField
              label={en.signIn.email}
              hint={texts.text}
              fault={faultOf("email")}
              name="email"
              type="email"
              autoComplete="username"
              required
            />
          )}
        </EntryForm>
      )}
    </EntryCard>
  );
}
