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
import { useProjects } from "../../data/choice/project.ts";
import { useOrganization } from "../../data/organization.ts";
import { meQuery } from "../../data/session.ts";
import { transport } from "../../data/transport.ts";
import { Failed, Loading } from "../../part/state.tsx";
import { en } from "../../text/en.ts";
import { Card } from "./card.tsx";
import style from "./home.module.css";

const texts = en.home.waiting;
/** Of each kind, so that a large organization does not make its home slow. */
const looked = 10;

/** What one kind of thing has for the person, as far as it is known. */
interface Found {
  readonly lines: readonly ReactNode[];
  /** What it was not looked for in. */
  readonly rest?: string | undefined;
  readonly isLoading: boolean;
  readonly error: unknown;
  readonly retry: () => void;
}

interface Asked {
  readonly isLoading: boolean;
  readonly error: unknown;
  readonly refetch: () => unknown;
}

function foundBy(queries: readonly Asked[], lines: readonly ReactNode[]): Found {
  const failed = queries.filter(({ error }) => error !== null);
  return {
    lines,
    isLoading: queries.some(({ isLoading }) => isLoading),
    error: failed[0]?.error,
    retry: () => {
      for (const { refetch } of failed) refetch();
    },
  };
}

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
  const found = [approvals, requests, dropped];
  const lines = found.flatMap((each) => each.lines);
  const failure = found.find(({ error }) => error !== undefined);
  const isLoading = found.some((each) => each.isLoading);
  return (
    <Card title={texts.title}>
      {failure !== undefined && <Failed error={failure.error} onRetry={failure.retry} />}
      {lines.length > 0 && <ul className={style.environments}>{lines}</ul>}
      {isLoading && failure === undefined && <Loading rows={1} />}
      {lines.length === 0 && !isLoading && failure === undefined && <p className={style.dim}>{texts.nothing}</p>}
      {approvals.rest !== undefined && <p className={style.dim}>{approvals.rest}</p>}
    </Card>
  );
}

/** The newest versions that need another approval, and not from whoever published them. */
function useApprovals(isEnabled: boolean): Found {
  const { orgId } = useOrganization();
  const { projects, total, isLoaded, error, refetch } = useProjects();
  const me = useAnyQuery(meQuery).data?.account?.email ?? "";
  const listed = useQueries({
    queries: (isEnabled ? projects.slice(0, looked) : []).map(({ id }) =>
      createQueryOptions(EnvironmentService.method.listEnvironments, { orgId, projectId: id }, { transport }),
    ),
  });
  const environments = listed.flatMap(({ data }) =>
    (data?.environments ?? []).filter(({ requiredApprovals }) => requiredApprovals > 0),
  );
  const bundles = useQueries({
    queries: environments.map(({ projectId, name }) =>
      createQueryOptions(
        BundleService.method.listBundles,
        { orgId, projectId, envName: name, limit: 1 },
        { transport },
      ),
    ),
  });
  const all = { isLoading: !isLoaded && error === undefined, error: error ?? null, refetch };
  const lines = environments.flatMap((environment, at) => {
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
  const rest = isEnabled && total > looked ? texts.someProjects(looked, total) : undefined;
  return { ...foundBy(isEnabled ? [all, ...listed, ...bundles] : [], lines), rest };
}

function waitsFor(me: string, { activeVersion, requiredApprovals }: Environment, bundle: Bundle): boolean {
  const { version, approvals, createdBy } = bundle;
  if (version === activeVersion || approvals.length >= requiredApprovals) return false;
  return createdBy !== me && !approvals.some(({ approvedBy }) => approvedBy === me);
}

function useRequests(isEnabled: boolean): Found {
  const { orgId } = useOrganization();
  const request = { orgId, state: JoinRequestState.PENDING, limit: 1 };
  const query = useQuery(TeamService.method.listJoinRequests, request, { enabled: isEnabled });
  const total = query.data?.total ?? 0;
  if (total === 0) return foundBy([query], []);
  const line = (
    <li key="requests">
      <Link to="/o/$org/settings/team" params={{ org: orgId }}>
        {texts.requests(total)}
      </Link>
    </li>
  );
  return foundBy([query], [line]);
}

function useDropped(isEnabled: boolean): Found {
  const { orgId } = useOrganization();
  const { method } = WebhookService;
  const query = useQuery(method.listWebhooks, { orgId, limit: looked }, { enabled: isEnabled });
  const webhooks = query.data?.webhooks ?? [];
  const dropped = useQueries({
    queries: webhooks.map(({ id }) =>
      createQueryOptions(
        method.listWebhookDeliveries,
        { orgId, webhookId: id, state: DeliveryState.DROPPED, limit: 1 },
        { transport },
      ),
    ),
  });
  const lines = webhooks.flatMap(({ id, url }, at) => {
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
  return foundBy([query, ...dropped], lines);
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}
