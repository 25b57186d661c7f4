import { useQuery } from "@connectrpc/connect-query";
import { keepPreviousData } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import type { Benchmark, BenchmarkResult } from "../../../gen/policyguard/control/v1/benchmark_pb.ts";
import { BenchmarkService } from "../../../gen/policyguard/control/v1/benchmark_service_pb.ts";
import { Select } from "../../part/field.tsx";
import { Outcome } from "../../part/judgement/outcome.tsx";
import { outcomeName } from "../../part/judgement/outcome-name.ts";
import layout from "../../part/layout/layout.module.css";
import { Pager } from "../../part/pager.tsx";
import { Panel } from "../../part/panel.tsx";
import { Answered, Failed } from "../../part/state.tsx";
import { Table } from "../../part/table.tsx";
import { en } from "../../text/en.ts";
import { count, decimal } from "../../text/format.ts";
import style from "./benchmark.module.css";
import { SampleCell } from "./sample-cell.tsx";
import { type FoundSamples, useSamples } from "./samples.ts";
import { SpanComparison } from "./span-comparison.tsx";
import { resultNames, type ShownResults, shownResults } from "./target.ts";

const texts = en.benchmarks;
const pageSize = 50;
const from = "/o/$org/benchmarks/$run";

/** What came of single samples: of those that were missed, unless others are asked for. */
export function Results({ benchmark }: { readonly benchmark: Benchmark }) {
  const search = useSearch({ from });
  const navigate = useNavigate({ from });
  const shown = resultNames.find((name) => name === search.results) ?? "fn";
  return (
    <Panel title={texts.singleSamples} text={texts.resultsGone}>
      <search className={layout.filters}>
        <Select
          label={texts.results}
          value={shown}
          onChange={({ target }) => navigate({ search: { results: target.value }, replace: true })}
        >
          {resultNames.map((name) => (
            <option key={name} value={name}>
              {texts.resultsShown[name]}
            </option>
          ))}
        </Select>
      </search>
      <Causes key={shown} benchmark={benchmark} shown={shown} />
    </Panel>
  );
}

interface Wanted {
  readonly benchmark: Benchmark;
  readonly shown: ShownResults;
}

/** Results of one cause, the rules that matched, stand together: the most frequent cause first. */
function Causes({ benchmark, shown }: Wanted) {
  const { orgId, id: benchmarkId } = benchmark;
  const query = useQuery(BenchmarkService.method.listBenchmarkResults, {
    ...{ orgId, benchmarkId, ...shownResults[shown], limit: 1, withGroups: true },
  });
  return (
    <Answered query={query} rows={3}>
      {({ groups: [first, ...others], total }) => {
        if (first === undefined) return <p className={layout.dim}>{texts.noResults}</p>;
        if (others.length === 0)
          return <OfCause benchmark={benchmark} shown={shown} label={texts.singleSamples} rules={first.rules} />;
        const rest = total - [first, ...others].reduce((sum, group) => sum + group.count, 0);
        return (
          <>
            {[first, ...others].map((group, at) => (
              <Cause
                key={group.rules.join()}
                benchmark={benchmark}
                shown={shown}
                rules={group.rules}
                n={group.count}
                isFirst={at === 0}
              />
            ))}
            {rest > 0 && <p className={layout.dim}>{texts.moreCauses(count(rest))}</p>}
          </>
        );
      }}
    </Answered>
  );
}

function Cause({
  rules,
  n,
  isFirst,
  ...wanted
}: Wanted & { readonly rules: readonly string[]; readonly n: number; readonly isFirst: boolean }) {
  const [isOpen, setOpen] = useState(isFirst);
  const label = texts.resultsBy(rules.join(", ") || texts.noRule, n);
  return (
    <details open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary className={style.cause}>{label}</summary>
      {isOpen && <OfCause label={label} rules={rules} {...wanted} />}
    </details>
  );
}

function OfCause({
  benchmark,
  shown,
  label,
  rules,
}: Wanted & { readonly label: string; readonly rules: readonly string[] }) {
  const { orgId, id: benchmarkId } = benchmark;
  const [offset, setOffset] = useState(0);
  const cause = rules.length === 0 ? { withoutRules: true } : { rules: [...rules] };
  const query = useQuery(
    BenchmarkService.method.listBenchmarkResults,
    { orgId, benchmarkId, ...shownResults[shown], ...cause, limit: pageSize, offset },
    { placeholderData: keepPreviousData },
  );
  return (
    <Answered query={query} rows={3}>
      {({ results, total }) => (
        <>
          <Listed benchmark={benchmark} shown={shown} label={label} results={results} />
          <Pager offset={offset} size={pageSize} total={total} onMove={setOffset} />
        </>
      )}
    </Answered>
  );
}

function Listed({
  benchmark,
  shown,
  label,
  results,
}: Wanted & { readonly label: string; readonly results: readonly BenchmarkResult[] }) {
  const samples = useSamples(
    benchmark,
    results.map(({ sampleId }) => sampleId),
  );
  return (
    <>
      {samples.error !== null && <Failed error={samples.error} onRetry={samples.retry} />}
      <List label={label} results={results} samples={samples} comparesSpans={shown === "span"} />
    </>
  );
}

function List({
  label,
  results,
  samples,
  comparesSpans,
}: {
  readonly label: string;
  readonly results: readonly BenchmarkResult[];
  readonly samples: FoundSamples;
  /** Whether the spans are what is wrong. */
  readonly comparesSpans: boolean;
}) {
  return (
    <Table
      label={label}
      rows={results}
      keyOf={({ sampleId }) => sampleId}
      columns={[
        {
          title: texts.sample,
          cell: (result) => {
            const { sampleId, labels } = result;
            const found = samples.of(sampleId);
            return (
              <>
                <SampleCell id={sampleId} labels={labels} found={found} />
                {comparesSpans && <SpanComparison result={result} found={found} />}
              </>
            );
          },
        },
        {
          title: texts.outcome,
          phone: "below",
          cell: ({ outcome, why }) => (outcome === undefined ? (why ?? "") : <Outcome value={outcomeName(outcome)} />),
        },
        {
          title: texts.score,
          phone: "named",
          isNumber: true,
          cell: ({ score }) => (score === undefined ? en.common.none : decimal(score)),
        },
        { title: texts.rules, phone: "named", cell: ({ rules }) => rules.join(", ") || en.common.none },
      ]}
    />
  );
}
