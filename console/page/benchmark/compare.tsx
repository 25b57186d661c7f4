import { useQuery } from "@connectrpc/connect-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import type {
  Benchmark,
  BenchmarkComparison,
  BenchmarkDifference,
  BenchmarkSliceDifference,
} from "../../../gen/policyguard/control/v1/benchmark_pb.ts";
import { BenchmarkService } from "../../../gen/policyguard/control/v1/benchmark_service_pb.ts";
import { failureOf } from "../../data/failure.ts";
import { useOrganization } from "../../data/organization.ts";
import { Badge } from "../../part/badge.tsx";
import { Button } from "../../part/button.tsx";
import layout from "../../part/layout/layout.module.css";
import { LinkButton } from "../../part/link-button.tsx";
import { Page } from "../../part/page.tsx";
import { Pager } from "../../part/pager.tsx";
import { Panel } from "../../part/panel.tsx";
import { Failed, Loading } from "../../part/state.tsx";
import { Table } from "../../part/table.tsx";
import { en } from "../../text/en.ts";
import { change, count, decimal } from "../../text/format.ts";
import { Both } from "./both.tsx";
import { useNames } from "./names.ts";
import { SampleCell } from "./sample-cell.tsx";
import { useSamples } from "./samples.ts";
import { targetText } from "./target.ts";

const texts = en.benchmarks;
const { method } = BenchmarkService;
const from = "/o/$org/benchmarks/$run/compare";
const pageSize = 25;

/** What one benchmark has right where another has not, with how sure that is. */
export function ComparePage() {
  const { orgId } = useOrganization();
  const { run: benchmarkId } = useParams({ from });
  const search = useSearch({ from });
  const navigate = useNavigate({ from });
  const { policyName } = useNames();
  const isCommon = search.common === "yes";
  const { data, error, refetch } = useQuery(method.compareBenchmarks, {
    orgId,
    benchmarkId,
    commonSamples: isCommon,
    ...(search.with === undefined ? {} : { with: search.with }),
  });
  const own = useQuery(method.getBenchmark, { orgId, benchmarkId });
  const otherId = data?.comparison?.with ?? search.with ?? "";
  const other = useQuery(method.getBenchmark, { orgId, benchmarkId: otherId }, { enabled: otherId !== "" });
  const title = texts.compareText(
    targetText(own.data?.benchmark?.target, policyName),
    targetText(other.data?.benchmark?.target, policyName),
  );
  const isRefused = error !== null && failureOf(error).code === "benchmarks_not_comparable" && !isCommon;
  return (
    <Page
      title={texts.compareTitle}
      note={own.data && other.data && title}
      actions={
        <LinkButton kind="plain" to="/o/$org/benchmarks/$run" params={{ org: orgId, run: benchmarkId }}>
          {texts.toBenchmark}
        </LinkButton>
      }
    >
      {error !== null && <Failed error={error} onRetry={refetch} />}
      {isRefused && (
        <div className={layout.row}>
          <Button onClick={() => navigate({ search: { ...search, common: "yes" }, replace: true })}>
            {texts.compareCommon}
          </Button>
        </div>
      )}
      {data === undefined && error === null && <Loading />}
      {data?.comparison !== undefined && own.data?.benchmark !== undefined && (
        <Comparison comparison={data.comparison} measured={own.data.benchmark} compared={other.data?.benchmark} />
      )}
    </Page>
  );
}

function Comparison({
  comparison,
  measured,
  compared,
}: {
  readonly comparison: BenchmarkComparison;
  readonly measured: Benchmark;
  /** Undefined until it has loaded. */
  readonly compared: Benchmark | undefined;
}) {
  const { overall, groupP, common, uncommon, slices, newlyWrong, newlyRight } = comparison;
  return (
    <>
      {overall !== undefined && (
        <Panel title={texts.difference} text={texts.common(common)}>
          <p>
            <Verdict difference={overall} /> <Points difference={overall} />{" "}
            <span className={layout.dim}>
              {texts.likely(decimal(overall.p))}, {texts.byGroups(decimal(groupP))}
            </span>
          </p>
          {uncommon > 0 && <p className={layout.dim}>{texts.uncommon(uncommon)}</p>}
        </Panel>
      )}
      {compared !== undefined && <Both benchmarks={[measured, compared]} />}
      <div className={layout.columns}>
        <Samples
          title={texts.newlyWrong(overall?.onlyWrong ?? newlyWrong.length)}
          total={overall?.onlyWrong ?? newlyWrong.length}
          ids={newlyWrong}
          measured={measured}
        />
        <Samples
          title={texts.newlyRight(overall?.onlyRight ?? newlyRight.length)}
          total={overall?.onlyRight ?? newlyRight.length}
          ids={newlyRight}
          measured={measured}
        />
      </div>
      {slices.length > 0 && <Slices slices={slices} />}
    </>
  );
}

/** Better and worse are said only where the interval leaves no doubt. */
function Verdict({ difference: { lower, upper } }: { readonly difference: BenchmarkDifference }) {
  if (lower > 0) return <Badge tone="good">{texts.verdict.better}</Badge>;
  if (upper < 0) return <Badge tone="bad">{texts.verdict.worse}</Badge>;
  return <Badge>{texts.verdict.open}</Badge>;
}

function Points({ difference: { estimate, lower, upper } }: { readonly difference: BenchmarkDifference }) {
  if (estimate === undefined) return <>{en.common.none}</>;
  return (
    <>
      {change(0, estimate)} <span className={layout.small}>{texts.interval(change(0, lower), change(0, upper))}</span>
    </>
  );
}

function Samples({
  title,
  total,
  ids,
  measured,
}: {
  readonly title: string;
  readonly total: number;
  /** The first of them. */
  readonly ids: readonly string[];
  readonly measured: Benchmark;
}) {
  const [offset, setOffset] = useState(0);
  const shown = ids.slice(offset, offset + pageSize);
  const samples = useSamples(measured, shown);
  return (
    <Panel title={title}>
      {samples.error !== null && <Failed error={samples.error} onRetry={samples.retry} />}
      {ids.length === 0 && <p className={layout.dim}>{texts.noneNewly}</p>}
      {ids.length > 0 && (
        <Table
          label={title}
          rows={shown}
          keyOf={(id) => id}
          columns={[{ title: texts.sample, cell: (id) => <SampleCell id={id} found={samples.of(id)} /> }]}
        />
      )}
      {ids.length < total && <p className={layout.dim}>{texts.firstOnes(ids.length)}</p>}
      <Pager offset={offset} size={pageSize} total={ids.length} onMove={setOffset} />
    </Panel>
  );
}

function Slices({ slices }: { readonly slices: readonly BenchmarkSliceDifference[] }) {
  const [isAll, setAll] = useState(false);
  const shown = slices.filter(
    ({ difference }) => isAll || (difference !== undefined && difference.onlyRight + difference.onlyWrong > 0),
  );
  return (
    <Panel title={texts.slices}>
      <label className={layout.check}>
        <input type="checkbox" checked={!isAll} onChange={({ target }) => setAll(!target.checked)} />
        {texts.onlyDifferent}
      </label>
      {shown.length === 0 && <p className={layout.dim}>{texts.noneNewly}</p>}
      {shown.length > 0 && (
        <Table
          label={texts.slices}
          rows={shown}
          keyOf={({ by, value }) => `${by} ${value}`}
          columns={[
            {
              title: texts.part,
              cell: ({ by, value }) =>
                by === "truth" ? (texts.truth[value] ?? value) : `${texts.kinds[by] ?? by}: ${value}`,
            },
            {
              title: texts.difference,
              phone: "below",
              isNumber: true,
              cell: ({ difference }) => difference && <Points difference={difference} />,
            },
            {
              title: texts.onlyWrong,
              phone: "named",
              isNumber: true,
              cell: ({ difference }) => count(difference?.onlyWrong ?? 0),
            },
            {
              title: texts.onlyRight,
              phone: "named",
              isNumber: true,
              cell: ({ difference }) => count(difference?.onlyRight ?? 0),
            },
            { title: texts.adjusted, phone: "named", isNumber: true, cell: ({ adjustedP }) => decimal(adjustedP) },
          ]}
        />
      )}
    </Panel>
  );
}
