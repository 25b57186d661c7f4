import { useState } from "react";
import type { SsoDomain } from "../../../gen/policyguard/control/v1/sso_pb.ts";
import { SsoService } from "../../../gen/policyguard/control/v1/sso_service_pb.ts";
import { useOrganization } from "../../data/organization.ts";
import { perform } from "../../data/perform.ts";
import { Badge } from "../../part/badge.tsx";
import { useBusy } from "../../part/busy.ts";
import { Button } from "../../part/button.tsx";
import { DeedDialog } from "../../part/deed-dialog.tsx";
import { TextField } from "../../part/field.tsx";
import layout from "../../part/layout/layout.module.css";
import { Panel } from "../../part/panel.tsx";
import { Answered, Failed } from "../../part/state.tsx";
import { Table } from "../../part/table.tsx";
import { en } from "../../text/en.ts";
import style from "./identity.module.css";

const texts = en.ssoSetup;
const { method } = SsoService;

/** The domains of addresses that the organization claims, with the record that proves each. */
export function Domains({
  query,
}: {
  readonly query: {
    readonly data: { readonly domains: readonly SsoDomain[] } | undefined;
    readonly error: unknown;
    readonly refetch: () => unknown;
  };
}) {
  const { orgId, can } = useOrganization();
  const [isAdding, setAdding] = useState(false);
  const [removed, setRemoved] = useState<SsoDomain>();
  return (
    <Panel
      title={texts.domains}
      text={texts.domainsText}
      actions={can(method.addSsoDomain) && <Button onClick={() => setAdding(true)}>{texts.add}</Button>}
    >
      <Answered query={query} rows={2}>
        {({ domains }) =>
          domains.length === 0 ? (
            <p className={layout.dim}>{texts.noDomains}</p>
          ) : (
            <List domains={domains} onRemove={setRemoved} />
          )
        }
      </Answered>
      {isAdding && (
        <DeedDialog
          title={texts.addTitle}
          deed={texts.confirmAdd}
          onClose={() => setAdding(false)}
          onDo={async (text) => {
            await perform(method.addSsoDomain, { orgId, domain: text("domain").trim() });
          }}
        >
          {(faultOf) => (
            <TextField label={texts.domain} name="domain" autoComplete="off" fault={faultOf("domain")} required />
          )}
        </DeedDialog>
      )}
      {removed !== undefined && (
        <DeedDialog
          title={texts.removeDomainTitle(removed.domain)}
          text={texts.removeDomainText}
          deed={texts.confirmRemoveDomain}
          isGrave
          onClose={() => setRemoved(undefined)}
          onDo={async () => {
            await perform(method.removeSsoDomain, { orgId, domainId: removed.id });
          }}
        />
      )}
    </Panel>
  );
}

function List({
  domains,
  onRemove,
}: {
  readonly domains: readonly SsoDomain[];
  readonly onRemove: (domain: SsoDomain) => void;
}) {
  return (
    <>
      {domains.some(({ verified }) => !verified) && <p className={layout.dim}>{texts.recordText}</p>}
      <Table
        label={texts.domains}
        rows={domains}
        keyOf={({ id }) => id}
        columns={[
          { title: texts.domain, cell: ({ domain }) => domain },
          {
            title: texts.state,
            cell: ({ verified }) => (
              <Badge tone={verified ? "good" : "notice"}>{verified ? texts.verified : texts.waiting}</Badge>
            ),
          },
          {
            title: texts.record,
            cell: ({ verified, recordName, recordValue }) =>
              verified ? (
                en.common.none
              ) : (
                <span className={style.record}>
                  <code>{recordName}</code> <code>{recordValue}</code>
                </span>
              ),
          },
          { title: "", isNumber: true, cell: (domain) => <Deeds domain={domain} onRemove={() => onRemove(domain)} /> },
        ]}
      />
    </>
  );
}

function Deeds({
  domain: { id, domain, verified },
  onRemove,
}: {
  readonly domain: SsoDomain;
  readonly onRemove: () => void;
}) {
  const { orgId, can } = useOrganization();
  const { run, isBusy, error } = useBusy();
  const verify = () =>
    run(async () => {
      await perform(method.verifySsoDomain, { orgId, domainId: id });
    });
  return (
    <>
      <span className={`${layout.row} ${layout.end}`}>
        {!verified && can(method.verifySsoDomain) && (
          <Button disabled={isBusy} aria-label={texts.verifyOf(domain)} onClick={verify}>
            {texts.verify}
          </Button>
        )}
        {can(method.removeSsoDomain) && (
          <Button kind="quiet" aria-label={texts.removeDomainOf(domain)} onClick={onRemove}>
            {texts.removeDomain}
          </Button>
        )}
      </span>
      {error !== undefined && <Failed error={error} />}
    </>
  );
}
