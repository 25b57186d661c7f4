import { callUnaryMethod, useQuery } from "@connectrpc/connect-query";
import { useNavigate, useParams } from "@tanstack/react-router";
import { useState } from "react";
import type { Benchmark } from "../../../gen/policyguard/control/v1/benchmark_pb.ts";
import { BenchmarkService } from "../../../gen/policyguard/control/v1/benchmark_service_pb.ts";
import { RunState } from "../../../gen/policyguard/control/v1/run_pb.ts";
import { invalidate } from "../../data/invalidation.ts";
import { useOrganization } from "../../data/organization.ts";
import { perform } from "../../data/perform.ts";
import { isOpen } from "../../data/run.ts";
import { transport } from "../../data/transport.ts";
import { Ago } from "../../part/ago.tsx";
import { Badge } from "../../part/badge.tsx";
import { useBusy } from "../../part/busy.ts";
import { Button } from "../../part/button.tsx";
import { DeedDialog } from "../../part/deed-dialog.tsx";
import { Facts } from "../../part/facts.tsx";
import { Select } from "../../part/field.tsx";
import layout from "../../part/layout/layout.module.css";
import { Page } from "../../part/page.tsx";
import { Panel } from "../../part/panel.tsx";
import { useGoOn } from "../../part/shown.ts";
import { Answered, Failed } from "../../part/state.tsx";
import { en } from "../../text/en.ts";
import { duration } from "../../text/format.ts";
import { useNames } from "./names.ts";
import { Report } from "./report.tsx";
import { Results } from "./results.tsx";
import { BenchmarkState } from "./state.tsx";
import { targetText } from "./target.ts";

const texts = en.benchmarks;
const { method } = BenchmarkService;
const workingMs = 2_000;
const maxOthers = 200;

/** One benchmark: how far it is, and then what it found out. */
export function BenchmarkPage() {
  const { orgId } = useOrganization();
  const { run: benchmarkId } = useParams({ from: "/o/$org/benchmarks/$run" });
  const { datasetName, policyName } = useNames();
  const query = useQuery(
    method.getBenchmark,
    { orgId, benchmarkId },
    {
      refetchInterval: ({ state }) => (state.data?.benchmark && isOpen(state.data.benchmark.state) ? workingMs : false),
    },
  );
  const benchmark = query.data?.benchmark;
  return (
    <Page
      title={benchmark ? targetText(benchmark.target, policyName) : texts.title}
      note={benchmark && <Note benchmark={benchmark} dataset={datasetName(benchmark.datasetId)} />}
      actions={benchmark && <Deeds benchmark={benchmark} />}
    >
      <Answered query={query}>
        {() =>
          benchmark && (
            <>
              {benchmark.state === RunState.QUEUED && <p role="status">{texts.waiting}</p>}
              {benchmark.error !== undefined && <p role="alert">{benchmark.error.message}</p>}
              {benchmark.report !== undefined && <Report report={benchmark.report} />}
              {benchmark.report !== undefined && <Results benchmark={benchmark} />}
              <Inputs benchmark={benchmark} />
            </>
          )
        }
      </Answered>
    </Page>
  );
}

function Note({ benchmark, dataset }: { readonly benchmark: Benchmark; readonly dataset: string }) {
  const { approval, version } = benchmark;
  return (
    <>
      {texts.ofVersion(dataset, version)} · <BenchmarkState benchmark={benchmark} />{" "}
      {approval !== undefined && <Badge tone="good">{texts.baselineOf(approval.environment)}</Badge>}
    </>
  );
}

function Inputs({ benchmark }: { readonly benchmark: Benchmark }) {
  const { inputs, report, createdBy, createdAt } = benchmark;
  const latency = report?.latency;
  return (
    <Panel title={texts.inputs}>
      <Facts
        facts={[
          [
            texts.by,
            <span key="by">
              {createdBy}, <Ago time={createdAt} />
            </span>,
          ],
          ...(latency === undefined
            ? []
            : ([
                [
                  texts.latency,
                  `p50 ${duration(latency.p50)} · p95 ${duration(latency.p95)} · p99 ${duration(latency.p99)}`,
                ],
              ] as const)),
          [texts.engine, inputs?.engine],
          [texts.datasetDigest, <code key="dataset">{inputs?.datasetDigest}</code>],
          ...(report === undefined ? [] : ([[texts.digest, <code key="result">{report.resultDigest}</code>]] as const)),
        ]}
      />
    </Panel>
  );
}

function Deeds({ benchmark }: { readonly benchmark: Benchmark }) {
  const { can } = useOrganization();
  const navigate = useGoOn();
  const { run, isBusy, error } = useBusy();
  const [isAsking, setAsking] = useState(false);
  const { orgId, id: benchmarkId, state, approval, scope } = benchmark;
  const place = { orgId, benchmarkId };
  const hasPlace = scope?.projectId !== undefined && scope.environment !== undefined;
  const approve = () =>
    run(async () => {
      await perform(method.approveBenchmark, place);
    });
  const cancel = () =>
    run(async () => {
      await perform(method.cancelBenchmark, place);
    });
  return (
    <>
      {error !== undefined && <Failed error={error} />}
      {state === RunState.SUCCEEDED && <CompareWith benchmark={benchmark} />}
      {state === RunState.SUCCEEDED && hasPlace && approval === undefined && can(method.approveBenchmark) && (
        <Button disabled={isBusy} onClick={approve}>
          {texts.approve}
        </Button>
      )}
      {isOpen(state) && can(method.cancelBenchmark) && (
        <Button disabled={isBusy} onClick={cancel}>
          {texts.cancel}
        </Button>
      )}
      {can(method.deleteBenchmark) && <Button onClick={() => setAsking(true)}>{texts.delete}</Button>}
      {isAsking && (
        <DeedDialog
          title={texts.deleteTitle}
          text={texts.deleteText}
          deed={texts.confirmDelete}
          isGrave
          onClose={() => setAsking(false)}
          onDo={async () => {
            await callUnaryMethod(transport, method.deleteBenchmark, place);
            await navigate({ to: "/o/$org/benchmarks", params: { org: orgId } });
            await invalidate(method.deleteBenchmark);
          }}
        />
      )}
    </>
  );
}

/** Leads to the comparison with another benchmark of the same dataset. */
function CompareWith({ benchmark: { id, orgId, datasetId } }: { readonly benchmark: Benchmark }) {
  const navigate = useNavigate();
  const { policyName } = useNames();
  const { data } = useQuery(method.listBenchmarks, { orgId, limit: maxOthers });
  const others = data?.benchmarks.filter(
    (each) => each.id !== id && each.datasetId === datasetId && each.state === RunState.SUCCEEDED,
  );
  if (others === undefined || others.length === 0) return null;
  return (
    <span className={layout.row}>
      <Select
        label={texts.compareWith}
        value=""
        onChange={({ target }) =>
          navigate({
            to: "/o/$org/benchmarks/$run/compare",
            params: { org: orgId, run: id },
            search: { with: target.value },
          })
        }
      >
        <option value="">{texts.chooseOther}</option>
        {others.map((each) => (
          <option key={each.id} value={each.id}>
            {texts.ofVersion(targetText(each.target, policyName), each.version)}
          </option>
        ))}
      </Select>
    </span>
  );
}
