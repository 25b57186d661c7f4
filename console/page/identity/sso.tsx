import { useQuery } from "@connectrpc/connect-query";
import { type FormEvent, useState } from "react";
import { type SsoConfiguration, SsoJoin } from "../../../gen/policyguard/control/v1/sso_pb.ts";
import { SsoService } from "../../../gen/policyguard/control/v1/sso_service_pb.ts";
import { Role } from "../../../gen/policyguard/options/v1/options_pb.ts";
import { failureOf } from "../../data/failure.ts";
import { useOrganization } from "../../data/organization.ts";
import { perform } from "../../data/perform.ts";
import { Badge } from "../../part/badge.tsx";
import { useBusy } from "../../part/busy.ts";
import { Button } from "../../part/button.tsx";
import { DeedDialog } from "../../part/deed-dialog.tsx";
import { Facts } from "../../part/facts.tsx";
import { type FaultOf, Select, TextField } from "../../part/field.tsx";
import { useUnsaved } from "../../part/form/unsaved.ts";
import { textsOf } from "../../part/form.ts";
import layout from "../../part/layout/layout.module.css";
import { Page } from "../../part/page.tsx";
import { Panel } from "../../part/panel.tsx";
import { Failed, Loading } from "../../part/state.tsx";
import { en } from "../../text/en.ts";
import { Domains } from "./domains.tsx";
import style from "./identity.module.css";
import { RoleChoice, RoleRows, rowsOf } from "./role-rows.tsx";

const texts = en.ssoSetup;
const { method } = SsoService;
const maxDomains = 200;

/** The identity provider of the organization, and the domains whose people it signs in. */
export function SsoSetupPage() {
  const { orgId } = useOrganization();
  const { data, error, refetch } = useQuery(method.getSso, { orgId });
  const domains = useQuery(method.listSsoDomains, { orgId, limit: maxDomains });
  const isMissing = error !== null && failureOf(error).kind === "gone";
  const stored = isMissing ? undefined : data?.sso;
  const isKnown = isMissing || data !== undefined;
  return (
    <Page title={texts.title} note={isKnown && <State stored={stored} />} actions={stored !== undefined && <Remove />}>
      {error !== null && !isMissing && <Failed error={error} onRetry={refetch} />}
      {!isKnown && error === null && <Loading />}
      {isKnown && (
        <Provider
          key={stored?.updatedAt?.seconds.toString() ?? ""}
          stored={stored}
          hasDomain={domains.data?.domains.some(({ verified }) => verified) ?? false}
        />
      )}
      <Domains query={domains} />
    </Page>
  );
}

function State({ stored }: { readonly stored: SsoConfiguration | undefined }) {
  if (stored === undefined) return <Badge>{texts.off}</Badge>;
  return (
    <>
      <Badge tone="good">{texts.on}</Badge> {stored.enforced && <Badge tone="notice">{texts.enforcedBadge}</Badge>}
    </>
  );
}

/** The configuration, which is saved as a whole. */
function Provider({
  stored,
  hasDomain,
}: {
  readonly stored: SsoConfiguration | undefined;
  readonly hasDomain: boolean;
}) {
  const { orgId } = useOrganization();
  const [join, setJoin] = useState(stored?.join ?? SsoJoin.REQUEST);
  const [defaultRole, setDefaultRole] = useState(stored?.defaultRole ?? Role.VIEWER);
  const [isEnforced, setEnforced] = useState(stored?.enforced ?? false);
  const [rows, setRows] = useState(() =>
    rowsOf(Object.entries(stored?.roleMapping ?? {}).map(([name, role]) => ({ name, role }))),
  );
  const { typed, send } = useUnsaved();
  const { run, isBusy, error } = useBusy();
  const faults = error === undefined ? [] : failureOf(error).fields;
  const faultOf = (field: string) => faults.find((each) => each.field === field)?.message;
  const save = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const text = textsOf(event.currentTarget);
    const claim = text("claim").trim();
    const sso = () =>
      perform(method.configureSso, {
        orgId,
        issuer: text("issuer").trim(),
        clientId: text("client").trim(),
        ...(text("secret") === "" ? {} : { clientSecret: text("secret") }),
        enforced: isEnforced,
        defaultRole,
        join,
        ...(claim === "" ? {} : { roleClaim: claim }),
        roleMapping: claim === "" ? {} : Object.fromEntries(rows.map(({ name, role }) => [name, role])),
      });
    run(() =>
      send(async () => {
        await sso();
      }),
    );
  };
  return (
    <Panel title={texts.provider} text={texts.providerText}>
      {stored !== undefined && <Facts facts={[[texts.redirect, <code key="uri">{stored.redirectUri}</code>]]} />}
      <form className={style.form} onSubmit={save} onChange={typed}>
        <ClientFields stored={stored} faultOf={faultOf} />
        <Select
          label={texts.join}
          value={join === SsoJoin.MEMBER ? "member" : "request"}
          onChange={({ target }) => setJoin(target.value === "member" ? SsoJoin.MEMBER : SsoJoin.REQUEST)}
        >
          {Object.entries(texts.joins).map(([value, name]) => (
            <option key={value} value={value}>
              {name}
            </option>
          ))}
        </Select>
        <RoleChoice label={texts.defaultRole} value={defaultRole} highest={Role.ADMIN} onChange={setDefaultRole} />
        <TextField
          label={texts.claim}
          hint={texts.claimHint}
          name="claim"
          autoComplete="off"
          defaultValue={stored?.roleClaim}
          fault={faultOf("role_claim")}
        />
        <RoleRows label={texts.mapping} nameLabel={texts.value} rows={rows} highest={Role.ADMIN} onChange={setRows} />
        <label className={layout.check}>
          <input
            type="checkbox"
            checked={isEnforced}
            disabled={!hasDomain && !isEnforced}
            onChange={({ target }) => setEnforced(target.checked)}
          />
          <span>
            {texts.enforce} {!hasDomain && <span className={layout.small}>{texts.enforceWhy}</span>}
          </span>
        </label>
        {error !== undefined && <Failed error={error} />}
        <div className={layout.row}>
          <Button type="submit" kind="primary" disabled={isBusy}>
            {texts.save}
          </Button>
        </div>
      </form>
    </Panel>
  );
}

/** What the provider knows this service by. */
function ClientFields({
  stored,
  faultOf,
}: {
  readonly stored: SsoConfiguration | undefined;
  readonly faultOf: FaultOf;
}) {
  return (
    <>
      <TextField
        label={texts.issuer}
        hint={texts.issuerHint}
        name="issuer"
        type="url"
        autoComplete="off"
        defaultValue={stored?.issuer}
        fault={faultOf("issuer")}
        required
      />
      <TextField
        label={texts.client}
        name="client"
        autoComplete="off"
        defaultValue={stored?.clientId}
        fault={faultOf("client_id")}
        required
      />
      <TextField
        label={texts.secret}
        hint={stored?.hasClientSecret ? texts.secretKept : texts.secretNone}
        name="secret"
        type="password"
        autoComplete="new-password"
        fault={faultOf("client_secret")}
      />
    </>
  );
}

function Remove() {
  const { orgId, can } = useOrganization();
  const [isAsking, setAsking] = useState(false);
  if (!can(method.removeSso)) return null;
  return (
    <>
      <Button onClick={() => setAsking(true)}>{texts.remove}</Button>
      {isAsking && (
        <DeedDialog
          title={texts.removeTitle}
          text={texts.removeText}
          deed={texts.confirmRemove}
          isGrave
          onClose={() => setAsking(false)}
          onDo={async () => {
            await perform(method.removeSso, { orgId });
          }}
        />
      )}
    </>
  );
}
