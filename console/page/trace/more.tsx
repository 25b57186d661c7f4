// What stands behind a decision besides its findings: what could not be judged, scores below thresholds, what else was
// said in the conversation.

import { useQuery } from "@connectrpc/connect-query";
import { Link } from "@tanstack/react-router";
import type { Trace } from "../../../gen/policyguard/control/v1/trace_pb.ts";
import { TraceService } from "../../../gen/policyguard/control/v1/trace_service_pb.ts";
import { type FailMode, FailModeSchema } from "../../../gen/policyguard/policy/v1/outcome_pb.ts";
import { useOrganization } from "../../data/organization.ts";
import { stageName } from "../../data/stage.ts";
import { wireNames } from "../../data/wire-name.ts";
import { Outcome } from "../../part/judgement/outcome.tsx";
import { outcomeName } from "../../part/judgement/outcome-name.ts";
import { Voices } from "../../part/judgement/voices.tsx";
import { Answered } from "../../part/state.tsx";
import { en } from "../../text/en.ts";
import { count, decimal, timeOfDay } from "../../text/format.ts";
import style from "./trace.module.css";

const texts = en.traces;
const failModes = wireNames<FailMode>(FailModeSchema);
const maxTurns = 20;
/** The window of a conversation around a trace: lists want one. */
const dayMs = 86_400_000;

/** Detectors that gave no answer, why, and what the rules did about it; absent where all answered. */
export function Unjudged({ trace: { unjudged } }: { readonly trace: Trace }) {
  if (unjudged.length === 0) return null;
  return (
    <>
      <h3>{texts.unjudged}</h3>
      <ul>
        {unjudged.map(({ detector, reason, onError }) => (
          <li key={`${detector} ${reason}`} className={style.disputed}>
            <code>{detector}</code>: {reason.replaceAll("_", " ")}{" "}
            <span className={style.dim}>{texts.onError(failModes.nameOf(onError))}</span>
          </li>
        ))}
      </ul>
    </>
  );
}

/** The best score of each detector, below its threshold too, the highest first. */
export function Signals({ trace: { signals, signalsOmitted } }: { readonly trace: Trace }) {
  if (signals.length === 0) return null;
  const sorted = signals.toSorted((a, b) => b.score - a.score);
  return (
    <details>
      <summary>
        {texts.signals} ({count(signals.length + signalsOmitted)})
      </summary>
      <ul className={style.signals}>
        {sorted.map(({ detector, segment, category, score, start, layer }) => (
          <li key={`${detector} ${segment} ${category} ${start} ${layer}`}>
            <code>{detector}</code>
            <span className={style.detail}>{[category, layer].filter((part) => part !== "").join(" · ")}</span>
            <span>{decimal(Math.round(score * 1_000) / 1_000)}</span>
          </li>
        ))}
      </ul>
    </details>
  );
}

/** What detector backends said, or why they were not asked; absent where there are none. */
export function Backends({ trace: { backends } }: { readonly trace: Trace }) {
  if (backends.length === 0) return null;
  return (
    <>
      <h3>{en.voices.title}</h3>
      <Voices voices={backends} />
    </>
  );
}

/** The other turns of the conversation, the newest first. */
export function Conversation({ trace }: { readonly trace: Trace }) {
  if (trace.sessionId === undefined || trace.createdAt === undefined) return null;
  return <Turns trace={trace} sessionId={trace.sessionId} seconds={Number(trace.createdAt.seconds)} />;
}

function Turns({
  trace,
  sessionId,
  seconds,
}: {
  readonly trace: Trace;
  readonly sessionId: string;
  readonly seconds: number;
}) {
  const { orgId } = useOrganization();
  const at = (ms: number) => ({ seconds: BigInt(seconds + ms / 1_000), nanos: 0 });
  const query = useQuery(TraceService.method.listTraces, {
    ...{ orgId, sessionId, projectId: trace.projectId, limit: maxTurns },
    ...{ since: at(-dayMs), until: at(dayMs) },
  });
  return (
    <details>
      <summary>{texts.conversation}</summary>
      <Answered query={query} rows={2}>
        {({ traces }) => (
          <ul className={style.turns}>
            {traces.map(({ id, createdAt, stage, outcome }) => (
              <li key={id} aria-current={id === trace.id ? "true" : undefined}>
                <Link
                  to="/o/$org/traces"
                  params={{ org: orgId }}
                  search={{ range: "30d", session: sessionId, trace: id }}
                >
                  {timeOfDay(createdAt)}
                </Link>
                <span>{stageName(stage)}</span>
                <Outcome value={outcomeName(outcome)} />
              </li>
            ))}
          </ul>
        )}
      </Answered>
    </details>
  );
}
