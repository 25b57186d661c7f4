import { useQuery } from "@connectrpc/connect-query";
import { keepPreviousData } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { type Member, MemberState } from "../../../gen/policyguard/control/v1/team_pb.ts";
import { TeamService } from "../../../gen/policyguard/control/v1/team_service_pb.ts";
import { useOrganization } from "../../data/organization.ts";
import { roleName, roleOfName } from "../../data/role.ts";
import { Ago } from "../../part/ago.tsx";
import { Badge } from "../../part/badge.tsx";
import { Button } from "../../part/button.tsx";
import { TypedFilter } from "../../part/field.tsx";
import layout from "../../part/layout/layout.module.css";
import { Menu } from "../../part/menu.tsx";
import { Page } from "../../part/page.tsx";
import { Pager } from "../../part/pager.tsx";
import { Empty, Failed, Loading } from "../../part/state.tsx";
import { Table } from "../../part/table.tsx";
import { en } from "../../text/en.ts";
import { type Deed, deedsFor } from "./deed.ts";
import { InviteDialog } from "./invite.tsx";
import { MemberDialog } from "./member-dialog.tsx";
import { JoinRequests } from "./requests.tsx";
import style from "./team.module.css";

const texts = en.team;
const pageSize = 50;
const from = "/o/$org/settings/team";

/** The people of an organization. */
export function TeamPage() {
  const { orgId, accountId, can } = useOrganization();
  const [offset, setOffset] = useState(0);
  const { q } = useSearch({ from });
  const navigate = useNavigate({ from });
  const { data, error, refetch } = useQuery(
    TeamService.method.listMembers,
    { orgId, limit: pageSize, offset, ...(q === undefined ? {} : { query: q }) },
    { placeholderData: keepPreviousData },
  );
  // A filter hides who filters.
  const first = useQuery(TeamService.method.listMembers, { orgId, limit: pageSize, offset: 0 });
  const [chosen, setChosen] = useState<{ readonly member: Member; readonly deed: Deed }>();
  const [isInviting, setInviting] = useState(false);
  const known = [...(data?.members ?? []), ...(first.data?.members ?? [])];
  const mine = known.find((member) => member.accountId === accountId);
  const filter = (text = "") => {
    setOffset(0);
    navigate({ search: { q: text }, replace: true });
  };
  return (
    <Page
      title={texts.title}
      note={data && texts.total(data.total)}
      actions={
        can(TeamService.method.inviteMember) && (
          <Button hotkey="create" kind="primary" onClick={() => setInviting(true)}>
            {texts.invite}
          </Button>
        )
      }
    >
      {error !== null && <Failed error={error} onRetry={refetch} />}
      {data === undefined && error === null && <Loading />}
      {data !== undefined && (
        <search className={layout.filters}>
          <TypedFilter label={texts.filter} value={q} onChange={filter} />
        </search>
      )}
      {data?.total === 0 && (
        <Empty title={texts.noMatch}>
          <Button onClick={() => filter(undefined)}>{en.traces.clear}</Button>
        </Empty>
      )}
      {data !== undefined && data.total > 0 && (
        <Members members={data.members} mine={mine} onChoose={(member, deed) => setChosen({ member, deed })} />
      )}
      {data !== undefined && <Pager offset={offset} size={pageSize} total={data.total} onMove={setOffset} />}
      {can(TeamService.method.listJoinRequests) && <JoinRequests />}
      {isInviting && <InviteDialog onClose={() => setInviting(false)} />}
      {chosen !== undefined && <MemberDialog {...chosen} onClose={() => setChosen(undefined)} />}
    </Page>
  );
}

function Members({
  members,
  mine,
  onChoose,
}: {
  readonly members: readonly Member[];
  readonly mine: Member | undefined;
  readonly onChoose: (member: Member, deed: Deed) => void;
}) {
  const { accountId, role, can } = useOrganization();
  const actor = { role: roleOfName(role), isRoleManaged: mine?.roleManagedByScim === true, can };
  return (
    <Table
      label={texts.label}
      rows={members}
      keyOf={({ id }) => id}
      columns={[
        { title: texts.person, cell: (member) => <Who member={member} isMe={member.accountId === accountId} /> },
        {
          title: texts.role,
          phone: "below",
          cell: ({ role: given, roleManagedByScim }) => (
            <>
              {en.roles.names[roleName(given)]}{" "}
              {roleManagedByScim && <Badge title={texts.byGroupsHint}>{texts.byGroups}</Badge>}
            </>
          ),
        },
        {
          title: texts.factor,
          phone: "named",
          cell: ({ state, mfaEnabled }) =>
            state === MemberState.INVITED ? (
              en.common.none
            ) : (
              <Badge tone={mfaEnabled ? "good" : "plain"}>{mfaEnabled ? texts.on : texts.off}</Badge>
            ),
        },
        { title: texts.since, phone: "named", isNumber: true, cell: ({ createdAt }) => <Ago time={createdAt} /> },
        {
          title: "",
          phone: "end",
          isNumber: true,
          cell: (member) => (
            <Menu
              label={texts.actions(member.email)}
              items={deedsFor(member, { ...actor, isMe: member.id === mine?.id }).map((deed) => ({
                title: texts[deed],
                onChoose: () => onChoose(member, deed),
              }))}
            />
          ),
        },
      ]}
    />
  );
}

function Who({ member, isMe }: { readonly member: Member; readonly isMe: boolean }) {
  const { email, name, state, invitedBy, managedByScim, externalId, emailVerified } = member;
  const isInvited = state === MemberState.INVITED;
  return (
    <div className={style.who}>
      <span>
        {name ?? email} {isMe && <Badge>{texts.you}</Badge>}{" "}
        {isInvited && <Badge tone="notice">{texts.states.invited}</Badge>}{" "}
        {state === MemberState.DEACTIVATED && <Badge tone="bad">{texts.states.deactivated}</Badge>}{" "}
        {managedByScim && <Badge title={texts.byDirectoryHint}>{texts.byDirectory}</Badge>}{" "}
        {!isInvited && !emailVerified && <Badge title={texts.unprovenHint}>{texts.unproven}</Badge>}
      </span>
      <span className={style.dim}>
        {name !== undefined && email}
        {isInvited && invitedBy !== undefined && texts.invitedBy(invitedBy)}
      </span>
      {externalId !== undefined && <span className={style.dim}>{texts.externalId(externalId)}</span>}
    </div>
  );
}
