import { useQuery } from "@connectrpc/connect-query";
import { keepPreviousData } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import {
  type Benchmark,
  BenchmarkMismatch,
  type BenchmarkResult,
} from "../../../gen/policyguard/control/v1/benchmark_pb.ts";
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
import { decimal } from "../../text/format.ts";
import { byRules } from "./groups.ts";
import { SampleCell } from "./sample-cell.tsx";
import { type FoundSamples, useSamples } from "./samples.ts";
import { SpanComparison } from "./span-comparison.tsx";
import { mismatches } from "./target.ts";

const texts = en.benchmarks;
const pageSize = 50;
const from = "/o/$org/benchmarks/$run";

/** The samples that came out otherwise than they should. */
export function Mistakes({ benchmark }: { readonly benchmark: Benchmark }) {
  const { orgId, id: benchmarkId } = benchmark;
  const search = useSearch({ from });
  const navigate = useNavigate({ from });
  const [offset, setOffset] = useState(0);
  const mismatch = mismatches.valueOf(search.mismatch) ?? BenchmarkMismatch.FN;
  const query = useQuery(
    BenchmarkService.method.listBenchmarkResults,
    { orgId, benchmarkId, mismatch, limit: pageSize, offset },
    { placeholderData: keepPreviousData },
  );
  const choose = (name: string) => {
    setOffset(0);
    navigate({ search: { mismatch: name }, replace: true });
  };
  return (
    <Panel title={texts.mistakes} text={texts.resultsGone}>
      <search className={layout.filters}>
        <Select
          label={texts.mistakes}
          value={mismatches.nameOf(mismatch)}
          onChange={({ target }) => choose(target.value)}
        >
          {mismatches.values.map((each) => (
            <option key={each} value={mismatches.nameOf(each)}>
              {texts.mismatches[mismatches.nameOf(each)]}
            </option>
          ))}
        </Select>
      </search>
      <Answered query={query} rows={3}>
        {({ results, total }) => (
          <>
            {total === 0 && <p className={layout.dim}>{texts.noMistakes}</p>}
            {total > 0 && <Groups benchmark={benchmark} mismatch={mismatch} results={results} />}
            <Pager offset={offset} size={pageSize} total={total} onMove={setOffset} />
          </>
        )}
      </Answered>
    </Panel>
  );
}

/** Mistakes of one cause stand together, the most frequent cause first. */
function Groups({
  benchmark,
  mismatch,
  results,
}: {
  readonly benchmark: Benchmark;
  readonly mismatch: BenchmarkMismatch;
  readonly results: readonly BenchmarkResult[];
}) {
  const samples = useSamples(
    benchmark,
    results.map(({ sampleId }) => sampleId),
  );
  const groups = byRules(results);
  const comparesSpans = mismatch === BenchmarkMismatch.SPAN;
  const parts = { samples, comparesSpans };
  return (
    <>
      {samples.error !== null && <Failed error={samples.error} onRetry={samples.retry} />}
      {groups.map(({ rules, results: ofGroup }) => {
        if (groups.length === 1) return <List key={rules} label={texts.mistakes} results={ofGroup} {...parts} />;
        const label = texts.mistakesBy(rules === "" ? texts.noRule : rules, ofGroup.length);
        return (
          <section key={rules} className={layout.stack}>
            <h3>{label}</h3>
            <List label={label} results={ofGroup} {...parts} />
          </section>
        );
      })}
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
