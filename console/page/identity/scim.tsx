import { useQuery } from "@connectrpc/connect-query";
import { type FormEvent, useState } from "react";
import {
  type GetScimGroupMappingResponse,
  type GetScimTokenResponse,
  ScimService,
} from "../../../gen/policyguard/control/v1/scim_service_pb.ts";
import { Role } from "../../../gen/policyguard/options/v1/options_pb.ts";
import { failureOf } from "../../data/failure.ts";
import { useOrganization } from "../../data/organization.ts";
import { perform } from "../../data/perform.ts";
import { useFeature } from "../../data/plan.ts";
import { roleName, roleOfName } from "../../data/role.ts";
import { Ago } from "../../part/ago.tsx";
import { useBusy } from "../../part/busy.ts";
import { Button } from "../../part/button.tsx";
import { DeedDialog } from "../../part/deed-dialog.tsx";
import { Facts } from "../../part/facts.tsx";
import { Select } from "../../part/field.tsx";
import { useUnsaved } from "../../part/form/unsaved.ts";
import { PlanGate } from "../../part/gate/plan-gate.tsx";
import layout from "../../part/layout/layout.module.css";
import { Page } from "../../part/page.tsx";
import { Panel } from "../../part/panel.tsx";
import { ShownOnce } from "../../part/shown-once.tsx";
import { Answered, Failed, Loading } from "../../part/state.tsx";
import { en } from "../../text/en.ts";
import { absolute } from "../../text/format.ts";
import style from "./identity.module.css";
import { RoleChoice, RoleRows, rowsOf } from "./role-rows.tsx";

const texts = en.scim;
const { method } = ScimService;

/** The organization's directory: its token, and which of its groups have which role. */
export function ScimPage() {
  const { orgId } = useOrganization();
  const gate = useFeature("scim");
  const isIncluded = gate.isIncluded === true;
  const mapping = useQuery(method.getScimGroupMapping, { orgId }, { enabled: isIncluded });
  return (
    <Page title={texts.title}>
      <PlanGate gate={gate} what={texts.what} billing={orgId} />
      <p className={layout.dim}>{texts.text}</p>
      {gate.isIncluded === undefined && <Loading />}
      {isIncluded && <Token />}
      {isIncluded && (
        <Panel title={texts.groups} text={texts.groupsText}>
          <Answered query={mapping} rows={3}>
            {(stored) => <Groups stored={stored} />}
          </Answered>
        </Panel>
      )}
    </Page>
  );
}

function Token() {
  const { orgId, can } = useOrganization();
  const { data, error, refetch } = useQuery(method.getScimToken, { orgId });
  const [dialog, setDialog] = useState<"issue" | "revoke">();
  const close = () => setDialog(undefined);
  const isMissing = error !== null && failureOf(error).kind === "gone";
  const token = isMissing ? undefined : data;
  return (
    <Panel
      title={texts.token}
      actions={
        <>
          {can(method.issueScimToken) && (
            <Button kind={isMissing ? "primary" : "plain"} onClick={() => setDialog("issue")}>
              {token === undefined ? texts.issue : texts.reissue}
            </Button>
          )}
          {token !== undefined && can(method.revokeScimToken) && (
            <Button onClick={() => setDialog("revoke")}>{texts.revoke}</Button>
          )}
        </>
      }
    >
      {error !== null && !isMissing && <Failed error={error} onRetry={refetch} />}
      {data === undefined && error === null && <Loading rows={3} />}
      {isMissing && <p className={layout.dim}>{texts.noToken}</p>}
      {token !== undefined && <About token={token} />}
      {dialog === "issue" && <IssueDialog hasFormer={token !== undefined} onClose={close} />}
      {dialog === "revoke" && (
        <DeedDialog
          title={texts.revokeTitle}
          text={texts.revokeText}
          deed={texts.confirmRevoke}
          isGrave
          onClose={close}
          onDo={async () => {
            await perform(method.revokeScimToken, { orgId });
          }}
        />
      )}
    </Panel>
  );
}

function About({ token }: { readonly token: GetScimTokenResponse }) {
  const { baseUrl, prefix, authority, createdBy, createdAt, lastUsedAt, expiresAt, previous } = token;
  return (
    <Facts
      facts={[
        [texts.base, <code key="base">{baseUrl}</code>],
        [texts.prefix, <code key="prefix">{prefix}…</code>],
        [texts.authority, en.roles.names[roleName(authority)]],
        [
          texts.issuedBy,
          <span key="by">
            {createdBy}, <Ago time={createdAt} />
          </span>,
        ],
        [texts.used, lastUsedAt === undefined ? texts.never : <Ago key="used" time={lastUsedAt} />],
        [texts.expires, expiresAt === undefined ? texts.never : <Ago key="expires" time={expiresAt} />],
        ...(previous === undefined
          ? []
          : ([[texts.previous, texts.previousUntil(previous.prefix, absolute(previous.expiresAt))]] as const)),
      ]}
    />
  );
}

function IssueDialog({ hasFormer, onClose }: { readonly hasFormer: boolean; readonly onClose: () => void }) {
  const { orgId } = useOrganization();
  const [issued, setIssued] = useState<{ readonly token: string; readonly baseUrl: string }>();
  if (issued !== undefined) {
    return (
      <ShownOnce title={texts.onceTitle} text={texts.onceText(issued.baseUrl)} value={issued.token} onClose={onClose} />
    );
  }
  return (
    <DeedDialog
      title={texts.issueTitle}
      text={texts.issueText}
      deed={texts.confirmIssue}
      staysOpen
      onClose={onClose}
      onDo={async (text) => {
        const keepPreviousHours = hasFormer ? Number(text("keep")) : 0;
        const { token, baseUrl } = await perform(method.issueScimToken, { orgId, keepPreviousHours });
        setIssued({ token, baseUrl });
      }}
    >
      {hasFormer && (
        <Select label={texts.keep} name="keep" defaultValue="24">
          {Object.entries(texts.keeps).map(([hours, name]) => (
            <option key={hours} value={hours}>
              {name}
            </option>
          ))}
        </Select>
      )}
    </DeedDialog>
  );
}

/** The names of groups, which are saved as a whole. Only owners give or take names of the role owner. */
function Groups({ stored }: { readonly stored: GetScimGroupMappingResponse }) {
  const { orgId, role } = useOrganization();
  const [rows, setRows] = useState(() =>
    rowsOf(stored.groups.map(({ displayName, role: given }) => ({ name: displayName, role: given }))),
  );
  const [defaultRole, setDefaultRole] = useState(stored.defaultRole);
  const [isSaved, setSaved] = useState(false);
  const { typed, send } = useUnsaved();
  const { run, isBusy, error } = useBusy();
  const save = (event: FormEvent) => {
    event.preventDefault();
    setSaved(false);
    run(async () => {
      const groups = rows.map(({ name, role: given }) => ({ displayName: name.trim(), role: given }));
      await send(async () => {
        await perform(method.setScimGroupMapping, { orgId, defaultRole, groups });
      });
      setSaved(true);
    });
  };
  return (
    <form className={style.form} onSubmit={save} onChange={typed}>
      <RoleChoice label={texts.defaultRole} value={defaultRole} highest={Role.ADMIN} onChange={setDefaultRole} />
      <RoleRows
        label={texts.groups}
        nameLabel={texts.group}
        rows={rows}
        // A row that is stored keeps its role in sight, whoever looks.
        highest={rows.some((row) => row.role === Role.OWNER) ? Role.OWNER : roleOfName(role)}
        onChange={setRows}
      />
      {error !== undefined && <Failed error={error} />}
      <div className={layout.row}>
        <Button type="submit" kind="primary" disabled={isBusy}>
          {texts.save}
        </Button>
        {isSaved && <span role="status">{texts.saved}</span>}
      </div>
    </form>
  );
}
