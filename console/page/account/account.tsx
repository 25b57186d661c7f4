import { timestampDate } from "@bufbuild/protobuf/wkt";
import { useQuery } from "@connectrpc/connect-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import type { Session } from "../../../gen/policyguard/control/v1/account_pb.ts";
import { AccountService, type GetMeResponse } from "../../../gen/policyguard/control/v1/account_service_pb.ts";
import { failureOf } from "../../data/failure.ts";
import { perform } from "../../data/perform.ts";
import { Ago } from "../../part/ago.tsx";
import { singleKeys, useAppearance } from "../../part/appearance.ts";
import { Badge } from "../../part/badge.tsx";
import { useBusy } from "../../part/busy.ts";
import { Button } from "../../part/button.tsx";
import layout from "../../part/layout/layout.module.css";
import { Mark } from "../../part/mark.tsx";
import { Page } from "../../part/page.tsx";
import { Pager } from "../../part/pager.tsx";
import { Panel } from "../../part/panel.tsx";
import { Failed, Loading } from "../../part/state.tsx";
import { Table } from "../../part/table.tsx";
import { en } from "../../text/en.ts";
import style from "./account.module.css";
import { AppearancePanel } from "./appearance.tsx";
import { browserOf } from "./browser-of.ts";
import { PasswordPanel } from "./password.tsx";
import { ProfilePanel } from "./profile.tsx";
import { SecondFactorPanel } from "./second-factor.tsx";

const texts = en.account;
const pageSize = 50;

/** The person's own account. */
export function AccountPage({ me }: { readonly me: GetMeResponse }) {
  const { account } = me;
  return (
    <div className={style.frame}>
      <header className={style.bar}>
        <Mark />
        <Link to="/">{texts.back}</Link>
      </header>
      <main id="content">
        <Page title={texts.title} note={account?.email}>
          <ProfilePanel me={me} />
          <AppearancePanel />
          <KeysPanel />
          <PasswordPanel />
          <SecondFactorPanel me={me} />
          <Sessions />
        </Page>
      </main>
    </div>
  );
}

function Sessions() {
  const [offset, setOffset] = useState(0);
  const { data, error, refetch } = useQuery(AccountService.method.listSessions, { limit: pageSize, offset });
  // A session of an identity provider sees its organization only; the account is for a sign-in with the password.
  const isRefused = error !== null && failureOf(error).kind === "refused";
  return (
    <Panel title={texts.sessions} text={texts.sessionsText}>
      {isRefused && <p>{texts.providerOnly}</p>}
      {error !== null && !isRefused && <Failed error={error} onRetry={refetch} />}
      {data === undefined && error === null && <Loading rows={2} />}
      {data !== undefined && <SessionTable sessions={data.sessions} />}
      {data !== undefined && <Pager offset={offset} size={pageSize} total={data.total} onMove={setOffset} />}
    </Panel>
  );
}

/** Whether single keys do anything here. */
function KeysPanel() {
  const isOn = useAppearance(singleKeys) === "on";
  return (
    <Panel title={texts.shortcuts} text={en.keys.singleHint}>
      <label className={layout.check}>
        <input
          type="checkbox"
          checked={isOn}
          onChange={({ target }) => singleKeys.choose(target.checked ? "on" : "off")}
        />
        {en.keys.single}
      </label>
    </Panel>
  );
}

function SessionTable({ sessions }: { readonly sessions: readonly Session[] }) {
  return (
    <Table
      label={texts.sessions}
      rows={sessions}
      keyOf={({ id }) => id}
      columns={[
        {
          title: texts.where,
          cell: ({ userAgent, address, isCurrent }) => (
            <>
              <span title={userAgent}>{browserOf(userAgent)}</span> <span className={style.dim}>{address}</span>{" "}
              {isCurrent && <Badge tone="good">{texts.thisOne}</Badge>}
            </>
          ),
        },
        {
          title: texts.began,
          isExtra: true,
          cell: ({ method, createdAt }) => (
            <>
              <Ago time={createdAt} /> <span className={style.dim}>{texts.methods[method] ?? method}</span>
            </>
          ),
        },
        { title: texts.used, isNumber: true, cell: ({ lastUsedAt }) => <Ago time={lastUsedAt} /> },
        { title: "", isNumber: true, cell: (session) => !session.isCurrent && <End session={session} /> },
      ]}
    />
  );
}

function End({ session: { id, createdAt, userAgent } }: { readonly session: Session }) {
  const { run, isBusy, error } = useBusy();
  const began = createdAt === undefined ? "" : timestampDate(createdAt).toISOString();
  return (
    <>
      <Button
        kind="quiet"
        disabled={isBusy}
        aria-label={`${texts.end}: ${browserOf(userAgent)}, ${began}`}
        onClick={() =>
          run(async () => {
            await perform(AccountService.method.revokeSession, { sessionId: id });
          })
        }
      >
        {texts.end}
      </Button>
      {error !== undefined && <Failed error={error} />}
    </>
  );
}
