import { useQuery } from "@connectrpc/connect-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import type { Benchmark } from "../../../gen/policyguard/control/v1/benchmark_pb.ts";
import { BenchmarkService } from "../../../gen/policyguard/control/v1/benchmark_service_pb.ts";
import { useOrganization } from "../../data/organization.ts";
import { isOpen } from "../../data/run.ts";
import { Ago } from "../../part/ago.tsx";
import { Badge } from "../../part/badge.tsx";
import { Button } from "../../part/button.tsx";
import { LinkButton } from "../../part/link-button.tsx";
import { NothingYet } from "../../part/onboarding/nothing-yet.tsx";
import { Page } from "../../part/page.tsx";
import { Pager } from "../../part/pager.tsx";
import { Answered } from "../../part/state.tsx";
import { Table } from "../../part/table.tsx";
import { en } from "../../text/en.ts";
import { CreateBenchmarkDialog } from "./create.tsx";
import { useNames } from "./names.ts";
import { BenchmarkState } from "./state.tsx";
import { targetText } from "./target.ts";

const texts = en.benchmarks;
const { method } = BenchmarkService;
const pageSize = 50;
const workingMs = 2_000;

/** What was measured, the newest first. */
export function BenchmarksPage() {
  const { orgId, can } = useOrganization();
  const [offset, setOffset] = useState(0);
  const [isCreating, setCreating] = useState(false);
  const query = useQuery(
    method.listBenchmarks,
    { orgId, limit: pageSize, offset },
    { refetchInterval: ({ state }) => (state.data?.benchmarks.some((each) => isOpen(each.state)) ? workingMs : false) },
  );
  const create = can(method.createBenchmark) && (
    <Button hotkey="create" kind="primary" onClick={() => setCreating(true)}>
      {texts.create}
    </Button>
  );
  return (
    <Page title={texts.title} note={query.data && en.common.total(query.data.total)} actions={create}>
      <Answered query={query}>
        {({ benchmarks, total }) => (
          <>
            {total === 0 && (
              <NothingYet of="benchmarks" title={texts.empty} text={texts.emptyText}>
                <LinkButton kind="plain" to="/o/$org/datasets" params={{ org: orgId }}>
                  {texts.toDatasets}
                </LinkButton>
              </NothingYet>
            )}
            {total > 0 && <Benchmarks benchmarks={benchmarks} />}
            <Pager offset={offset} size={pageSize} total={total} onMove={setOffset} />
          </>
        )}
      </Answered>
      {isCreating && <CreateBenchmarkDialog onClose={() => setCreating(false)} />}
    </Page>
  );
}

function Benchmarks({ benchmarks }: { readonly benchmarks: readonly Benchmark[] }) {
  const { datasetName, policyName } = useNames();
  return (
    <Table
      label={texts.title}
      rows={benchmarks}
      keyOf={({ id }) => id}
      columns={[
        {
          title: texts.target,
          cell: ({ id, orgId, target, approval }) => (
            <>
              <Link to="/o/$org/benchmarks/$run" params={{ org: orgId, run: id }}>
                {targetText(target, policyName)}
              </Link>{" "}
              {approval !== undefined && (
                <Badge tone="good" title={texts.baselineOf(approval.environment)}>
                  {texts.baseline}
                </Badge>
              )}
            </>
          ),
        },
        {
          title: texts.dataset,
          phone: "below",
          cell: ({ datasetId, version }) => texts.ofVersion(datasetName(datasetId), version),
        },
        { title: texts.state, phone: "end", cell: (benchmark) => <BenchmarkState benchmark={benchmark} /> },
        { title: texts.by, phone: "below", cell: ({ createdBy }) => createdBy },
        { title: texts.when, phone: "below", isNumber: true, cell: ({ createdAt }) => <Ago time={createdAt} /> },
      ]}
    />
  );
}
