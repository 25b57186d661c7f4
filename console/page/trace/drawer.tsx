import { useQuery } from "@connectrpc/connect-query";
import type { Trace } from "../../../gen/policyguard/control/v1/trace_pb.ts";
import { TraceService } from "../../../gen/policyguard/control/v1/trace_service_pb.ts";
import { Mode } from "../../../gen/policyguard/policy/v1/outcome_pb.ts";
import { CaptureMode } from "../../../gen/policyguard/policy/v1/record_pb.ts";
import { spanOf } from "../../data/finding.ts";
import { useOrganization } from "../../data/organization.ts";
import { stageName } from "../../data/stage.ts";
import { Button } from "../../part/button.tsx";
import { MarkedText } from "../../part/judgement/marked-text.tsx";
import { Outcome } from "../../part/judgement/outcome.tsx";
import { outcomeName } from "../../part/judgement/outcome-name.ts";
import { Failed, Loading } from "../../part/state.tsx";
import { en } from "../../text/en.ts";
import { absolute, duration } from "../../text/format.ts";
import { Marks } from "./marks.tsx";
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
        <h2>{texts.title1}</h2>
        <span>
          <Button kind="quiet" disabled={!canMove(-1)} onClick={() => onMove(-1)} title="k">
            {texts.previous}
          </Button>
          <Button kind="quiet" disabled={!canMove(1)} onClick={() => onMove(1)} title="j">
            {texts.next}
          </Button>
          <Button kind="quiet" onClick={onClose} aria-label={texts.close} title="Esc">
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
  onMarked,
}: {
  readonly trace: Trace;
  readonly isBlind?: boolean;
  readonly onMarked?: () => void;
}) {
  return (
    <>
      <div className={style.part}>
        <Decision trace={trace} />
      </div>
      <div className={style.part}>
        <Marks trace={trace} isBlind={isBlind} {...(onMarked === undefined ? {} : { onMarked })} />
        <ReplaySection trace={trace} />
        <h3>{texts.facts}</h3>
        <Facts trace={trace} />
      </div>
    </>
  );
}

function Decision({ trace }: { readonly trace: Trace }) {
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
          <MarkedText text={text} spans={spansIn(trace, id)} />
        </div>
      ))}
      <h3>{texts.findings}</h3>
      {trace.findings.length === 0 && <p className={style.dim}>{texts.noFindings}</p>}
      <ul className={style.findings}>
        {trace.findings.map((finding) => (
          <li key={`${finding.ruleId} ${finding.segment} ${finding.start} ${finding.end} ${finding.category}`}>
            <Outcome value={outcomeName(finding.action)} />
            <span>
              <code>{finding.ruleId}</code>
              {finding.mode === Mode.SHADOW && <span className={style.tag}>{en.policy.shadow}</span>}
              <span className={style.detail}>
                {finding.category} · {finding.score} ≥ {finding.threshold}
              </span>
            </span>
          </li>
        ))}
      </ul>
    </>
  );
}

/** The marks of a piece. Findings say where they are in the text as it came, so a redacted one has none. */
function spansIn({ capture, findings }: Trace, segmentId: string) {
  if (capture !== CaptureMode.FULL) return [];
  return findings.filter(({ segment }) => segment === segmentId).map(spanOf);
}

function Facts({ trace }: { readonly trace: Trace }) {
  const facts: readonly (readonly [string, string | undefined])[] = [
    [texts.time, absolute(trace.createdAt)],
    [texts.environment, trace.environment],
    [texts.stage, stageName(trace.stage)],
    [texts.agent, trace.agentId],
    [texts.session, trace.sessionId],
    [texts.user, trace.userId],
    [texts.language, trace.language],
    [texts.model, trace.model?.name],
    [texts.bundle, trace.bundle && en.common.version(trace.bundle.version)],
    [texts.latency, duration(trace.latencyUs)],
    ["ID", trace.id],
  ];
  return (
    <dl className={style.facts}>
      {facts.map(([name, value]) =>
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
