import { type Timestamp, timestampDate } from "@bufbuild/protobuf/wkt";
import { useNavigate } from "@tanstack/react-router";
import { AnalyticsBucket, type AnalyticsPoint } from "../../../gen/policyguard/control/v1/trace_analytics_pb.ts";
import type { GetTraceAnalyticsResponse } from "../../../gen/policyguard/control/v1/trace_service_pb.ts";
import { Lines } from "../../chart/lines.tsx";
import { StackedBars } from "../../chart/stacked-bars.tsx";
import { useOrganization } from "../../data/organization.ts";
import { outcomes } from "../../part/judgement/outcome-name.ts";
import { en } from "../../text/en.ts";
import { count, dateTime, dayOf, duration, share } from "../../text/format.ts";
import style from "./analytics.module.css";
import type { AnalyticsSearch } from "./search.ts";

const texts = en.analytics;
const fields = { ALLOW: "allow", FLAG: "flag", REDACT: "redact", BLOCK: "block" } as const;

interface ChartProps {
  readonly data: GetTraceAnalyticsResponse;
  readonly search: AnalyticsSearch;
}

/** Opens the traces of a step. */
function useOpenStep(series: readonly AnalyticsPoint[], end: Timestamp | undefined, search: AnalyticsSearch) {
  const { orgId } = useOrganization();
  const navigate = useNavigate();
  const { range, bucket, ...where } = search;
  return (step: number) => {
    const since = startOf(series[step]);
    const until = startOf(series[step + 1]) ?? (end && timestampDate(end));
    if (since === undefined || until === undefined) return;
    const span = { since: since.toISOString(), until: until.toISOString() };
    navigate({ to: "/o/$org/traces", params: { org: orgId }, search: { ...where, ...span } });
  };
}

/** Outcomes over time. A step opens its traces. */
export function OutcomesChart({ data: { series, totals, window }, search }: ChartProps) {
  const open = useOpenStep(series, window?.until, search);
  if (totals?.outcomes === undefined) return <p className={style.card}>{texts.noOutcomes}</p>;
  return (
    <section className={style.card}>
      <StackedBars
        title={texts.outcomes}
        summary={texts.outcomesSummary(
          count(totals.evaluations),
          series.length,
          share(totals.evaluations === 0 ? 0 : totals.outcomes.block / totals.evaluations),
        )}
        steps={stepsOf(series, window?.bucket)}
        series={outcomes.map((name) => ({
          name: en.outcome[name],
          kind: name,
          values: series.map((point) => point.outcomes?.[fields[name]]),
        }))}
        format={count}
        onOpen={open}
      />
    </section>
  );
}

/** Percentiles of the engine's time. A step opens its traces. */
export function LatencyChart({ data: { series, totals, window }, search }: ChartProps) {
  const open = useOpenStep(series, window?.until, search);
  if (totals?.latencyUs === undefined) return <p className={style.card}>{texts.noLatency}</p>;
  return (
    <section className={style.card}>
      <Lines
        title={texts.latency}
        summary={texts.latencySummary(duration(totals.latencyUs.p50), duration(totals.latencyUs.p99))}
        steps={stepsOf(series, window?.bucket)}
        series={(
          [
            ["p50", "first"],
            ["p95", "second"],
            ["p99", "third"],
          ] as const
        ).map(([name, kind]) => ({
          name: texts.percentiles[name],
          kind,
          values: series.map((point) => point.latencyUs?.[name]),
        }))}
        format={(value) => duration(Math.round(value))}
        onOpen={open}
      />
    </section>
  );
}

function startOf(point: AnalyticsPoint | undefined): Date | undefined {
  return point?.start && timestampDate(point.start);
}

/** What steps are called: hours by the reader's clock, longer ones by their day in UTC. */
function stepsOf(series: readonly AnalyticsPoint[], bucket: AnalyticsBucket | undefined): string[] {
  return series.map((point) => {
    const start = startOf(point);
    if (start === undefined) return "";
    return bucket === AnalyticsBucket.HOUR ? dateTime(start) : dayOf(start);
  });
}
