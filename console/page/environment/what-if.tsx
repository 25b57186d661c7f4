import { createClient } from "@connectrpc/connect";
import { useQuery } from "@connectrpc/connect-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import type { Replay, ReplayEstimate, ReplayReport } from "../../../gen/policyguard/control/v1/replay_pb.ts";
import { ReplayService } from "../../../gen/policyguard/control/v1/replay_service_pb.ts";
import { RunState } from "../../../gen/policyguard/control/v1/run_pb.ts";
import { invalidate } from "../../data/invalidation.ts";
import { useOrganization } from "../../data/organization.ts";
import { transport } from "../../data/transport.ts";
import { useBusy } from "../../part/busy.ts";
import { Button } from "../../part/button.tsx";
import { Outcome } from "../../part/judgement/outcome.tsx";
import { outcomeName } from "../../part/judgement/outcome-name.ts";
import { Failed, Loading } from "../../part/state.tsx";
import { en } from "../../text/en.ts";
import { count } from "../../text/format.ts";
import style from "./environment.module.css";
import { cellKey, OutcomeMatrix } from "./matrix.tsx";
import type { Place } from "./place.ts";

const texts = en.bundle;
const replays = createClient(ReplayService, transport);
const workingMs = 2_000;
const shownReplays = 50;
const shownResults = 10;

/** What a version would have decided about the traces of the last seven days. */
export function WhatIf({ place, version }: { readonly place: Place; readonly version: number }) {
  const { orgId, can } = useOrganization();
  const { run, isBusy, error } = useBusy();
  const [started, setStarted] = useState<string>();
  const former = useQuery(ReplayService.method.listReplays, { orgId, limit: shownReplays });
  const replayId = started ?? former.data?.replays.find((replay) => isOf(replay, place, version))?.id;
  const start = () =>
    run(async () => {
      const { replay } = await replays.createReplay({
        orgId,
        bundle: { projectId: place.projectId, environment: place.envName, version },
        filter: { projectId: place.projectId, environment: place.envName },
      });
      setStarted(replay?.id);
      await invalidate(ReplayService.method.createReplay);
    });
  const mayStart = can(ReplayService.method.createReplay);
  if (!mayStart && replayId === undefined) return null;
  return (
    <section className={style.section} aria-label={texts.whatIf}>
      <h2>{texts.whatIf}</h2>
      <p className={style.dim}>{texts.whatIfText}</p>
      {error !== undefined && <Failed error={error} />}
      {former.error !== null && <Failed error={former.error} onRetry={former.refetch} />}
      {replayId !== undefined && <Report replayId={replayId} />}
      {mayStart && (
        <p>
          <Button disabled={isBusy} onClick={start}>
            {replayId === undefined ? texts.replay : texts.replayAgain}
          </Button>
        </p>
      )}
    </section>
  );
}

function isOf({ bundle, filter }: Replay, { projectId, envName }: Place, version: number): boolean {
  return (
    bundle?.projectId === projectId &&
    bundle.environment === envName &&
    bundle.version === version &&
    filter?.environment === envName
  );
}

const states: Readonly<Record<RunState, string>> = {
  [RunState.UNSPECIFIED]: "",
  [RunState.QUEUED]: "queued",
  [RunState.RUNNING]: "running",
  [RunState.SUCCEEDED]: "succeeded",
  [RunState.FAILED]: "failed",
  [RunState.CANCELED]: "canceled",
};

function isWorking(state: RunState | undefined): boolean {
  return state === RunState.QUEUED || state === RunState.RUNNING;
}

function Report({ replayId }: { readonly replayId: string }) {
  const { orgId, can } = useOrganization();
  const { data, error, refetch } = useQuery(
    ReplayService.method.getReplay,
    { orgId, replayId },
    { refetchInterval: (query) => (isWorking(query.state.data?.replay?.state) ? workingMs : false) },
  );
  const cancel = useBusy();
  if (error !== null) return <Failed error={error} onRetry={refetch} />;
  if (data?.replay === undefined) return <Loading rows={2} />;
  const { state, progress, report, error: failure } = data.replay;
  return (
    <>
      <p role="status">
        <strong>{texts.replayStates[states[state] ?? ""]}</strong>{" "}
        <span className={style.dim}>
          {progress?.total === undefined
            ? isWorking(state) && texts.counting
            : texts.progress(count(progress.done), count(progress.total))}
        </span>{" "}
        {isWorking(state) && can(ReplayService.method.cancelReplay) && (
          <Button
            kind="quiet"
            disabled={cancel.isBusy}
            onClick={() =>
              cancel.run(async () => {
                await replays.cancelReplay({ orgId, replayId });
                await invalidate(ReplayService.method.cancelReplay);
              })
            }
          >
            {texts.cancel}
          </Button>
        )}
      </p>
      {cancel.error !== undefined && <Failed error={cancel.error} />}
      {failure !== undefined && <p className={style.weaker}>{failure.message}</p>}
      {report !== undefined && report.sampled > 0 && <Outcomes report={report} replayId={replayId} />}
      {report?.sampled === 0 && state === RunState.SUCCEEDED && <p className={style.dim}>{texts.noTraces}</p>}
    </>
  );
}

function Outcomes({ report, replayId }: { readonly report: ReplayReport; readonly replayId: string }) {
  const { matrix, changed, newlyBlocked, newlyAllowed, bounded } = report;
  const cells = new Map(
    matrix.map((cell) => [cellKey(outcomeName(cell.was), outcomeName(cell.is)), cell.count?.traces ?? 0]),
  );
  const figures = [
    [texts.changedCount, changed],
    [texts.newlyBlocked, newlyBlocked],
    [texts.newlyAllowed, newlyAllowed],
  ] as const;
  return (
    <>
      <dl className={style.figures}>
        {figures.map(([name, estimate]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{sayEstimate(estimate)}</dd>
          </div>
        ))}
      </dl>
      {bounded > 0 && <p className={style.dim}>{texts.bounded(count(bounded))}</p>}
      <OutcomeMatrix cells={cells} />
      {report.results > 0 && <Results replayId={replayId} />}
    </>
  );
}

/** The number where all were judged, else the estimate with its bounds. */
function sayEstimate(estimate: ReplayEstimate | undefined): string {
  if (estimate === undefined) return en.common.none;
  const { traces, estimate: all, low, high } = estimate;
  if (all === undefined || low === undefined || high === undefined || (low === high && all === traces))
    return count(traces);
  return texts.estimate(count(Math.round(all)), count(Math.round(low)), count(Math.round(high)));
}

function Results({ replayId }: { readonly replayId: string }) {
  const { orgId } = useOrganization();
  const { data, error, refetch } = useQuery(ReplayService.method.listReplayResults, {
    orgId,
    replayId,
    limit: shownResults,
  });
  if (error !== null) return <Failed error={error} onRetry={refetch} />;
  return (
    <>
      <h3>{texts.results}</h3>
      <ul className={style.samples}>
        {data?.results.map(({ traceId, was, outcome, outcomeRange, decidedByRule, wasDecidedByRule }) => (
          <li key={traceId}>
            <Outcome value={outcomeName(was)} /> →{" "}
            {outcome === undefined ? (
              <>
                <Outcome value={outcomeName(outcomeRange?.least ?? 0)} /> –{" "}
                <Outcome value={outcomeName(outcomeRange?.most ?? 0)} />
              </>
            ) : (
              <Outcome value={outcomeName(outcome)} />
            )}{" "}
            <code>{decidedByRule ?? wasDecidedByRule}</code>{" "}
            <Link to="/o/$org/traces" params={{ org: orgId }} search={{ range: "30d", trace: traceId }}>
              {texts.openTrace}
            </Link>
          </li>
        ))}
      </ul>
    </>
  );
}
