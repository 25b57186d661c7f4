import { useQuery } from "@connectrpc/connect-query";
import { useState } from "react";
import type { Organization } from "../../../gen/policyguard/control/v1/organization_pb.ts";
import { OrganizationService } from "../../../gen/policyguard/control/v1/organization_service_pb.ts";
import type { Retention } from "../../../gen/policyguard/control/v1/retention_pb.ts";
import { RetentionService } from "../../../gen/policyguard/control/v1/retention_service_pb.ts";
import { useFormDraft } from "../../data/form-draft.ts";
import { useOrganization } from "../../data/organization.ts";
import { perform } from "../../data/perform.ts";
import { Ago } from "../../part/ago.tsx";
import { Button } from "../../part/button.tsx";
import { DeedDialog } from "../../part/deed-dialog.tsx";
import { Facts } from "../../part/facts.tsx";
import { TextField } from "../../part/field.tsx";
import { SavedForm } from "../../part/form/saved-form.tsx";
import layout from "../../part/layout/layout.module.css";
import { Page } from "../../part/page.tsx";
import { Panel } from "../../part/panel.tsx";
import { Answered } from "../../part/state.tsx";
import { en } from "../../text/en.ts";
import { FactorDemand } from "./factor-demand.tsx";
import { Projects } from "./projects.tsx";

const texts = en.settings;
const organizations = OrganizationService.method;
const retentions = RetentionService.method;

/** The organization: its name, its projects, how long its data is kept, and its end. */
export function OrganizationPage() {
  const { orgId, can } = useOrganization();
  const organization = useQuery(organizations.getOrganization, { orgId });
  const retention = useQuery(retentions.getRetention, { orgId });
  return (
    <Page title={texts.title}>
      <Panel title={texts.about}>
        <Answered query={organization} rows={3}>
          {({ organization: stored }) => stored && <About stored={stored} />}
        </Answered>
      </Panel>
      {organization.data?.organization && <FactorDemand stored={organization.data.organization} />}
      <Projects />
      <Panel title={texts.retention} text={texts.retentionText}>
        <Answered query={retention} rows={3}>
          {({ retention: stored }) => stored && <Kept stored={stored} />}
        </Answered>
      </Panel>
      {can(organizations.deleteOrganization) && <Delete />}
    </Page>
  );
}

function About({ stored }: { readonly stored: Organization }) {
  const { can } = useOrganization();
  const mayEdit = can(organizations.updateOrganization);
  const draft = useFormDraft("organization");
  const facts = (
    <Facts
      facts={[
        ...(mayEdit ? [] : ([[texts.name, stored.name]] as const)),
        [texts.id, <code key="id">{stored.id}</code>],
        [texts.since, <Ago key="since" time={stored.createdAt} />],
      ]}
    />
  );
  if (!mayEdit) return facts;
  return (
    <>
      {facts}
      <SavedForm
        draft={draft}
        onSave={async (text) => {
          await perform(organizations.updateOrganization, {
            orgId: stored.id,
            name: text("name"),
            billingEmail: text("billing").trim(),
            securityEmail: text("security").trim(),
          });
        }}
      >
        {(faultOf) => (
          <>
            <TextField label={texts.name} name="name" defaultValue={stored.name} fault={faultOf("name")} required />
            <TextField
              label={texts.billingEmail}
              hint={texts.mailHint}
              name="billing"
              type="email"
              defaultValue={stored.billingEmail}
              fault={faultOf("billing_email")}
            />
            <TextField
              label={texts.securityEmail}
              hint={texts.mailHint}
              name="security"
              type="email"
              defaultValue={stored.securityEmail}
              fault={faultOf("security_email")}
            />
          </>
        )}
      </SavedForm>
    </>
  );
}

function Kept({ stored }: { readonly stored: Retention }) {
  const { orgId, can } = useOrganization();
  const draft = useFormDraft("retention");
  if (!can(retentions.updateRetention)) {
    return (
      <Facts
        facts={[
          [texts.traceDays, stored.effectiveTraceDays],
          [texts.textDays, stored.effectiveTextDays],
          [texts.evidenceDays, stored.effectiveEvidenceDays],
        ]}
      />
    );
  }
  return (
    <SavedForm
      draft={draft}
      onSave={async (text) => {
        await perform(retentions.updateRetention, {
          orgId,
          ...days("traceDays", text("traces")),
          ...days("textDays", text("texts")),
          ...days("evidenceDays", text("evidence")),
        });
      }}
    >
      {(faultOf) => (
        <>
          <p className={layout.dim}>{texts.shorter}</p>
          <div className={layout.pair}>
            <Days
              label={texts.traceDays}
              hint={texts.planHint(stored.maxTraceDays)}
              name="traces"
              value={stored.traceDays}
              fault={faultOf("trace_days")}
            />
            <Days
              label={texts.textDays}
              hint={texts.textHint(stored.effectiveTextDays)}
              name="texts"
              value={stored.textDays}
              fault={faultOf("text_days")}
            />
            <Days
              label={texts.evidenceDays}
              hint={texts.planHint(stored.maxEvidenceDays)}
              name="evidence"
              value={stored.evidenceDays}
              fault={faultOf("evidence_days")}
            />
          </div>
        </>
      )}
    </SavedForm>
  );
}

function Days({
  value,
  ...field
}: {
  readonly label: string;
  readonly hint: string;
  readonly name: string;
  readonly value: number | undefined;
  readonly fault: string | undefined;
}) {
  return <TextField {...field} type="number" inputMode="numeric" min={1} max={3_650} defaultValue={value} />;
}

/** A number of days; without it for an empty field. */
function days<Name extends string>(name: Name, text: string): { readonly [key in Name]?: number } {
  // A computed name loses its type.
  return (text.trim() === "" ? {} : { [name]: Number(text) }) as { readonly [key in Name]?: number };
}

function Delete() {
  const { orgId, name } = useOrganization();
  const [isAsking, setAsking] = useState(false);
  return (
    <Panel
      title={texts.danger}
      text={texts.dangerText}
      actions={
        <Button kind="danger" onClick={() => setAsking(true)}>
          {texts.deleteOrganization}
        </Button>
      }
    >
      {isAsking && (
        <DeedDialog
          title={texts.deleteOrganizationTitle(name)}
          text={texts.deleteOrganizationText}
          deed={texts.confirmDeleteOrganization}
          typed={name}
          isGrave
          onClose={() => setAsking(false)}
          onDo={async () => {
            await perform(organizations.deleteOrganization, { orgId, confirm: name });
            location.assign("/");
          }}
        />
      )}
    </Panel>
  );
}
