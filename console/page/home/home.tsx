import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { useQuery } from "@connectrpc/connect-query";
import { Link } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { EnvironmentService } from "../../../gen/policyguard/control/v1/environment_service_pb.ts";
import { OrganizationService } from "../../../gen/policyguard/control/v1/organization_service_pb.ts";
import { PolicyService } from "../../../gen/policyguard/control/v1/policy_service_pb.ts";
import { ProjectService } from "../../../gen/policyguard/control/v1/project_service_pb.ts";
import { TraceService } from "../../../gen/policyguard/control/v1/trace_service_pb.ts";
import { Outcome as OutcomeNumber } from "../../../gen/policyguard/policy/v1/outcome_pb.ts";
import { useOrganization } from "../../data/organization.ts";
import { Outcome } from "../../part/judgement/outcome.tsx";
import { type OutcomeName, outcomes } from "../../part/judgement/outcome-name.ts";
import { Page } from "../../part/page.tsx";
import { Failed, Loading } from "../../part/state.tsx";
import { en } from "../../text/en.ts";
import { count, share } from "../../text/format.ts";
import style from "./home.module.css";

const texts = en.home;
const dayMs = 86_400_000;
/** How often the counts are asked for again. */
const newMs = 10_000;
/** While somebody waits for their first blocked evaluation. */
const waitMs = 3_000;

/** What happened in the last 24 hours, what is enforced where, and the first steps until something is. */
export function HomePage() {
  return (
    <Page title={texts.title}>
      <FirstSteps />
      <div className={style.grid}>
        <LastDay />
        <Environments />
        <Usage />
      </div>
    </Page>
  );
}

function Card({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section className={style.card}>
      <h2>{title}</h2>
      {children}
    </section>
  );
}

function LastDay() {
  const { orgId } = useOrganization();
  const [since] = useState(() => timestampFromDate(new Date(Date.now() - dayMs)));
  const { data, error, refetch } = useQuery(
    TraceService.method.getTraceAnalytics,
    { orgId, since },
    { refetchInterval: newMs },
  );
  return (
    <Card title={texts.last24}>
      {error !== null && <Failed error={error} onRetry={refetch} />}
      {data === undefined && error === null && <Loading rows={3} />}
      {data?.totals !== undefined && <Outcomes orgId={orgId} all={data.totals.evaluations} by={data.totals.outcomes} />}
    </Card>
  );
}

function Outcomes({
  orgId,
  all,
  by,
}: {
  readonly orgId: string;
  readonly all: number;
  readonly by:
    | { readonly allow: number; readonly flag: number; readonly redact: number; readonly block: number }
    | undefined;
}) {
  const counts: Readonly<Record<OutcomeName, number>> = {
    ALLOW: by?.allow ?? 0,
    FLAG: by?.flag ?? 0,
    REDACT: by?.redact ?? 0,
    BLOCK: by?.block ?? 0,
  };
  return (
    <>
      <p className={style.figure}>
        {count(all)} <span>{texts.evaluations}</span>
      </p>
      <ul className={style.outcomes}>
        {outcomes.map((name) => (
          <li key={name}>
            <Link to="/o/$org/traces" params={{ org: orgId }} search={{ outcome: name }}>
              <Outcome value={name} />
            </Link>
            <span>{count(counts[name])}</span>
            <span className={style.dim}>{all === 0 ? "" : share(counts[name] / all)}</span>
          </li>
        ))}
      </ul>
    </>
  );
}

function Environments() {
  const { orgId } = useOrganization();
  const { data, error, refetch } = useQuery(ProjectService.method.listProjects, { orgId, limit: 10 });
  return (
    <Card title={texts.environments}>
      {error !== null && <Failed error={error} onRetry={refetch} />}
      {data === undefined && error === null && <Loading rows={3} />}
      {data?.projects.map(({ id, name }) => (
        <div key={id}>
          <h3>
            <Link to="/o/$org/environments" params={{ org: orgId }} search={{ project: id }}>
              {name}
            </Link>
          </h3>
          <ProjectEnvironments orgId={orgId} projectId={id} />
        </div>
      ))}
    </Card>
  );
}

function ProjectEnvironments(place: { readonly orgId: string; readonly projectId: string }) {
  const { data } = useQuery(EnvironmentService.method.listEnvironments, place);
  return (
    <ul className={style.environments}>
      {data?.environments.map(({ id, name, activeVersion }) => (
        <li key={id}>
          <span>{name}</span>
          <span className={style.dim}>
            {activeVersion === undefined ? texts.nothingActive : texts.active(activeVersion)}
          </span>
        </li>
      ))}
    </ul>
  );
}

function Usage() {
  const { orgId, can } = useOrganization();
  const mayRead = can(OrganizationService.method.getUsage);
  const { data, error, refetch } = useQuery(OrganizationService.method.getUsage, { orgId }, { enabled: mayRead });
  if (!mayRead) return null;
  return (
    <Card title={texts.usage}>
      {error !== null && <Failed error={error} onRetry={refetch} />}
      {data === undefined && error === null && <Loading rows={2} />}
      {data !== undefined && (
        <>
          <p className={style.figure}>
            {count(data.evaluations)}{" "}
            <span>{data.limit === undefined ? texts.unlimited : texts.of(count(data.limit))}</span>
          </p>
          {data.limit !== undefined && (
            <meter
              className={style.meter}
              aria-label={texts.usage}
              min={0}
              max={data.limit}
              high={data.limit * 0.8}
              value={data.evaluations}
            />
          )}
        </>
      )}
    </Card>
  );
}

/** The way from an empty organization to a blocked attack. Each step is read from data, so it can be done elsewhere. */
function FirstSteps() {
  const { orgId } = useOrganization();
  const policies = useQuery(PolicyService.method.listPolicies, { orgId, limit: 1 });
  const projects = useQuery(ProjectService.method.listProjects, { orgId, limit: 1 });
  const projectId = projects.data?.projects[0]?.id;
  const environments = useQuery(
    EnvironmentService.method.listEnvironments,
    { orgId, projectId: projectId ?? "" },
    { enabled: projectId !== undefined },
  );
  const any = useQuery(
    TraceService.method.listTraces,
    { orgId, limit: 1 },
    { refetchInterval: ({ state }) => (state.data?.total ? false : waitMs) },
  );
  const blocked = useQuery(
    TraceService.method.listTraces,
    { orgId, limit: 1, outcome: OutcomeNumber.BLOCK },
    { refetchInterval: ({ state }) => (state.data?.total ? false : waitMs) },
  );
  const trace = blocked.data?.traces[0];
  const [wasOpen] = useState(() => ({ isSet: false, value: false }));
  if (!wasOpen.isSet && blocked.data !== undefined) Object.assign(wasOpen, { isSet: true, value: trace === undefined });
  if (!wasOpen.value) return null;
  const params = { org: orgId };
  return (
    <section className={style.steps} aria-label={texts.startTitle}>
      <h2>{texts.startTitle}</h2>
      <ol>
        <Step isDone={(policies.data?.total ?? 0) > 0} hint={texts.steps.policyHint}>
          <Link to="/o/$org/policies/new" params={params}>
            {texts.steps.policy}
          </Link>
        </Step>
        <Step
          isDone={environments.data?.environments.some(({ activeVersion }) => activeVersion !== undefined) ?? false}
          hint={texts.steps.publishHint}
        >
          <Link to="/o/$org/environments" params={params}>
            {texts.steps.publish}
          </Link>
        </Step>
        <Step isDone={(any.data?.total ?? 0) > 0} hint={texts.steps.runtimeHint}>
          <Link to="/o/$org/settings/tokens" params={params}>
            {texts.steps.runtime}
          </Link>
        </Step>
        <Step isDone={trace !== undefined} hint={texts.steps.blockedHint}>
          {trace === undefined ? (
            <span role="status">{texts.steps.waiting}</span>
          ) : (
            <Link to="/o/$org/traces" params={params} search={{ trace: trace.id }}>
              {texts.steps.seen}
            </Link>
          )}
        </Step>
      </ol>
    </section>
  );
}

function Step({
  isDone,
  hint,
  children,
}: {
  readonly isDone: boolean;
  readonly hint: string;
  readonly children: ReactNode;
}) {
  return (
    <li>
      <span className={isDone ? style.done : style.dim}>{isDone ? `✓ ${texts.done}` : `○ ${texts.open}`}</span>
      <span>
        {children}
        <span className={style.hint}>{hint}</span>
      </span>
    </li>
  );
}
