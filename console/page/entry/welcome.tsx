import { Link, useNavigate } from "@tanstack/react-router";
import { OrganizationService } from "../../../gen/policyguard/control/v1/organization_service_pb.ts";
import { perform } from "../../data/perform.ts";
import { TextField } from "../../part/field.tsx";
import { en } from "../../text/en.ts";
import { EntryCard } from "./card.tsx";
import style from "./entry.module.css";
import { EntryForm } from "./entry-form.tsx";

const texts = en.entry.welcome;

/** Where somebody without an organization founds one, or asks to join one. */
export function WelcomePage() {
  const navigate = useNavigate();
  const found = async (text: (name: string) => string) => {
    const { organization } = await perform(OrganizationService.method.createOrganization, { name: text("name") });
    await navigate({ to: "/o/$org", params: { org: organization?.id ?? "" } });
  };
  return (
    <EntryCard title={texts.title} links={<Link to="/account">{en.nav.account}</Link>}>
      <p>{texts.text}</p>
      <EntryForm submit={texts.create} onSubmit={found}>
        {(faultOf) => (
          <TextField
            label={texts.name}
            name="name"
            autoComplete="organization"
            maxLength={200}
            fault={faultOf("name")}
            required
          />
        )}
      </EntryForm>
      <p className={style.or}>{en.signIn.or}</p>
      <EntryForm
        submit={texts.join}
        onSubmit={async (text) => navigate({ to: "/join/$org", params: { org: text("org").trim() } })}
      >
        {() => <TextField label={texts.org} hint={texts.joinText} name="org" autoComplete="off" required />}
      </EntryForm>
    </EntryCard>
  );
}
