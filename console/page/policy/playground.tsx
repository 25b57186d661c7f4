// Judges a text by the document in the editor, and shows why. Judging is on demand, and always by the visible text.

import { createClient } from "@connectrpc/connect";
import { type KeyboardEvent, useState } from "react";
import { PolicyService } from "../../../gen/policyguard/control/v1/policy_service_pb.ts";
import type { ExplainedRule, Explanation } from "../../../gen/policyguard/policy/v1/explanation_pb.ts";
import { Mode, Stage } from "../../../gen/policyguard/policy/v1/outcome_pb.ts";
import { documentOf } from "../../data/document.ts";
import { spanOf } from "../../data/finding.ts";
import { transport } from "../../data/transport.ts";
import { useBusy } from "../../part/busy.ts";
import { Button } from "../../part/button.tsx";
import { Select, TextArea } from "../../part/field.tsx";
import { MarkedText } from "../../part/judgement/marked-text.tsx";
import { Outcome } from "../../part/judgement/outcome.tsx";
import { outcomeName } from "../../part/judgement/outcome-name.ts";
import { Failed } from "../../part/state.tsx";
import { en } from "../../text/en.ts";
import { duration } from "../../text/format.ts";
import style from "./policy.module.css";

const texts = en.policy;
const policies = createClient(PolicyService, transport);
const stages: readonly (readonly [Stage, string])[] = [
  [Stage.INPUT, "input"],
  [Stage.OUTPUT, "output"],
  [Stage.TOOL_RESULT, "tool_result"],
  [Stage.RETRIEVAL, "retrieval"],
];

interface Judged {
  readonly text: string;
  readonly explanation: Explanation;
}

/** The playground beside an editor. */
export function Playground({ orgId, document }: { readonly orgId: string; readonly document: string }) {
  const [text, setText] = useState("");
  const [stage, setStage] = useState<Stage>(Stage.INPUT);
  const [judged, setJudged] = useState<Judged>();
  const { run, isBusy, error } = useBusy();
  const judge = () =>
    run(async () => {
      const request = { orgId, document: documentOf(document), stage, request: { text } };
      const { explanation } = await policies.explainPolicies(request);
      if (explanation !== undefined) setJudged({ text, explanation });
    });
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    judge();
  };
  return (
    <section className={style.playground} aria-label={texts.playground}>
      <h2>{texts.playground}</h2>
      <Select
        label={texts.stage}
        value={stage}
        onChange={(event) => setStage(stages[event.target.selectedIndex]?.[0] ?? Stage.INPUT)}
      >
        {stages.map(([value, name]) => (
          <option key={name} value={value}>
            {name}
          </option>
        ))}
      </Select>
      <TextArea
        label={texts.text}
        hint={texts.judgeHint}
        value={text}
        rows={4}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={onKeyDown}
      />
      <div>
        <Button kind="primary" onClick={judge} disabled={isBusy || text === ""} title="Ctrl Enter">
          {isBusy ? texts.judging : texts.judge}
        </Button>
      </div>
      {error !== undefined && <Failed error={error} />}
      {judged !== undefined && <Verdict judged={judged} />}
    </section>
  );
}

function Verdict({ judged: { text, explanation } }: { readonly judged: Judged }) {
  const { response, decidedBy, policies: judgedPolicies } = explanation;
  const rules = judgedPolicies.flatMap((policy) => policy.rules).toSorted((a, b) => rank(a) - rank(b));
  if (response === undefined) return null;
  return (
    <div className={style.verdict} role="status">
      <p className={style.decision}>
        <Outcome value={outcomeName(response.outcome)} />
        {decidedBy !== undefined && <code>{decidedBy.ruleId}</code>}
        <span className={style.dim}>{duration(response.latencyUs)}</span>
      </p>
      <MarkedText text={text} spans={response.findings.map(spanOf)} />
      {response.text !== undefined && response.text !== text && (
        <>
          <h3>{texts.rewritten}</h3>
          <MarkedText text={response.text} spans={[]} />
        </>
      )}
      <h3>{texts.rules}</h3>
      {rules.length === 0 ? (
        <p className={style.dim}>{texts.noRules}</p>
      ) : (
        <ul className={style.rules}>
          {rules.map((rule) => (
            <Rule key={rule.ruleId} rule={rule} />
          ))}
        </ul>
      )}
    </div>
  );
}

function Rule({ rule }: { readonly rule: ExplainedRule }) {
  const word = rule.decided ? texts.decided : rule.matched ? texts.matched : rule.nearly ? texts.nearly : texts.quiet;
  return (
    <li>
      <span className={rule.matched ? style.matched : style.dim}>{word}</span>
      <span>
        <code>{rule.ruleId}</code>
        {rule.mode === Mode.SHADOW && <span className={style.tag}>{texts.shadow}</span>}
        <span className={style.reason}>{rule.reason}</span>
      </span>
      <Outcome value={outcomeName(rule.action)} />
    </li>
  );
}

/** Decided first, then matched, nearly, and the rest. */
function rank({ decided, matched, nearly }: ExplainedRule): number {
  return decided ? 0 : matched ? 1 : nearly ? 2 : 3;
}
