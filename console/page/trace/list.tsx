import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { createQueryOptions, useQuery } from "@connectrpc/connect-query";
import { keepPreviousData } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { AnnotationService } from "../../../gen/policyguard/control/v1/annotation_service_pb.ts";
import { ReplayService } from "../../../gen/policyguard/control/v1/replay_service_pb.ts";
import type { Trace } from "../../../gen/policyguard/control/v1/trace_pb.ts";
import { TraceService } from "../../../gen/policyguard/control/v1/trace_service_pb.ts";
import { useAnyTrace } from "../../data/any-trace.ts";
import { queryClient } from "../../data/client.ts";
import { useNewRuntime } from "../../data/new-runtime.ts";
import { useOrganization } from "../../data/organization.ts";
import { stageName } from "../../data/stage.ts";
import { transport } from "../../data/transport.ts";
import { Button } from "../../part/button.tsx";
import { Outcome } from "../../part/judgement/outcome.tsx";
import { outcomeName } from "../../part/judgement/outcome-name.ts";
import { listMark, useRowKeys } from "../../part/keys/row-keys.ts";
import { useRowLink } from "../../part/keys/row-link.ts";
import { useKeys } from "../../part/keys/use-keys.ts";
import { LinkButton } from "../../part/link-button.tsx";
import { NoRuntime } from "../../part/onboarding/no-runtime.tsx";
import { Page } from "../../part/page.tsx";
import { Empty, Failed, Loading } from "../../part/state.tsx";
import { en } from "../../text/en.ts";
import { duration, timeOfDay } from "../../text/format.ts";
import { replayOf, windowOf } from "./carried.ts";
import { TraceDrawer } from "./drawer.tsx";
import { ExportDialog } from "./export.tsx";
import { filterRequest, given } from "./filter-request.ts";
import { TraceFilters } from "./filters.tsx";
import { markName } from "./mark-kind.ts";
import { WithNotes } from "./notes.tsx";
import { longestRange, type TraceRange, type TraceSearch } from "./search.ts";
import { ToDatasetDialog } from "./to-dataset.tsx";
import style from "./trace.module.css";

const texts = en.traces;
const pageSize = 50;
/** How often the number of new traces is asked for. */
const newMs = 10_000;
/** So many traces after the open one are loaded, so that walking through them does not wait. */
const prefetched = 2;

/** The traces of an organization, newest first. New ones are counted, and shown when the reader asks for them. */
export function TracesPage() {
  const { orgId } = useOrganization();
  const search = useSearch({ from: "/o/$org/traces" });
  const navigate = useNavigate({ from: "/o/$org/traces" });
  const [until, setUntil] = useState(() => new Date());
  const [offset, setOffset] = useState(0);
  const change = (part: Partial<Record<keyof TraceSearch, string | undefined>>) => {
    setOffset(0);
    setUntil(new Date());
    navigate({ search: (former) => ({ ...former, trace: undefined, ...part }) as TraceSearch, replace: true });
  };
  const filter = requestOf(orgId, search, until);
  const { data, error, refetch } = useQuery(
    TraceService.method.listTraces,
    { ...filter, limit: pageSize, offset },
    { placeholderData: keepPreviousData },
  );
  const traces = data?.traces ?? [];
  const open = (id: string | undefined) => navigate({ search: (former) => withTrace(former, id), replace: true });
  const at = traces.findIndex(({ id }) => id === search.trace);
  // From the trace of the address, which is ahead of the page: two presses in a row are two steps.
  const move = (step: number) =>
    navigate({
      search: (former) => {
        const from = traces.findIndex(({ id }) => id === former.trace);
        return withTrace(former, traces[Math.min(Math.max(from + step, 0), traces.length - 1)]?.id ?? former.trace);
      },
      replace: true,
    });
  usePrefetched(orgId, at < 0 ? [] : traces.slice(at + 1, at + 1 + prefetched).map(({ id }) => id));
  useKeys(search.trace === undefined ? {} : { close: () => open(undefined) });
  return (
    <Page
      title={texts.title}
      note={data && texts.shown(data.total, data.totalIsExact)}
      actions={
        <>
          {search.until === undefined && <Fresh search={search} since={until} onShow={() => change({})} />}
          <Deeds search={search} readAt={until} />
        </>
      }
    >
      <WithNotes>
        <TraceFilters search={search} onChange={change} />
        {error !== null && <Failed error={error} onRetry={refetch} />}
        {data === undefined && error === null && <Loading />}
        {data !== undefined && traces.length === 0 && (
          <Nothing search={search} onChange={change} onClear={() => navigate({ search: {} })} />
        )}
        {(traces.length > 0 || search.trace !== undefined) && (
          <div className={search.trace === undefined ? "" : style.split}>
            <div>
              {traces.length > 0 && <Rows traces={traces} at={at} onOpen={open} />}
              <Pager offset={offset} hasMore={offset + traces.length < (data?.total ?? 0)} onMove={setOffset} />
            </div>
            {search.trace !== undefined && (
              <TraceDrawer
                traceId={search.trace}
                onClose={() => open(undefined)}
                onMove={move}
                canMove={(step) => traces[at + step] !== undefined}
              />
            )}
          </div>
        )}
      </WithNotes>
    </Page>
  );
}

function withTrace({ trace: _, ...filters }: TraceSearch, id: string | undefined): TraceSearch {
  return id === undefined ? filters : { ...filters, trace: id };
}

/** Loads traces before they are asked for. What fails to load is told when it is. */
function usePrefetched(orgId: string, ids: readonly string[]): void {
  const wanted = ids.join(" ");
  useEffect(() => {
    for (const traceId of wanted.split(" ").filter(Boolean))
      queryClient.prefetchQuery(createQueryOptions(TraceService.method.getTrace, { orgId, traceId }, { transport }));
  }, [orgId, wanted]);
}

/** The filters as the call has them. */
function requestOf(orgId: string, search: TraceSearch, readAt: Date) {
  const { since, until } = windowOf(search, readAt);
  return { orgId, ...filterRequest(search), since: timestampFromDate(since), until: timestampFromDate(until) };
}

/** Tells an organization that has no trace yet from a filter, or a time, that has none. */
function Nothing({
  search: { trace, range, ...filters },
  onChange,
  onClear,
}: {
  readonly search: TraceSearch;
  readonly onChange: (part: { readonly range: TraceRange }) => void;
  readonly onClear: () => void;
}) {
  const isAny = useAnyTrace(true);
  const { start, issueFor } = useNewRuntime();
  if (isAny === undefined) return <Loading />;
  if (!isAny) return <NoRuntime title={texts.empty} start={start} issueFor={issueFor} />;
  const isFiltered = Object.keys(filters).length > 0;
  return (
    <Empty title={isFiltered ? texts.nothing : texts.nothingThen}>
      {isFiltered && <Button onClick={onClear}>{texts.clear}</Button>}
      {range !== longestRange && filters.since === undefined && (
        <Button onClick={() => onChange({ range: longestRange })}>{texts.lookBack}</Button>
      )}
    </Empty>
  );
}

/** What is done with the traces of the filter. */
function Deeds({ search, readAt }: { readonly search: TraceSearch; readonly readAt: Date }) {
  const { orgId, can } = useOrganization();
  const [dialog, setDialog] = useState<"dataset" | "file">();
  const close = () => setDialog(undefined);
  const { project, environment, policy, rule } = search;
  return (
    <>
      {can(ReplayService.method.createReplay) && (
        <LinkButton kind="plain" to="/o/$org/replays" params={{ org: orgId }} search={replayOf(search, readAt)}>
          {en.replays.button}
        </LinkButton>
      )}
      {can(AnnotationService.method.exportAnnotations) && (
        <Button onClick={() => setDialog("dataset")}>{en.toDataset.button}</Button>
      )}
      {can(TraceService.method.exportTraces) && (
        <Button onClick={() => setDialog("file")}>{en.exportTraces.button}</Button>
      )}
      {dialog === "dataset" && (
        <ToDatasetDialog filter={given({ projectId: project, environment, policy, ruleId: rule })} onClose={close} />
      )}
      {dialog === "file" && <ExportDialog search={search} readAt={readAt} onClose={close} />}
    </>
  );
}

/** How many traces came since the list was loaded. */
function Fresh({
  search,
  since,
  onShow,
}: {
  readonly search: TraceSearch;
  readonly since: Date;
  readonly onShow: () => void;
}) {
  const { orgId } = useOrganization();
  const filter = { ...requestOf(orgId, search, since), since: timestampFromDate(since), limit: 1 };
  const { data } = useQuery(
    TraceService.method.listTraces,
    { ...filter, until: undefined },
    { refetchInterval: newMs },
  );
  if (data === undefined || data.total === 0) return null;
  return <Button onClick={onShow}>{texts.fresh(data.total)}</Button>;
}

function Rows({
  traces,
  at,
  onOpen,
}: {
  readonly traces: readonly Trace[];
  /** Which one is open; -1 while none is. */
  readonly at: number;
  readonly onOpen: (id: string) => void;
}) {
  const frame = useRef<HTMLDivElement>(null);
  useRowKeys(frame, { at: at < 0 ? undefined : at, onOpen: (next) => onOpen(traces[next]?.id ?? "") });
  useRowLink(frame);
  return (
    <div ref={frame} className={style.frame} {...listMark}>
      <table className={style.rows} aria-label={texts.title}>
        <thead>
          <tr>
            <th scope="col">{texts.time}</th>
            <th scope="col">{texts.outcome}</th>
            <th scope="col">{texts.stage}</th>
            <th scope="col" className={style.extra}>
              {texts.agent}
            </th>
            <th scope="col">{texts.rule}</th>
            <th scope="col" className={style.extra}>
              {texts.said}
            </th>
            <th scope="col" className={style.number}>
              {texts.latency}
            </th>
          </tr>
        </thead>
        <tbody>
          {traces.map((trace, index) => (
            <Row key={trace.id} trace={trace} isChosen={index === at} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** What people say of a trace, in a word. */
function markText(summary: Trace["annotationSummary"]): string {
  if (summary === undefined || summary.marks === 0) return "";
  if (summary.isDisputed) return texts.choices.disputed ?? "";
  return summary.resolvedMark === undefined ? en.review.count(summary.marks) : markName(summary.resolvedMark);
}

function Row({ trace, isChosen }: { readonly trace: Trace; readonly isChosen: boolean }) {
  const { id, createdAt, outcome, wouldBeOutcome, stage, agentId, decidedByRule, latencyUs } = trace;
  return (
    <tr className={isChosen ? style.chosen : ""}>
      <td>
        <Link from="/o/$org/traces" to="." search={(former) => withTrace(former, id)} replace aria-expanded={isChosen}>
          {timeOfDay(createdAt)}
        </Link>
      </td>
      <td>
        <Outcome value={outcomeName(outcome)} />
        {wouldBeOutcome !== outcome && wouldBeOutcome !== 0 && (
          <>
            {" "}
            <span title={texts.wouldBe(outcomeName(wouldBeOutcome) ?? "")}>
              (<Outcome value={outcomeName(wouldBeOutcome)} />)
            </span>
          </>
        )}
      </td>
      <td className={style.stage}>{stageName(stage)}</td>
      <td className={style.extra}>{agentId ?? en.common.none}</td>
      <td className={style.rule}>{decidedByRule === undefined ? en.common.none : <code>{decidedByRule}</code>}</td>
      <td className={style.extra}>{markText(trace.annotationSummary)}</td>
      <td className={style.number}>{duration(latencyUs)}</td>
    </tr>
  );
}

function Pager({
  offset,
  hasMore,
  onMove,
}: {
  readonly offset: number;
  readonly hasMore: boolean;
  readonly onMove: (offset: number) => void;
}) {
  if (offset === 0 && !hasMore) return null;
  return (
    <div className={style.pager}>
      {offset > 0 && <Button onClick={() => onMove(Math.max(0, offset - pageSize))}>{en.common.back}</Button>}
      {hasMore && <Button onClick={() => onMove(offset + pageSize)}>{en.common.more}</Button>}
    </div>
  );
}
