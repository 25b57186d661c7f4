import { createClient } from "@connectrpc/connect";
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { AccountService } from "../../../gen/policyguard/control/v1/account_service_pb.ts";
import { enterAs } from "../../data/enter.ts";
import { installationQuery } from "../../data/installation.ts";
import { setSession, transport } from "../../data/transport.ts";
import { TextField } from "../../part/field.tsx";
import { Empty, Failed, Loading } from "../../part/state.tsx";
import { en } from "../../text/en.ts";
import { EntryCard } from "./card.tsx";
import { EntryForm } from "./entry-form.tsx";

const texts = en.entry.signUp;
const accounts = createClient(AccountService, transport);

/** Where people make an account, and with it an organization, if the installation lets strangers in. */
export function SignUpPage() {
  const { data, error, refetch } = useQuery(installationQuery);
  const [sentTo, setSentTo] = useState<string>();
  const links = (
    <span>
      {texts.have} <Link to="/sign-in">{en.entry.links.signIn}</Link>
    </span>
  );
  return (
    <EntryCard title={texts.title} links={links}>
      {error !== null && <Failed error={error} onRetry={refetch} />}
      {data === undefined && error === null && <Loading rows={4} />}
      {data?.isRegistrationOpen === false && <Empty title={texts.closed} text={texts.closedText} />}
      {sentTo !== undefined && <Empty title={texts.sent} text={texts.sentText(sentTo)} />}
      {data?.isRegistrationOpen === true && sentTo === undefined && <Form onSent={setSentTo} />}
    </EntryCard>
  );
}

function Form({ onSent }: { readonly onSent: (email: string) => void }) {
  const navigate = useNavigate();
  const register = async (text: (name: string) => string) => {
    setSession(undefined);
    const organization = text("organization").trim();
    const person = { name: text("name"), email: text("email"), password: text("password") };
    const asked = organization === "" ? person : { ...person, organizationName: organization };
    const { status, orgId } = await accounts.register({ ...asked, asCookie: true });
    if (status !== "active") return onSent(person.email);
    await enterAs();
    await navigate(orgId === undefined ? { to: "/welcome" } : { to: "/o/$org", params: { org: orgId } });
  };
  return (
    <EntryForm submit={texts.submit} onSubmit={register}>
      {(faultOf) => (
        <>
          <TextField label={texts.name} name="name" autoComplete="name" fault={faultOf("name")} required />
          <TextField
            label={texts.email}
            name="email"
            type="email"
            autoComplete="username"
            fault={faultOf("email")}
            required
          />
          <TextField
            label={texts.password}
            hint={texts.passwordHint}
            name="password"
            type="password"
            autoComplete="new-password"
            fault={faultOf("password")}
            required
          />
          <TextField
            label={texts.organization}
            hint={texts.organizationHint}
            name="organization"
            autoComplete="organization"
            fault={faultOf("organization_name")}
          />
        </>
      )}
    </EntryForm>
  );
}
