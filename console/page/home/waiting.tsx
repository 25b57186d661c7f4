// What waits for the person who looks: versions to approve, requests to join, deliveries that were given up.

import { createQueryOptions, useQuery } from "@connectrpc/connect-query";
import { useQuery as useAnyQuery, useQueries } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { Bundle } from "../../../gen/policyguard/control/v1/bundle_pb.ts";
import { BundleService } from "../../../gen/policyguard/control/v1/bundle_service_pb.ts";
import type { Environment } from "../../../gen/policyguard/control/v1/environment_pb.ts";
import { EnvironmentService } from "../../../gen/policyguard/control/v1/environment_service_pb.ts";
import { JoinRequestState } from "../../../gen/policyguard/control/v1/team_pb.ts";
import { TeamService } from "../../../gen/policyguard/control/v1/team_service_pb.ts";
import { DeliveryState } from "../../../gen/policyguard/control/v1/webhook_pb.ts";
import { WebhookService } from "../../../gen/policyguard/control/v1/webhook_service_pb.ts";
import { useOrganization } from "../../data/organization.ts";
import { useProjects } from "../../data/project.ts";
import { meQuery } from "../../data/session.ts";
import { transport } from "../../data/transport.ts";
import { en } from "../../text/en.ts";
import { Card } from "./card.tsx";
import style from "./home.module.css";

const texts = en.home.waiting;
/** Of each kind, so that a large organization does not make its home slow. */
const looked = 10;

/** What waits for the person; absent for those for whom nothing ever does. */
export function Waiting() {
  const { can } = useOrganization();
  const mayApprove = can(BundleService.method.approveBundle);
  const mayJoin = can(TeamService.method.listJoinRequests);
  const mayResend = can(WebhookService.method.redeliverFailedDeliveries);
  const approvals = useApprovals(mayApprove);
  const requests = useRequests(mayJoin);
  const dropped = useDropped(mayResend);
  if (!mayApprove && !mayJoin && !mayResend) return null;
  const lines = [...approvals, ...requests, ...dropped];
  return (
    <Card title={texts.title}>
      {lines.length === 0 ? (
        <p className={style.dim}>{texts.nothing}</p>
      ) : (
        <ul className={style.environments}>{lines}</ul>
      )}
    </Card>
  );
}

/** The newest versions that need another approval, and not from whoever published them. */
function useApprovals(isEnabled: boolean): ReactNode[] {
  const { orgId } = useOrganization();
  const { projects } = useProjects();
  const me = useAnyQuery(meQuery).data?.account?.email ?? "";
  const environments = useQueries({
    queries: (isEnabled ? projects.slice(0, looked) : []).map(({ id }) =>
      createQueryOptions(EnvironmentService.method.listEnvironments, { orgId, projectId: id }, { transport }),
    ),
  }).flatMap(({ data }) => (data?.environments ?? []).filter(({ requiredApprovals }) => requiredApprovals > 0));
  const bundles = useQueries({
    queries: environments.map(({ projectId, name }) =>
      createQueryOptions(
        BundleService.method.listBundles,
        { orgId, projectId, envName: name, limit: 1 },
        { transport },
      ),
    ),
  });
  return environments.flatMap((environment, at) => {
    const newest = bundles[at]?.data?.bundles[0];
    if (newest === undefined || !waitsFor(me, environment, newest)) return [];
    const { id, projectId, name } = environment;
    const params = { org: orgId, project: projectId, env: name, version: String(newest.version) };
    return (
      <li key={id}>
        <Link to="/o/$org/environments/$project/$env/$version" params={params}>
          {texts.approve(name, newest.version)}
        </Link>
      </li>
    );
  });
}

function waitsFor(me: string, { activeVersion, requiredApprovals }: Environment, bundle: Bundle): boolean {
  const { version, approvals, createdBy } = bundle;
  if (version === activeVersion || approvals.length >= requiredApprovals) return false;
  return createdBy !== me && !approvals.some(({ approvedBy }) => approvedBy === me);
}

function useRequests(isEnabled: boolean): ReactNode[] {
  const { orgId } = useOrganization();
  const request = { orgId, state: JoinRequestState.PENDING, limit: 1 };
  const { data } = useQuery(TeamService.method.listJoinRequests, request, { enabled: isEnabled });
  if (data === undefined || data.total === 0) return [];
  return [
    <li key="requests">
      <Link to="/o/$org/settings/team" params={{ org: orgId }}>
        {texts.requests(data.total)}
      </Link>
    </li>,
  ];
}

function useDropped(isEnabled: boolean): ReactNode[] {
  const { orgId } = useOrganization();
  const { method } = WebhookService;
  const webhooks = useQuery(method.listWebhooks, { orgId, limit: looked }, { enabled: isEnabled }).data?.webhooks ?? [];
  const dropped = useQueries({
    queries: webhooks.map(({ id }) =>
      createQueryOptions(
        method.listWebhookDeliveries,
        { orgId, webhookId: id, state: DeliveryState.DROPPED, limit: 1 },
        { transport },
      ),
    ),
  });
  return webhooks.flatMap(({ id, url }, at) => {
    const total = dropped[at]?.data?.total ?? 0;
    if (total === 0) return [];
    return (
      <li key={id}>
        <Link
          to="/o/$org/settings/webhooks/$webhook"
          params={{ org: orgId, webhook: id }}
          search={{ state: "dropped" }}
        >
          {texts.dropped(total, hostOf(url))}
        </Link>
      </li>
    );
  });
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}
