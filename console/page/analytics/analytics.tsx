import { timestampDate, timestampFromDate } from "@bufbuild/protobuf/wkt";
import { useQuery } from "@connectrpc/connect-query";
import { keepPreviousData } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import {
  AnalyticsBucket,
  AnalyticsBucketSchema,
  AnalyticsComparison,
  type AnalyticsTotals,
} from "../../../gen/policyguard/control/v1/trace_analytics_pb.ts";
import { type GetTraceAnalyticsResponse, TraceService } from "../../../gen/policyguard/control/v1/trace_service_pb.ts";
import { useAnyTrace } from "../../data/any-trace.ts";
import { useEnvironments } from "../../data/choice/environment.ts";
import { useProjects } from "../../data/choice/project.ts";
import { useMinute } from "../../data/minute.ts";
import { useNewRuntime } from "../../data/new-runtime.ts";
import { useOrganization } from "../../data/organization.ts";
import { wireNames } from "../../data/wire-name.ts";
import { Button } from "../../part/button.tsx";
import { EnvironmentSelect } from "../../part/environment-select.tsx";
import { Select, TypedFilter } from "../../part/field.tsx";
import { NoRuntime } from "../../part/onboarding/no-runtime.tsx";
import { Page } from "../../part/page.tsx";
import { ProjectSelect } from "../../part/project-select.tsx";
import { Empty, Failed, Loading } from "../../part/state.tsx";
import { en } from "../../text/en.ts";
import { change, count, dateTime, share } from "../../text/format.ts";
import style from "./analytics.module.css";
import { Breakdowns } from "./breakdowns.tsx";
import { LatencyChart, OutcomesChart } from "./charts.tsx";
import { Quality } from "./quality.tsx";
import { type AnalyticsSearch, defaultRange, ranges, stepsIn, type TraceFilter, tracesOf } from "./search.ts";

const texts = en.analytics;
/** Counts are asked for again as often as that while the page is seen. */
const newMs = 30_000;
const buckets = wireNames<AnalyticsBucket>(AnalyticsBucketSchema);

/** What was evaluated over time, and by what it was decided. */
export function AnalyticsPage() {
  const { orgId } = useOrganization();
  const search = useSearch({ from: "/o/$org/analytics" });
  const navigate = useNavigate({ from: "/o/$org/analytics" });
  const { range = defaultRange, bucket, project, environment, agent } = search;
  const since = timestampFromDate(new Date(useMinute() - ranges[range] * 3_600_000));
  const { data, error, refetch } = useQuery(
    TraceService.method.getTraceAnalytics,
    {
      orgId,
      since,
      compare: AnalyticsComparison.PREVIOUS,
      bucket: buckets.valueOf(bucket) ?? AnalyticsBucket.AUTO,
      ...(project === undefined ? {} : { projectId: project }),
      ...(environment === undefined ? {} : { environment }),
      ...(agent === undefined ? {} : { agentId: agent }),
    },
    { placeholderData: keepPreviousData, refetchInterval: newMs },
  );
  const isEmpty = data?.totals?.evaluations === 0;
  const isAny = useAnyTrace(isEmpty);
  return (
    <Page title={texts.title} note={data?.asOf && texts.asOf(dateTime(timestampDate(data.asOf)))}>
      <Filters search={search} />
      {error !== null && <Failed error={error} onRetry={refetch} />}
      {data === undefined && error === null && <Loading />}
      {isEmpty && isAny === false && <NothingYet />}
      {isEmpty && isAny === true && (
        <Empty title={texts.empty} text={texts.emptyText}>
          {Object.keys(search).length > 0 && <Button onClick={() => navigate({ search: {} })}>{texts.clear}</Button>}
        </Empty>
      )}
      {data !== undefined && !isEmpty && <Content data={data} search={search} since={timestampDate(since)} />}
    </Page>
  );
}

function NothingYet() {
  const { start, issueFor } = useNewRuntime();
  return <NoRuntime title={texts.nothingYet} start={start} issueFor={issueFor} />;
}

function Filters({ search }: { readonly search: AnalyticsSearch }) {
  const navigate = useNavigate({ from: "/o/$org/analytics" });
  const { projects, further } = useProjects(search.project);
  const environments = useEnvironments(search.project === undefined ? projects.map(({ id }) => id) : [search.project]);
  const onChange = (part: Partial<Record<keyof AnalyticsSearch, string | undefined>>) =>
    // What is undefined is left out of the address by `validateSearch`.
    navigate({ search: (former) => ({ ...former, ...part }) as AnalyticsSearch, replace: true });
  return (
    <search className={style.filters}>
      <Select
        label={texts.range}
        value={search.range ?? defaultRange}
        onChange={(event) => onChange({ range: event.target.value })}
      >
        {Object.entries(texts.ranges).map(([value, name]) => (
          <option key={value} value={value}>
            {name}
          </option>
        ))}
      </Select>
      <Select
        label={texts.stepLength}
        value={search.bucket ?? ""}
        onChange={({ target }) => onChange({ bucket: target.value || undefined })}
      >
        <option value="">{texts.stepByRange}</option>
        {stepsIn(search.range ?? defaultRange).map((each) => (
          <option key={each} value={each}>
            {texts.steps[each]}
          </option>
        ))}
      </Select>
      {projects.length > 1 && (
        <ProjectSelect
          projects={projects}
          further={further}
          value={search.project}
          all
          onChange={(project) => onChange({ project })}
        />
      )}
      <EnvironmentSelect
        environments={environments}
        value={search.environment}
        onChange={(environment) => onChange({ environment })}
      />
      <TypedFilter label={texts.agent} value={search.agent} onChange={(agent) => onChange({ agent })} />
    </search>
  );
}

function Content({
  data,
  search,
  since,
}: {
  readonly data: GetTraceAnalyticsResponse;
  readonly search: AnalyticsSearch;
  readonly since: Date;
}) {
  const traces = tracesOf(search, since);
  return (
    <>
      {data.totals !== undefined && <Figures totals={data.totals} previous={data.previous} traces={traces} />}
      <div className={style.charts}>
        <OutcomesChart data={data} search={search} />
        <LatencyChart data={data} search={search} />
      </div>
      {data.breakdowns !== undefined && (
        <Breakdowns breakdowns={data.breakdowns} quality={data.quality} search={search} since={since} />
      )}
      <Quality quality={data.quality} />
    </>
  );
}

/** The sums, each beside that of the time before. */
function Figures({
  totals,
  previous,
  traces,
}: {
  readonly totals: AnalyticsTotals;
  readonly previous: AnalyticsTotals | undefined;
  readonly traces: TraceFilter;
}) {
  const { orgId } = useOrganization();
  const now = blockedShare(totals);
  const then = previous && blockedShare(previous);
  const compared = (value: number | undefined) => value !== undefined && texts.before(count(value));
  const figures = [
    { name: texts.evaluations, value: totals.evaluations, note: compared(previous?.evaluations) },
    {
      name: texts.blocked,
      value: totals.outcomes?.block,
      filter: { outcome: "BLOCK" } as const,
      note:
        now !== undefined &&
        [share(now), then !== undefined && texts.against(change(then, now))].filter(Boolean).join(" · "),
    },
    { name: texts.wouldBlock, value: totals.wouldBlock, note: compared(previous?.wouldBlock) },
    { name: texts.unjudged, value: totals.unjudged, note: compared(previous?.unjudged) },
    { name: texts.failOpen, value: totals.failOpen, note: compared(previous?.failOpen) },
    { name: texts.lost, value: totals.lost, note: compared(previous?.lost) },
  ];
  return (
    <dl className={style.figures}>
      {figures.map(({ name, value, note, filter }) =>
        value === undefined ? null : (
          <div key={name}>
            <dt>{name}</dt>
            <dd className={style.figure}>
              {filter === undefined ? (
                count(value)
              ) : (
                <Link to="/o/$org/traces" params={{ org: orgId }} search={{ ...traces, ...filter }}>
                  {count(value)}
                </Link>
              )}
            </dd>
            {note && <dd className={style.dim}>{note}</dd>}
          </div>
        ),
      )}
    </dl>
  );
}

function blockedShare({ evaluations, outcomes }: AnalyticsTotals): number | undefined {
  return outcomes === undefined || evaluations === 0 ? undefined : outcomes.block / evaluations;
}
