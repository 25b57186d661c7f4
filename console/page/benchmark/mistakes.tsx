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
import { Answered } from "../../part/state.tsx";
import { Table } from "../../part/table.tsx";
import { en } from "../../text/en.ts";
import { decimal } from "../../text/format.ts";
import { byRules } from "./groups.ts";
import { mismatches } from "./target.ts";

const texts = en.benchmarks;
const pageSize = 100;
const from = "/o/$org/benchmarks/$run";

/** The samples that came out otherwise than they should. */
export function Mistakes({ benchmark: { orgId, id: benchmarkId } }: { readonly benchmark: Benchmark }) {
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
            {total > 0 && <Groups results={results} />}
            <Pager offset={offset} size={pageSize} total={total} onMove={setOffset} />
          </>
        )}
      </Answered>
    </Panel>
  );
}

/** Mistakes of one cause stand together, the most frequent cause first. */
function Groups({ results }: { readonly results: readonly BenchmarkResult[] }) {
  const groups = byRules(results);
  if (groups.length === 1) return <List label={texts.mistakes} results={results} />;
  return groups.map(({ rules, results: ofGroup }) => {
    const label = texts.mistakesBy(rules === "" ? texts.noRule : rules, ofGroup.length);
    return (
      <section key={rules} className={layout.stack}>
        <h3>{label}</h3>
        <List label={label} results={ofGroup} />
      </section>
    );
  });
}

function List({ label, results }: { readonly label: string; readonly results: readonly BenchmarkResult[] }) {
  return (
    <Table
      label={label}
      rows={results}
      keyOf={({ sampleId }) => sampleId}
      columns={[
        { title: texts.sample, cell: ({ sampleId }) => <code>{sampleId}</code> },
        { title: texts.labels, isExtra: true, cell: ({ labels }) => labels.join(", ") },
        {
          title: texts.outcome,
          cell: ({ outcome, why }) => (outcome === undefined ? (why ?? "") : <Outcome value={outcomeName(outcome)} />),
        },
        {
          title: texts.score,
          isNumber: true,
          cell: ({ score }) => (score === undefined ? en.common.none : decimal(score)),
        },
        { title: texts.rules, isExtra: true, cell: ({ rules }) => rules.join(", ") || en.common.none },
      ]}
    />
  );
}
