import { createClient } from "@connectrpc/connect";
import { useQuery } from "@connectrpc/connect-query";
import { keepPreviousData } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import type { Token } from "../../../gen/policyguard/control/v1/token_pb.ts";
import { TokenService } from "../../../gen/policyguard/control/v1/token_service_pb.ts";
import { CredentialKind } from "../../../gen/policyguard/options/v1/options_pb.ts";
import { useProjects } from "../../data/choice/project.ts";
import { invalidate } from "../../data/invalidation.ts";
import { useOrganization } from "../../data/organization.ts";
import { transport } from "../../data/transport.ts";
import { Ago } from "../../part/ago.tsx";
import { useBusy } from "../../part/busy.ts";
import { Button } from "../../part/button.tsx";
import { Dialog, DialogActions } from "../../part/dialog.tsx";
import { TypedFilter } from "../../part/field.tsx";
import layout from "../../part/layout/layout.module.css";
import { NothingYet } from "../../part/onboarding/nothing-yet.tsx";
import { Page } from "../../part/page.tsx";
import { Pager } from "../../part/pager.tsx";
import { useShown } from "../../part/shown.ts";
import { Empty, Failed, Loading } from "../../part/state.tsx";
import { Table } from "../../part/table.tsx";
import { en } from "../../text/en.ts";
import { IssueTokenDialog } from "./issue-token.tsx";
import { RotateTokenDialog } from "./rotate-token.tsx";
import style from "./settings.module.css";

const texts = en.tokens;
const tokens = createClient(TokenService, transport);
const pageSize = 50;
const from = "/o/$org/settings/tokens";

const kinds: ReadonlyMap<CredentialKind, string> = new Map([
  [CredentialKind.RUNTIME, "runtime"],
  [CredentialKind.CI, "ci"],
  [CredentialKind.ADMIN, "admin"],
]);

/** The tokens of the organization. */
export function TokensPage() {
  const { orgId, can } = useOrganization();
  const [offset, setOffset] = useState(0);
  const { q, issue: issued } = useSearch({ from });
  const request = { orgId, limit: pageSize, offset, ...(q === undefined ? {} : { query: q }) };
  const { data, error, refetch } = useQuery(TokenService.method.listTokens, request, {
    placeholderData: keepPreviousData,
  });
  const isAsked = issued !== undefined;
  const navigate = useNavigate({ from });
  const filter = (text = "") => {
    setOffset(0);
    navigate({ search: { q: text }, replace: true });
  };
  const mayIssue = can(TokenService.method.issueRuntimeToken);
  // Another page may lead straight to the dialog; closed, it does not come back with a reload.
  const [dialog, setDialog] = useState<"issue" | TokenDeed | undefined>(isAsked && mayIssue ? "issue" : undefined);
  const close = () => {
    setDialog(undefined);
    if (isAsked) navigate({ search: ({ issue: _, ...others }) => others, replace: true });
  };
  const issue = mayIssue && (
    <Button hotkey="create" kind="primary" onClick={() => setDialog("issue")}>
      {texts.create}
    </Button>
  );
  return (
    <Page title={texts.title} note={data && en.common.total(data.total)} actions={issue}>
      {error !== null && <Failed error={error} onRetry={refetch} />}
      {data === undefined && error === null && <Loading />}
      {data !== undefined && (data.total > 0 || q !== undefined) && (
        <search className={layout.filters}>
          <TypedFilter label={texts.filter} value={q} onChange={filter} />
        </search>
      )}
      {data?.total === 0 && q !== undefined && (
        <Empty title={texts.noMatch}>
          <Button onClick={() => filter(undefined)}>{en.traces.clear}</Button>
        </Empty>
      )}
      {data?.total === 0 && q === undefined && (
        <NothingYet of="tokens" title={texts.empty} text={texts.emptyText}>
          {issue}
        </NothingYet>
      )}
      {data !== undefined && data.total > 0 && <Tokens list={data.tokens} onChoose={setDialog} />}
      {data !== undefined && <Pager offset={offset} size={pageSize} total={data.total} onMove={setOffset} />}
      {dialog === "issue" && <IssueTokenDialog onClose={close} />}
      {dialog !== undefined && dialog !== "issue" && dialog.deed === "revoke" && (
        <RevokeDialog token={dialog.token} onClose={close} />
      )}
      {dialog !== undefined && dialog !== "issue" && dialog.deed === "rotate" && (
        <RotateTokenDialog token={dialog.token} onClose={close} />
      )}
    </Page>
  );
}

/** "Support / prod", "Support", or the whole organization. */
function reachOf(environment: string | undefined, project: string | undefined): string {
  if (project === undefined) return texts.wholeOrganization;
  return environment === undefined ? project : `${project} / ${environment}`;
}

interface TokenDeed {
  readonly token: Token;
  readonly deed: "rotate" | "revoke";
}

function Tokens({
  list,
  onChoose,
}: {
  readonly list: readonly Token[];
  readonly onChoose: (chosen: TokenDeed) => void;
}) {
  const { can } = useOrganization();
  const { projects } = useProjects();
  const nameOf = (projectId: string | undefined) => projects.find(({ id }) => id === projectId)?.name ?? projectId;
  return (
    <Table
      label={texts.title}
      rows={list}
      keyOf={({ id }) => id}
      columns={[
        {
          title: texts.name,
          cell: ({ name, prefix }) => (
            <>
              {name} <code className={style.dim}>{prefix}…</code>
            </>
          ),
        },
        { title: texts.kind, phone: "below", cell: ({ type }) => texts.kinds[kinds.get(type) ?? ""] ?? "" },
        {
          title: texts.scope,
          phone: "below",
          cell: ({ environment, projectId }) => reachOf(environment, nameOf(projectId)),
        },
        { title: texts.by, phone: "named", cell: ({ createdBy }) => createdBy?.label ?? en.common.none },
        { title: texts.used, phone: "named", isNumber: true, cell: ({ lastUsedAt }) => <Ago time={lastUsedAt} /> },
        {
          title: texts.expires,
          phone: "named",
          isNumber: true,
          cell: ({ expiresAt }) => (expiresAt === undefined ? texts.never : <Ago time={expiresAt} />),
        },
        {
          title: "",
          phone: "end",
          isNumber: true,
          cell: (token) => (
            <>
              {can(TokenService.method.rotateToken) && kinds.has(token.type) && (
                <Button kind="quiet" onClick={() => onChoose({ token, deed: "rotate" })}>
                  {texts.rotate}
                </Button>
              )}
              {can(TokenService.method.revokeToken) && (
                <Button kind="quiet" onClick={() => onChoose({ token, deed: "revoke" })}>
                  {texts.revoke}
                </Button>
              )}
            </>
          ),
        },
      ]}
    />
  );
}

function RevokeDialog({
  token: { id, name, orgId },
  onClose,
}: {
  readonly token: Token;
  readonly onClose: () => void;
}) {
  const { run, isBusy, error } = useBusy();
  const isShown = useShown();
  const revoke = () =>
    run(async () => {
      await tokens.revokeToken({ orgId, tokenId: id });
      await invalidate(TokenService.method.revokeToken);
      if (isShown.current) onClose();
    });
  return (
    <Dialog title={texts.revokeTitle(name)} onClose={onClose}>
      <p>{texts.revokeText}</p>
      {error !== undefined && <Failed error={error} />}
      <DialogActions>
        <Button onClick={onClose}>{en.common.cancel}</Button>
        <Button kind="danger" disabled={isBusy} onClick={revoke}>
          {texts.confirmRevoke}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
