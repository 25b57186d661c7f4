import { useQuery } from "@connectrpc/connect-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { Trace } from "../../../gen/policyguard/control/v1/trace_pb.ts";
import { TraceService } from "../../../gen/policyguard/control/v1/trace_service_pb.ts";
import { CaptureMode } from "../../../gen/policyguard/policy/v1/record_pb.ts";
import { listedOf, spansOf } from "../../data/finding.ts";
import { useOrganization } from "../../data/organization.ts";
import { stageName } from "../../data/stage.ts";
import { Button } from "../../part/button.tsx";
import { FindingList } from "../../part/judgement/finding-list.tsx";
import { useLead } from "../../part/judgement/lead.ts";
import { MarkedText } from "../../part/judgement/marked-text.tsx";
import { Outcome } from "../../part/judgement/outcome.tsx";
import { outcomeName } from "../../part/judgement/outcome-name.ts";
import { Failed, Loading } from "../../part/state.tsx";
import { en } from "../../text/en.ts";
import { absolute, duration } from "../../text/format.ts";
import { type MarkedQueue, Marks } from "./marks.tsx";
import { Backends, Conversation, Signals, Unjudged } from "./more.tsx";
import { ReplaySection } from "./replay.tsx";
import style from "./trace.module.css";

const texts = en.traces;

/** One trace beside the list: its text as far as it is kept, what was found, and its facts. */
export function TraceDrawer({
  traceId,
  onClose,
  onMove,
  canMove,
}: {
  readonly traceId: string;
  readonly onClose: () => void;
  readonly onMove: (step: number) => void;
  readonly canMove: (step: number) => boolean;
}) {
  const { orgId } = useOrganization();
  const { data, error, refetch } = useQuery(TraceService.method.getTrace, { orgId, traceId });
  return (
    <aside className={style.drawer} aria-label={texts.title1}>
      <header className={style.drawerHead}>
        <h2>
          <Link to="/o/$org/traces/$trace" params={{ org: orgId, trace: traceId }} title={texts.link}>
            {texts.title1}
          </Link>
        </h2>
        <span>
          <Button kind="quiet" disabled={!canMove(-1)} onClick={() => onMove(-1)} hotkey="previous">
            {texts.previous}
          </Button>
          <Button kind="quiet" disabled={!canMove(1)} onClick={() => onMove(1)} hotkey="next">
            {texts.next}
          </Button>
          <Button kind="quiet" onClick={onClose} aria-label={texts.close} hotkey="close">
            ✕
          </Button>
        </span>
      </header>
      {error !== null && <Failed error={error} onRetry={refetch} />}
      {data?.trace === undefined ? error === null && <Loading /> : <TraceContent key={traceId} trace={data.trace} />}
    </aside>
  );
}

/** What was decided about a trace and why, what people say of it, and what other policies make of it. */
export function TraceContent({
  trace,
  isBlind = false,
  queue,
}: {
  readonly trace: Trace;
  readonly isBlind?: boolean;
  readonly queue?: MarkedQueue;
}) {
  return (
    <>
      <div className={style.part}>
        <Decision trace={trace} />
      </div>
      <div className={style.part}>
        <Marks trace={trace} isBlind={isBlind} queue={queue} />
        <ReplaySection trace={trace} />
        <h3>{texts.facts}</h3>
        <Facts trace={trace} />
        <Signals trace={trace} />
        <Conversation trace={trace} />
      </div>
    </>
  );
}

function Decision({ trace }: { readonly trace: Trace }) {
  const lead = useLead(trace.findings);
  const outcome = outcomeName(trace.outcome);
  const wouldBe = outcomeName(trace.wouldBeOutcome);
  return (
    <>
      <p className={style.verdict}>
        <Outcome value={outcome} />
        {trace.decidedByRule !== undefined && <code>{trace.decidedByRule}</code>}
        {wouldBe !== undefined && wouldBe !== outcome && <span className={style.dim}>{texts.wouldBe(wouldBe)}</span>}
      </p>
      <h3>{texts.text}</h3>
      {trace.segments.length === 0 && <p className={style.dim}>{texts.noText}</p>}
      {trace.segments.map(({ id, role, text }) => (
        <div key={id} className={style.segment}>
          <span className={style.dim}>{role}</span>
          <MarkedText text={text} spans={spansIn(trace, id)} lead={lead} />
        </div>
      ))}
      {hasPlaceholder(trace) && <p className={style.dim}>{texts.placeholders}</p>}
      <Unjudged trace={trace} />
      <h3>{en.findings.title}</h3>
      <FindingList findings={listedOf(trace.findings)} lead={lead} />
      <Backends trace={trace} />
    </>
  );
}

/** Whether a text as it is kept has brackets that a runtime wrote in place of what was found. */
function hasPlaceholder({ capture, segments }: Trace): boolean {
  return capture === CaptureMode.REDACTED && segments.some(({ text }) => placeholder.test(text));
}

/** The last part of a category with a number or the beginning of a fingerprint, such as [EMAIL_1]. */
const placeholder = /\[[A-Z][A-Z0-9_]*(?:_\d+|:[0-9a-f]+)\]/;

/** The marks of a piece. Findings say where they are in the text as it came, so a redacted one has none. */
function spansIn({ capture, findings }: Trace, segmentId: string) {
  if (capture !== CaptureMode.FULL) return [];
  return spansOf(findings, segmentId);
}

function Facts({ trace }: { readonly trace: Trace }) {
  const { orgId } = useOrganization();
  const { bundle } = trace;
  const facts: readonly (readonly [string, ReactNode])[] = [
    [texts.time, absolute(trace.createdAt)],
    [texts.environment, trace.environment],
    [texts.stage, stageName(trace.stage)],
    [texts.agent, trace.agentId],
    [texts.session, trace.sessionId],
    [texts.user, trace.userId],
    [texts.language, trace.language],
    [texts.model, trace.model?.name],
    [
      texts.bundle,
      bundle && (
        <Link
          to="/o/$org/environments/$project/$env/$version"
          params={{
            ...{ org: orgId, project: trace.projectId, env: trace.environment },
            version: String(bundle.version),
          }}
        >
          {en.common.version(bundle.version)}
        </Link>
      ),
    ],
    [texts.latency, duration(trace.latencyUs)],
    [texts.runtime, trace.runtimeInstanceId],
    [texts.engine, trace.engine],
    ["ID", trace.id],
    [texts.erased, trace.erasedAt && absolute(trace.erasedAt)],
  ];
  return (
    <>
      <Pairs pairs={facts} />
      <Labels trace={trace} />
    </>
  );
}

/** What the application sent along, which may be anything. */
function Labels({ trace: { metadata = {} } }: { readonly trace: Trace }) {
  const labels = Object.entries(metadata);
  if (labels.length === 0) return null;
  return (
    <>
      <h3>{texts.labels}</h3>
      <Pairs
        pairs={labels.map(
          ([name, value]) => [name, typeof value === "string" ? value : JSON.stringify(value)] as const,
        )}
      />
    </>
  );
}

function Pairs({ pairs }: { readonly pairs: readonly (readonly [string, ReactNode])[] }) {
  return (
    <dl className={style.facts}>
      {pairs.map(([name, value]) =>
        value === undefined || value === "" ? null : (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ),
      )}
    </dl>
  );
}
