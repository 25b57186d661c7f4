import { callUnaryMethod, useQuery } from "@connectrpc/connect-query";
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import {
  type Replay,
  type ReplayChange,
  ReplayChangeSchema,
  type ReplayReport,
  type ReplayResult,
} from "../../../gen/policyguard/control/v1/replay_pb.ts";
import { ReplayService } from "../../../gen/policyguard/control/v1/replay_service_pb.ts";
import { RunState } from "../../../gen/policyguard/control/v1/run_pb.ts";
import { invalidate } from "../../data/invalidation.ts";
import { useOrganization } from "../../data/organization.ts";
import { perform } from "../../data/perform.ts";
import { isOpen } from "../../data/run.ts";
import { transport } from "../../data/transport.ts";
import { wireNames } from "../../data/wire-name.ts";
import { Ago } from "../../part/ago.tsx";
import { useBusy } from "../../part/busy.ts";
import { Button } from "../../part/button.tsx";
import { DeedDialog } from "../../part/deed-dialog.tsx";
import { Facts } from "../../part/facts.tsx";
import { Select } from "../../part/field.tsx";
import { Outcome } from "../../part/judgement/outcome.tsx";
import { outcomeName } from "../../part/judgement/outcome-name.ts";
import { ReplayFigures } from "../../part/judgement/replay-figures.tsx";
import { Voices } from "../../part/judgement/voices.tsx";
import layout from "../../part/layout/layout.module.css";
import { Page } from "../../part/page.tsx";
import { Pager } from "../../part/pager.tsx";
import { Panel } from "../../part/panel.tsx";
import { useGoOn } from "../../part/shown.ts";
import { Answered, Failed } from "../../part/state.tsx";
import { Table } from "../../part/table.tsx";
import { en } from "../../text/en.ts";
import { absolute, count } from "../../text/format.ts";
import { filterText, judgeText, ReplayState } from "./say.tsx";

const texts = en.replays;
const { method } = ReplayService;
const changeNames = wireNames<ReplayChange>(ReplayChangeSchema);
const workingMs = 2_000;
const pageSize = 50;
const maxRules = 50;
const from = "/o/$org/replays/$run";

/** One replay: how far it is, what becomes of the outcomes, and which traces come out otherwise. */
export function ReplayPage() {
  const { orgId } = useOrganization();
  const { run: replayId } = useParams({ from });
  const query = useQuery(
    method.getReplay,
    { orgId, replayId },
    { refetchInterval: ({ state: { data } }) => (data?.replay && isOpen(data.replay.state) ? workingMs : false) },
  );
  const replay = query.data?.replay;
  return (
    <Page
      title={replay === undefined ? texts.title : judgeText(replay)}
      note={
        <Link to="/o/$org/replays" params={{ org: orgId }}>
          {texts.title}
        </Link>
      }
      actions={replay && <Deeds replay={replay} />}
    >
      <Answered query={query}>{() => replay && <Content replay={replay} />}</Answered>
    </Page>
  );
}

function Deeds({ replay: { orgId, id: replayId, state } }: { readonly replay: Replay }) {
  const { can } = useOrganization();
  const navigate = useGoOn();
  const { run, isBusy, error } = useBusy();
  const [isAsking, setAsking] = useState(false);
  const cancel = () =>
    run(async () => {
      await perform(method.cancelReplay, { orgId, replayId });
    });
  return (
    <>
      {error !== undefined && <Failed error={error} />}
      {isOpen(state) && can(method.cancelReplay) && (
        <Button disabled={isBusy} onClick={cancel}>
          {texts.cancel}
        </Button>
      )}
      {can(method.deleteReplay) && <Button onClick={() => setAsking(true)}>{texts.delete}</Button>}
      {isAsking && (
        <DeedDialog
          title={texts.deleteTitle}
          text={texts.deleteText}
          deed={texts.confirmDelete}
          isGrave
          onClose={() => setAsking(false)}
          onDo={async () => {
            await callUnaryMethod(transport, method.deleteReplay, { orgId, replayId });
            await navigate({ to: "/o/$org/replays", params: { org: orgId } });
            await invalidate(method.deleteReplay);
          }}
        />
      )}
    </>
  );
}

function Content({ replay }: { readonly replay: Replay }) {
  const { state, filter, since, until, createdBy, createdAt, error, report } = replay;
  const facts: readonly (readonly [string, ReactNode])[] = [
    [texts.filter, filterText(filter)],
    ...(since === undefined ? [] : ([[texts.window, `${absolute(since)} – ${absolute(until)}`]] as const)),
    [texts.who, createdBy],
    [texts.when, <Ago key="when" time={createdAt} />],
  ];
  return (
    <>
      <p role="status">
        <ReplayState replay={replay} />
      </p>
      {error !== undefined && <p role="alert">{error.message}</p>}
      <Facts facts={facts} />
      {report !== undefined && report.sampled === 0 && state === RunState.SUCCEEDED && <p>{texts.noTraces}</p>}
      {report !== undefined && report.sampled > 0 && (
        <>
          <Panel
            title={texts.what}
            text={report.population !== undefined && texts.sampled(count(report.sampled), count(report.population))}
          >
            <ReplayFigures counts={report} />
          </Panel>
          <div className={layout.columns}>
            <Rules report={report} />
            <Marks report={report} />
          </div>
          <Results replay={replay} report={report} />
        </>
      )}
    </>
  );
}

function Rules({ report: { byRule, reasons } }: { readonly report: ReplayReport }) {
  if (byRule.length === 0) return null;
  return (
    <Panel title={texts.rules}>
      <Table
        label={texts.rules}
        rows={byRule.slice(0, maxRules)}
        keyOf={({ policy, ruleId }) => `${policy} ${ruleId}`}
        columns={[
          { title: texts.rule, cell: ({ ruleId }) => <code>{ruleId}</code> },
          { title: texts.was, isNumber: true, cell: ({ was }) => count(was) },
          { title: texts.matches, isNumber: true, cell: ({ matches }) => count(matches) },
          { title: texts.mayMatch, isNumber: true, isExtra: true, cell: ({ mayMatch }) => count(mayMatch) },
          { title: en.bundle.newlyBlocked, isNumber: true, cell: ({ newlyBlocked }) => count(newlyBlocked) },
        ]}
      />
      {reasons.length > 0 && (
        <>
          <h3>{texts.reasons}</h3>
          <Facts facts={reasons.map(({ reason, traces }) => [reason, count(traces)] as const)} />
        </>
      )}
    </Panel>
  );
}

/** How the replay agrees with what people say; absent where nobody has said anything. */
function Marks({ report: { marks } }: { readonly report: ReplayReport }) {
  const rows = (["falsePositives", "falseNegatives", "correct", "correctBlocks"] as const).flatMap((name) => {
    const counts = marks?.[name];
    return counts === undefined || counts.marked === 0 ? [] : [{ name, counts }];
  });
  if (rows.length === 0) return null;
  return (
    <Panel title={texts.marks}>
      <Table
        label={texts.marks}
        rows={rows}
        keyOf={({ name }) => name}
        columns={[
          { title: en.toDataset.mark, cell: ({ name }) => texts.markRows[name] },
          { title: texts.agrees, isNumber: true, cell: ({ counts }) => count(counts.agrees) },
          { title: texts.disagrees, isNumber: true, cell: ({ counts }) => count(counts.disagrees) },
          { title: texts.unknown, isNumber: true, cell: ({ counts }) => count(counts.unknown) },
        ]}
      />
    </Panel>
  );
}

function Results({
  replay: { orgId, id: replayId, resultsUntil, progress },
  report,
}: {
  readonly replay: Replay;
  readonly report: ReplayReport;
}) {
  const { change } = useSearch({ from });
  const navigate = useNavigate({ from });
  const [offset, setOffset] = useState(0);
  const wanted = changeNames.valueOf(change);
  // What is listed grows with the run.
  const query = useQuery(
    method.listReplayResults,
    {
      ...{ orgId, replayId, limit: pageSize, offset },
      ...(wanted === undefined ? {} : { change: wanted }),
    },
    { refetchInterval: progress?.done === progress?.total ? false : workingMs },
  );
  const isGone = resultsUntil !== undefined && Number(resultsUntil.seconds) * 1_000 < Date.now();
  return (
    <Panel title={texts.results} text={query.data && en.common.total(query.data.total)}>
      <search className={layout.filters}>
        <Select
          label={texts.change}
          value={change ?? ""}
          onChange={({ target }) => {
            setOffset(0);
            navigate({ search: target.value === "" ? {} : { change: target.value }, replace: true });
          }}
        >
          <option value="">{en.common.all}</option>
          {changeNames.values.map((each) => (
            <option key={each} value={changeNames.nameOf(each)}>
              {texts.changes[changeNames.nameOf(each)]}
            </option>
          ))}
        </Select>
      </search>
      <Answered query={query} rows={3}>
        {({ results, total }) => (
          <>
            {total === 0 && <p className={layout.dim}>{isGone ? texts.gone : texts.noResults}</p>}
            {total > 0 && <ResultTable results={results} orgId={orgId} />}
            <Pager offset={offset} size={pageSize} total={total} onMove={setOffset} />
          </>
        )}
      </Answered>
      {report.resultsOmitted > 0 && <p className={layout.dim}>{texts.omitted(report.resultsOmitted)}</p>}
    </Panel>
  );
}

function ResultTable({ results, orgId }: { readonly results: readonly ReplayResult[]; readonly orgId: string }) {
  return (
    <Table
      label={texts.results}
      rows={results}
      keyOf={({ traceId }) => traceId}
      columns={[
        {
          title: texts.time,
          cell: ({ traceId, createdAt }) => (
            <Link to="/o/$org/traces/$trace" params={{ org: orgId, trace: traceId }}>
              {absolute(createdAt)}
            </Link>
          ),
        },
        { title: texts.environment, isExtra: true, cell: ({ environment }) => environment },
        { title: texts.became, cell: (result) => <Change result={result} /> },
        {
          title: texts.decided,
          cell: ({ decidedByRule, wasDecidedByRule }) => <code>{decidedByRule ?? wasDecidedByRule}</code>,
        },
        { title: texts.reasons, isExtra: true, cell: ({ reasons }) => reasons.join(", ") },
        ...(results.some(({ backends }) => backends.length > 0)
          ? [
              {
                title: en.voices.title,
                isExtra: true,
                cell: ({ backends }: ReplayResult) => <Voices voices={backends} />,
              },
            ]
          : []),
      ]}
    />
  );
}

function Change({ result: { was, outcome, outcomeRange } }: { readonly result: ReplayResult }) {
  return (
    <span className={layout.row}>
      <Outcome value={outcomeName(was)} /> → {outcome !== undefined && <Outcome value={outcomeName(outcome)} />}
      {outcome === undefined && outcomeRange !== undefined && (
        <>
          <Outcome value={outcomeName(outcomeRange.least)} /> – <Outcome value={outcomeName(outcomeRange.most)} />
        </>
      )}
    </span>
  );
}
