import { useQuery } from "@connectrpc/connect-query";
import { useState } from "react";
import { type JoinRequest, JoinRequestState } from "../../../gen/policyguard/control/v1/team_pb.ts";
import { TeamService } from "../../../gen/policyguard/control/v1/team_service_pb.ts";
import { useOrganization } from "../../data/organization.ts";
import { perform } from "../../data/perform.ts";
import { roleOfName } from "../../data/role.ts";
import { Ago } from "../../part/ago.tsx";
import { Badge } from "../../part/badge.tsx";
import { useBusy } from "../../part/busy.ts";
import { Button } from "../../part/button.tsx";
import { DeedDialog } from "../../part/deed-dialog.tsx";
import { Panel } from "../../part/panel.tsx";
import { Failed, Loading } from "../../part/state.tsx";
import { en } from "../../text/en.ts";
import { RoleSelect } from "./role-select.tsx";
import style from "./team.module.css";

const texts = en.team;
const maxRequests = 200;

/** People who ask to join, and wait. */
export function JoinRequests() {
  const { orgId } = useOrganization();
  const { data, error, refetch } = useQuery(TeamService.method.listJoinRequests, {
    orgId,
    state: JoinRequestState.PENDING,
    limit: maxRequests,
  });
  const [approved, setApproved] = useState<JoinRequest>();
  return (
    <Panel title={texts.requests} text={texts.requestsText}>
      {error !== null && <Failed error={error} onRetry={refetch} />}
      {data === undefined && error === null && <Loading rows={1} />}
      {data?.total === 0 && <p className={style.dim}>{texts.noRequests}</p>}
      <ul className={style.requests}>
        {data?.joinRequests.map((request) => (
          <Request key={request.id} request={request} onApprove={() => setApproved(request)} />
        ))}
      </ul>
      {approved !== undefined && <Approve request={approved} onClose={() => setApproved(undefined)} />}
    </Panel>
  );
}

function Request({ request, onApprove }: { readonly request: JoinRequest; readonly onApprove: () => void }) {
  const { can } = useOrganization();
  const { run, isBusy, error } = useBusy();
  const { orgId, id, name, email, message, emailVerified, createdAt } = request;
  const reject = () =>
    run(async () => {
      await perform(TeamService.method.rejectJoinRequest, { orgId, requestId: id });
    });
  return (
    <li className={style.request}>
      <div className={style.who}>
        <span>
          {name} {!emailVerified && <Badge tone="notice">{texts.unproven}</Badge>}
        </span>
        <span className={style.dim}>
          {email} · <Ago time={createdAt} />
        </span>
        {message !== undefined && <q>{message}</q>}
      </div>
      <div className={style.buttons}>
        {can(TeamService.method.rejectJoinRequest) && (
          <Button disabled={isBusy} onClick={reject}>
            {texts.reject}
          </Button>
        )}
        {can(TeamService.method.approveJoinRequest) && <Button onClick={onApprove}>{texts.approve}</Button>}
      </div>
      {error !== undefined && <Failed error={error} />}
    </li>
  );
}

function Approve({ request, onClose }: { readonly request: JoinRequest; readonly onClose: () => void }) {
  const [role, setRole] = useState("viewer");
  return (
    <DeedDialog
      title={texts.approveTitle(request.name)}
      text={request.emailVerified ? undefined : texts.requestsText}
      deed={texts.confirmApprove}
      onClose={onClose}
      onDo={async () => {
        const place = { orgId: request.orgId, requestId: request.id };
        await perform(TeamService.method.approveJoinRequest, { ...place, role: roleOfName(role) });
      }}
    >
      <RoleSelect value={role} onChange={setRole} />
    </DeedDialog>
  );
}
