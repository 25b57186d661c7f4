import { create, equals } from "@bufbuild/protobuf";
import { timestampMs } from "@bufbuild/protobuf/wkt";
import { createClient } from "@connectrpc/connect";
import { useQuery } from "@connectrpc/connect-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import type { Bundle } from "../../../gen/policyguard/control/v1/bundle_pb.ts";
import { type Replay, ReplayFilterSchema, type ReplayReport } from "../../../gen/policyguard/control/v1/replay_pb.ts";
import { ReplayService } from "../../../gen/policyguard/control/v1/replay_service_pb.ts";
import { RunState } from "../../../gen/policyguard/control/v1/run_pb.ts";
import { invalidate } from "../../data/invalidation.ts";
import { useOrganization } from "../../data/organization.ts";
import { isOpen, runStates } from "../../data/run.ts";
import { transport } from "../../data/transport.ts";
import { Ago } from "../../part/ago.tsx";
import { useBusy } from "../../part/busy.ts";
import { Button } from "../../part/button.tsx";
import { Outcome } from "../../part/judgement/outcome.tsx";
import { outcomeName } from "../../part/judgement/outcome-name.ts";
import { ReplayFigures } from "../../part/judgement/replay-figures.tsx";
import { Failed, Loading } from "../../part/state.tsx";
import { en } from "../../text/en.ts";
import { count } from "../../text/format.ts";
import style from "./environment.module.css";

const texts = en.bundle;
const replays = createClient(ReplayService, transport);
const workingMs = 2_000;
/** Of how long a time a replay takes the traces unless it is told. */
const windowMs = 7 * 86_400_000;
const shownReplays = 50;
const shownResults = 10;

/** What a version, of this or another environment, would have decided about the last seven days of an environment. */
export function WhatIf({ bundle, tracesOf }: { readonly bundle: Bundle; readonly tracesOf: string }) {
  const { orgId, can } = useOrganization();
  const { projectId, environment, version } = bundle;
  const { run, isBusy, error } = useBusy();
  const [started, setStarted] = useState<string>();
  const former = useQuery(ReplayService.method.listReplays, { orgId, limit: shownReplays });
  const replayId = started ?? former.data?.replays.find((replay) => isOf(replay, bundle, tracesOf))?.id;
  const start = () =>
    run(async () => {
      const { replay } = await replays.createReplay({
        orgId,
        bundle: { projectId, environment, version },
        filter: { projectId, environment: tracesOf },
      });
      setStarted(replay?.id);
      await invalidate(ReplayService.method.createReplay);
    });
  const mayStart = can(ReplayService.method.createReplay);
  if (!mayStart && replayId === undefined) return null;
  return (
    <section className={style.section} aria-label={texts.whatIf}>
      <h2>{texts.whatIf}</h2>
      <p className={style.dim}>{texts.whatIfText(tracesOf)}</p>
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

/** Whether it judged what is replayed here, and not only some traces, or those of another time. */
function isOf({ bundle, filter, since, until }: Replay, judge: Bundle, tracesOf: string): boolean {
  const all = create(ReplayFilterSchema, { projectId: judge.projectId, environment: tracesOf });
  const lastsMs = since && until && timestampMs(until) - timestampMs(since);
  return (
    bundle?.projectId === judge.projectId &&
    bundle.environment === judge.environment &&
    bundle.version === judge.version &&
    filter !== undefined &&
    equals(ReplayFilterSchema, filter, all) &&
    lastsMs === windowMs
  );
}

function isOpenReplay(replay: Replay | undefined): boolean {
  return replay !== undefined && isOpen(replay.state);
}

function Report({ replayId }: { readonly replayId: string }) {
  const { orgId, can } = useOrganization();
  const { data, error, refetch } = useQuery(
    ReplayService.method.getReplay,
    { orgId, replayId },
    { refetchInterval: (query) => (isOpenReplay(query.state.data?.replay) ? workingMs : false) },
  );
  const cancel = useBusy();
  if (error !== null) return <Failed error={error} onRetry={refetch} />;
  if (data?.replay === undefined) return <Loading rows={2} />;
  const { state, progress, report, error: failure, createdAt } = data.replay;
  return (
    <>
      <p role="status">
        <strong>{texts.replayStates[runStates.nameOf(state)]}</strong>{" "}
        <span className={style.dim}>
          {progress?.total === undefined
            ? isOpen(state) && texts.counting
            : texts.progress(count(progress.done), count(progress.total))}{" "}
          · <Ago time={createdAt} />
        </span>{" "}
        {isOpen(state) && can(ReplayService.method.cancelReplay) && (
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
  const { orgId } = useOrganization();
  return (
    <>
      <ReplayFigures counts={report} />
      {report.results > 0 && <Results replayId={replayId} />}
      <p className={style.parts}>
        <Link to="/o/$org/replays/$run" params={{ org: orgId, run: replayId }}>
          {texts.wholeReplay}
        </Link>
      </p>
    </>
  );
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
            <Link to="/o/$org/traces/$trace" params={{ org: orgId, trace: traceId }}>
              {texts.openTrace}
            </Link>
          </li>
        ))}
      </ul>
    </>
  );
}
