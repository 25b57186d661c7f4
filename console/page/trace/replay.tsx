import { createClient } from "@connectrpc/connect";
import { useQuery } from "@connectrpc/connect-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { PolicyService } from "../../../gen/policyguard/control/v1/policy_service_pb.ts";
import { type Trace, TraceReplayability } from "../../../gen/policyguard/control/v1/trace_pb.ts";
import {
  type ReplayedDecision,
  ReplayTime,
  type TraceReplay,
} from "../../../gen/policyguard/control/v1/trace_replay_pb.ts";
import { TraceService } from "../../../gen/policyguard/control/v1/trace_service_pb.ts";
import { documentOf } from "../../data/document.ts";
import { draftKey, readDraft } from "../../data/draft.ts";
import { useEnvironments } from "../../data/environment.ts";
import { useOrganization } from "../../data/organization.ts";
import { transport } from "../../data/transport.ts";
import { useBusy } from "../../part/busy.ts";
import { Button } from "../../part/button.tsx";
import { Select } from "../../part/field.tsx";
import { Outcome } from "../../part/judgement/outcome.tsx";
import { outcomeName } from "../../part/judgement/outcome-name.ts";
import { Voices } from "../../part/judgement/voices.tsx";
import { useKeys } from "../../part/keys.ts";
import { Failed } from "../../part/state.tsx";
import { en } from "../../text/en.ts";
import style from "./trace.module.css";

const texts = en.review;
const traces = createClient(TraceService, transport);
const maxPolicies = 200;
const bundlePrefix = "bundle:";

/** What another policy, or what is enforced now, makes of a trace; original and new side by side. `r` replays. */
export function ReplaySection({ trace }: { readonly trace: Trace }) {
  const { orgId, accountId, can } = useOrganization();
  const mayReplay = can(TraceService.method.replayTrace);
  const options = { enabled: mayReplay };
  const list = useQuery(PolicyService.method.listPolicies, { orgId, limit: maxPolicies }, options);
  const environments = useEnvironments(mayReplay ? [trace.projectId] : []);
  const others = environments.filter(
    ({ name, activeVersion }) => name !== trace.environment && activeVersion !== undefined,
  );
  const [chosen, setChosen] = useState("");
  const [answer, setAnswer] = useState<TraceReplay>();
  const { run, isBusy, error } = useBusy();
  const replay = () =>
    run(async () => {
      const draft = chosen.startsWith("draft:")
        ? readDraft(draftKey(accountId, orgId, chosen.slice("draft:".length)))
        : undefined;
      const by =
        draft !== undefined
          ? { document: documentOf(draft.text) }
          : chosen === "" || chosen.startsWith(bundlePrefix)
            ? {
                bundle: {
                  projectId: trace.projectId,
                  environment: chosen.slice(bundlePrefix.length) || trace.environment,
                },
              }
            : { policyId: chosen };
      setAnswer((await traces.replayTrace({ orgId, traceId: trace.id, asOf: ReplayTime.NOW, ...by })).replay);
    });
  useKeys(mayReplay && !isBusy ? { r: replay } : {});
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
        <Select label={texts.replayBy} value={chosen} onChange={(event) => setChosen(event.target.value)}>
          <option value="">{texts.activeBundle(trace.environment)}</option>
          {others.map(({ id, name, activeVersion }) => (
            <option key={id} value={bundlePrefix + name}>
              {texts.activeBundle(name, activeVersion)}
            </option>
          ))}
          {list.data?.policies.map(({ id, name, version }) => [
            <option key={id} value={id}>
              {texts.newest(name, version)}
            </option>,
            readDraft(draftKey(accountId, orgId, id)) !== undefined && (
              <option key={`draft:${id}`} value={`draft:${id}`}>
                {texts.draft(name)}
              </option>
            ),
          ])}
        </Select>
        <Button disabled={isBusy} onClick={replay}>
          <span className={style.key} aria-hidden="true">
            r
          </span>{" "}
          {texts.replay}
        </Button>
      </div>
      {list.error !== null && <Failed error={list.error} onRetry={list.refetch} />}
      {error !== undefined && <Failed error={error} />}
      {answer !== undefined && <Answer replay={answer} />}
    </section>
  );
}

function Answer({ replay }: { readonly replay: TraceReplay }) {
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
