// Why a request came out as it did: rules with the parts of their conditions, segments in the forms that detectors read,
// detectors, and what each step took.

import { type ReactNode, useState } from "react";
import type {
  ExplainedCondition,
  ExplainedJudgement,
  ExplainedRule,
  ExplainedSegment,
  ExplainedTerm,
  Explanation,
} from "../../../../gen/policyguard/policy/v1/explanation_pb.ts";
import { Mode } from "../../../../gen/policyguard/policy/v1/outcome_pb.ts";
import { listedOf, spansOf } from "../../../data/finding.ts";
import { Facts } from "../../../part/facts.tsx";
import { FindingList } from "../../../part/judgement/finding-list.tsx";
import { type Lead, useLead } from "../../../part/judgement/lead.ts";
import { MarkedText } from "../../../part/judgement/marked-text.tsx";
import { Outcome } from "../../../part/judgement/outcome.tsx";
import { outcomeName } from "../../../part/judgement/outcome-name.ts";
import { Voices } from "../../../part/judgement/voices.tsx";
import layout from "../../../part/layout/layout.module.css";
import { Table } from "../../../part/table.tsx";
import { Tabs } from "../../../part/tabs.tsx";
import { en } from "../../../text/en.ts";
import { decimal, duration } from "../../../text/format.ts";
import style from "../policy.module.css";

const texts = en.playground;
const costs = ["normalizeUs", "scanUs", "decideUs", "respondUs", "totalUs"] as const;
const none: readonly never[] = [];

/** A request that was judged, and what its segments say, by their ids. */
export interface Judged {
  readonly segments: ReadonlyMap<string, string>;
  readonly explanation: Explanation;
}

/** How many evaluations of the month are left after the last judgement; nothing without a limit. */
export function Remaining({ count }: { readonly count: number | undefined }) {
  return count === undefined ? null : <p className={style.dim}>{texts.remaining(count)}</p>;
}

/** The outcome, what was found where, and why. */
export function Verdict({
  judged: { segments, explanation },
  isStale,
}: {
  readonly judged: Judged;
  /** What is asked by now is something else. */
  readonly isStale: boolean;
}) {
  const [view, setView] = useState("rules");
  const { response, decidedBy, detectors, cost } = explanation;
  const lead = useLead(response?.findings ?? none);
  if (response === undefined) return null;
  const opening: Lead = {
    ...lead,
    follow: (rows, mark) => {
      setView("findings");
      lead.follow(rows, mark);
    },
  };
  const rewritten = response.text !== undefined && ![...segments.values()].includes(response.text);
  const views: readonly (readonly [keyof typeof texts.tabs, ReactNode])[] = [
    ["rules", <Rules key="rules" explanation={explanation} />],
    ["findings", <FindingList key="findings" findings={listedOf(response.findings)} lead={lead} />],
    ["segments", <Segments key="segments" explanation={explanation} segments={segments} />],
    [
      "detectors",
      <Table
        key="detectors"
        label={texts.tabs.detectors}
        rows={detectors}
        keyOf={({ detector, names }) => `${detector} ${names.join(" ")}`}
        columns={[
          { title: texts.detector, cell: ({ detector, names }) => names.join(", ") || detector },
          {
            title: texts.askedBy,
            isExtra: true,
            cell: ({ askedBy }) => askedBy.map(({ ruleId }) => ruleId).join(", "),
          },
          { title: texts.found, isNumber: true, cell: ({ detections }) => detections },
          { title: texts.time, isNumber: true, cell: ({ costUs }) => (costUs === undefined ? "–" : duration(costUs)) },
        ]}
      />,
    ],
    [
      "cost",
      cost && <Facts key="cost" facts={costs.map((part) => [texts.parts[part], duration(cost[part])] as const)} />,
    ],
  ];
  return (
    <div className={style.verdict}>
      <p className={style.decision} role="status">
        <Outcome value={outcomeName(response.outcome)} />
        {decidedBy !== undefined && <code>{decidedBy.ruleId}</code>}
        <span className={style.dim}>{duration(response.latencyUs)}</span>
        {isStale && <span className={style.dim}>{texts.stale}</span>}
      </p>
      {[...segments].map(([id, text]) => (
        <MarkedText key={id} text={text} spans={spansOf(response.findings, id)} lead={opening} />
      ))}
      {rewritten && (
        <>
          <h3>{texts.rewritten}</h3>
          <MarkedText text={response.text ?? ""} spans={[]} />
        </>
      )}
      <Tabs
        label={texts.views}
        chosen={view}
        onChoose={setView}
        tabs={views.map(([id, panel]) => ({ id, title: texts.tabs[id], panel }))}
      />
    </div>
  );
}

function Rules({ explanation: { policies } }: { readonly explanation: Explanation }) {
  const rules = policies
    .flatMap(({ policyId, rules: own }) => own.map((rule) => ({ policyId, rule })))
    .toSorted((a, b) => rank(a.rule) - rank(b.rule));
  const silent = policies.filter(({ applies }) => !applies);
  return (
    <>
      {rules.length === 0 && <p className={style.dim}>{texts.noRules}</p>}
      {rules.length > 0 && (
        <ul className={style.rules}>
          {rules.map(({ policyId, rule }) => (
            <Rule key={`${policyId} ${rule.ruleId}`} rule={rule} />
          ))}
        </ul>
      )}
      {silent.map(({ policyId, name, reason }) => (
        <p key={policyId} className={style.dim}>
          {name}: {reason}
        </p>
      ))}
    </>
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
        {rule.judgements.map((judgement) => (
          <Judgement key={judgement.segment} judgement={judgement} />
        ))}
        {rule.judgementsLeftOut > 0 && <span className={style.reason}>{texts.leftOut(rule.judgementsLeftOut)}</span>}
      </span>
      <Outcome value={outcomeName(rule.action)} />
    </li>
  );
}

function Judgement({ judgement: { segment, reason, terms, conditions } }: { readonly judgement: ExplainedJudgement }) {
  if (terms.length === 0 && conditions.length === 0) return null;
  return (
    <details>
      <summary className={style.reason}>
        {segment}: {reason}
      </summary>
      <ul className={style.parts}>
        {terms.map((term) => (
          <li key={term.detector}>{termText(term)}</li>
        ))}
        {conditions.map((condition) => (
          <Condition key={`${condition.kind} ${condition.source} ${condition.start}`} condition={condition} />
        ))}
      </ul>
    </details>
  );
}

function termText({ detector, threshold, bestScore, lacking }: ExplainedTerm): string {
  if (bestScore === undefined) return texts.nothingFound(detector, decimal(threshold));
  return texts.term(detector, decimal(bestScore), decimal(threshold), lacking === undefined);
}

function Condition({ condition: { kind, source, value, problem, parts } }: { readonly condition: ExplainedCondition }) {
  return (
    <li>
      <code>{texts.condition(kind, source)}</code> = {valueText(value, problem)}
      {parts.length > 0 && (
        <ul>
          {parts.map((part) => (
            <li key={part.source}>
              <code>{part.source}</code> = {valueText(part.value, part.problem)}
            </li>
          ))}
        </ul>
      )}
    </li>
  );
}

function valueText(value: boolean | undefined, problem: string): string {
  if (value === undefined) return problem === "not_asked" || problem === "" ? texts.notAsked : problem;
  return value ? texts.yes : texts.no;
}

function Segments({
  explanation,
  segments,
}: {
  readonly explanation: Explanation;
  readonly segments: ReadonlyMap<string, string>;
}) {
  return (
    <>
      {explanation.segments.map((segment) => (
        <SegmentForms key={segment.id} segment={segment} text={segments.get(segment.id)} />
      ))}
    </>
  );
}

/** The segment in the forms that detectors read, and everything that was found in it, also below the thresholds. */
function SegmentForms({
  segment: { id, role, scanned, layers, detections, backends },
  text,
}: {
  readonly segment: ExplainedSegment;
  readonly text: string | undefined;
}) {
  const made = layers.filter((layer) => layer.text !== undefined);
  return (
    <div className={layout.stack}>
      <h3>
        {id} · {role}
      </h3>
      {!scanned && <p className={style.weaker}>{texts.notScanned}</p>}
      {made.length > 0 && (
        <dl className={style.forms} aria-label={texts.forms}>
          {made.map((layer, index) => (
            // Two forms may be equal in everything; their order never changes.
            // biome-ignore lint/suspicious/noArrayIndexKey: see above
            <div key={index}>
              <dt>{layer.layer}</dt>
              <dd>
                <MarkedText text={layer.text ?? ""} spans={[]} />
              </dd>
            </div>
          ))}
        </dl>
      )}
      {detections.length === 0 ? (
        <p className={style.dim}>{texts.nothing}</p>
      ) : (
        <Table
          label={texts.found}
          rows={detections}
          keyOf={({ detector, category, start, end, layer }) => `${detector} ${category} ${start} ${end} ${layer}`}
          columns={[
            { title: texts.found, cell: ({ category }) => category },
            { title: texts.where, cell: ({ start, end }) => text?.slice(start, end) ?? `${start}–${end}` },
            { title: texts.score, isNumber: true, cell: ({ score }) => decimal(score) },
            { title: texts.form, isExtra: true, cell: ({ layer }) => layer },
          ]}
        />
      )}
      {backends.length > 0 && <Voices voices={backends} />}
    </div>
  );
}

/** Decided first, then matched, nearly, and the rest. */
function rank({ decided, matched, nearly }: ExplainedRule): number {
  return decided ? 0 : matched ? 1 : nearly ? 2 : 3;
}
