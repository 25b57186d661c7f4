import { createClient } from "@connectrpc/connect";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { type Trace, TraceReplayability } from "../../../gen/policyguard/control/v1/trace_pb.ts";
import {
  type ReplayedDecision,
  ReplayTime,
  type TraceReplay,
} from "../../../gen/policyguard/control/v1/trace_replay_pb.ts";
import { TraceService } from "../../../gen/policyguard/control/v1/trace_service_pb.ts";
import { useOrganization } from "../../data/organization.ts";
import { transport } from "../../data/transport.ts";
import { useBusy } from "../../part/busy.ts";
import { Button } from "../../part/button.tsx";
import { Outcome } from "../../part/judgement/outcome.tsx";
import { outcomeName } from "../../part/judgement/outcome-name.ts";
import { Voices } from "../../part/judgement/voices.tsx";
import { useKeys } from "../../part/keys/use-keys.ts";
import { Failed } from "../../part/state.tsx";
import { en } from "../../text/en.ts";
import { KeyHint } from "./key-hint.tsx";
import { JudgeSelect, judgeRequest, type ReplayJudge } from "./replay-judge.tsx";
import { ReplayedFindings } from "./replayed-findings.tsx";
import style from "./trace.module.css";

const texts = en.review;
const traces = createClient(TraceService, transport);

/** What another policy, or what is enforced now, makes of a trace; original and new side by side. */
export function ReplaySection({ trace }: { readonly trace: Trace }) {
  const { orgId, accountId, can } = useOrganization();
  const mayReplay = can(TraceService.method.replayTrace);
  const [judge, setJudge] = useState<ReplayJudge>({ kind: "bundle", of: trace.environment });
  const [answer, setAnswer] = useState<TraceReplay>();
  const { run, isBusy, error } = useBusy();
  const replay = () =>
    run(async () => {
      const by = judgeRequest(judge, { projectId: trace.projectId, accountId, orgId });
      setAnswer((await traces.replayTrace({ orgId, traceId: trace.id, asOf: ReplayTime.NOW, ...by })).replay);
    });
  useKeys(mayReplay && !isBusy ? { replay } : {});
  if (!mayReplay) return null;
  if (trace.replayable === TraceReplayability.NO)
    return (
      <section aria-label={texts.replay}>
        <h3>{texts.replay}</h3>
        <p className={style.dim}>
          {texts.notReplayable}{" "}
          <Link
            to="/o/$org/environments/$project/$env/settings"
            params={{ org: orgId, project: trace.projectId, env: trace.environment }}
          >
            {texts.captureSetting}
          </Link>
        </p>
      </section>
    );
  return (
    <section className={style.marks} aria-label={texts.replay}>
      <h3>{texts.replay}</h3>
      <div className={style.replayBy}>
        <JudgeSelect trace={trace} judge={judge} onChange={setJudge} />
        <Button hotkey="replay" disabled={isBusy} onClick={replay}>
          <KeyHint command="replay" />
          {texts.replay}
        </Button>
      </div>
      {error !== undefined && <Failed error={error} />}
      {answer !== undefined && <Answer trace={trace} replay={answer} />}
    </section>
  );
}

function Answer({ trace, replay }: { readonly trace: Trace; readonly replay: TraceReplay }) {
  const { changed, original, replayed, reasons, rules, outcomeRange, backends } = replay;
  const verdict = changed === undefined ? texts.unknownOutcome : changed ? texts.otherOutcome : texts.sameOutcome;
  return (
    <div className={style.segment}>
      <p role="status">
        <strong>{verdict}</strong> {changed === undefined && reasons.join(", ")}
      </p>
      <dl className={style.sides}>
        <Side name={texts.was} decision={original} />
        <Side name={texts.is} decision={replayed} />
      </dl>
      {replayed?.outcome === undefined && outcomeRange !== undefined && (
        <p>
          {texts.between} <Outcome value={outcomeName(outcomeRange.least)} /> –{" "}
          <Outcome value={outcomeName(outcomeRange.most)} />
        </p>
      )}
      <ReplayedFindings trace={trace} replay={replay} />
      <h4>{texts.rules}</h4>
      <ul className={style.findings} aria-label={texts.rules}>
        {rules.map(({ policy, ruleId, was, match }) => (
          <li key={`${policy} ${ruleId}`}>
            <code>{ruleId}</code>
            <span className={style.detail}>{texts.matched(texts.answers[was] ?? "", texts.answers[match] ?? "")}</span>
          </li>
        ))}
      </ul>
      {backends.length > 0 && <Voices voices={backends} />}
    </div>
  );
}

function Side({ name, decision }: { readonly name: string; readonly decision: ReplayedDecision | undefined }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        <Outcome value={decision?.outcome === undefined ? undefined : outcomeName(decision.outcome)} />{" "}
        {decision?.decidedByRule !== undefined && <code>{decision.decidedByRule}</code>}
      </dd>
    </div>
  );
}
