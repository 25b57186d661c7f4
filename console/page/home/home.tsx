import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { useQuery } from "@connectrpc/connect-query";
import { keepPreviousData } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { EnvironmentService } from "../../../gen/policyguard/control/v1/environment_service_pb.ts";
import { OrganizationService } from "../../../gen/policyguard/control/v1/organization_service_pb.ts";
import { ProjectService } from "../../../gen/policyguard/control/v1/project_service_pb.ts";
import { TraceService } from "../../../gen/policyguard/control/v1/trace_service_pb.ts";
import { useMinute } from "../../data/minute.ts";
import { useOrganization } from "../../data/organization.ts";
import { Outcome } from "../../part/judgement/outcome.tsx";
import { type OutcomeName, outcomes } from "../../part/judgement/outcome-name.ts";
import { Page } from "../../part/page.tsx";
import { Answered, Failed, Loading } from "../../part/state.tsx";
import { en } from "../../text/en.ts";
import { count, share } from "../../text/format.ts";
import { Card } from "./card.tsx";
import { FirstSteps } from "./first-steps.tsx";
import style from "./home.module.css";
import { Waiting } from "./waiting.tsx";

const texts = en.home;
const dayMs = 86_400_000;
/** So many have their environments listed: each is a call. */
const maxProjects = 10;
/** How often the counts are asked for again. */
const newMs = 10_000;

/** What happened in the last 24 hours, what is enforced where, and the first steps until something is. */
export function HomePage() {
  return (
    <Page title={texts.title}>
      <FirstSteps />
      <div className={style.grid}>
        <LastDay />
        <Environments />
        <Waiting />
        <Usage />
      </div>
    </Page>
  );
}

function LastDay() {
  const { orgId } = useOrganization();
  const since = timestampFromDate(new Date(useMinute() - dayMs));
  const { data, error, refetch } = useQuery(
    TraceService.method.getTraceAnalytics,
    { orgId, since },
    { placeholderData: keepPreviousData, refetchInterval: newMs },
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
  const { orgId, can } = useOrganization();
  const { data, error, refetch } = useQuery(ProjectService.method.listProjects, { orgId, limit: maxProjects });
  return (
    <Card title={texts.environments}>
      {error !== null && <Failed error={error} onRetry={refetch} />}
      {data === undefined && error === null && <Loading rows={3} />}
      {data?.total === 0 && (
        <p className={style.dim}>
          {en.environments.noProjects}.{" "}
          {can(ProjectService.method.createProject) ? (
            <Link to="/o/$org/settings" params={{ org: orgId }}>
              {en.environments.makeProject}
            </Link>
          ) : (
            en.environments.makeProjectAsk
          )}
        </p>
      )}
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
      {data !== undefined && data.total > data.projects.length && (
        <p>
          {texts.someProjects(data.projects.length, data.total)}{" "}
          <Link to="/o/$org/settings" params={{ org: orgId }}>
            {texts.allProjects}
          </Link>
        </p>
      )}
    </Card>
  );
}

function ProjectEnvironments(place: { readonly orgId: string; readonly projectId: string }) {
  const query = useQuery(EnvironmentService.method.listEnvironments, place);
  return (
    <Answered query={query} rows={3}>
      {({ environments }) => (
        <ul className={style.environments}>
          {environments.map(({ id, name, activeVersion }) => (
            <li key={id}>
              <span>{name}</span>
              <span className={style.dim}>
                {activeVersion === undefined ? texts.nothingActive : texts.active(activeVersion)}
              </span>
            </li>
          ))}
        </ul>
      )}
    </Answered>
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
