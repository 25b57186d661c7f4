import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { AnalyticsBreakdowns, AnalyticsQuality } from "../../../gen/policyguard/control/v1/trace_analytics_pb.ts";
import { FailMode } from "../../../gen/policyguard/policy/v1/outcome_pb.ts";
import { useOrganization } from "../../data/organization.ts";
import { stageName } from "../../data/stage.ts";
import { en } from "../../text/en.ts";
import { count, share } from "../../text/format.ts";
import style from "./analytics.module.css";
import { type AnalyticsSearch, type TraceFilter, tracesOf } from "./search.ts";

const texts = en.analytics;

/** One bar of a list. */
interface Bar {
  readonly key: string;
  readonly name: string;
  readonly evaluations: number;
  readonly share: number;
  readonly note?: string;
  /** The filter of the traces behind it; without one it leads nowhere. */
  readonly filter?: Readonly<Record<string, string>>;
}

/** Who and what the evaluations were: lists of bars, each of which opens its traces. */
export function Breakdowns({
  breakdowns,
  quality,
  search,
  since,
}: {
  readonly breakdowns: AnalyticsBreakdowns;
  readonly quality: readonly AnalyticsQuality[];
  readonly search: AnalyticsSearch;
  readonly since: Date;
}) {
  const { other } = breakdowns;
  const list = (title: string, field: keyof AnalyticsBreakdowns, bars: readonly Bar[], rest = 0) => (
    <BarList
      title={title}
      bars={bars}
      rest={rest}
      traces={tracesOf(search, since)}
      isUnavailable={breakdowns.unavailable.includes(snake(field))}
    />
  );
  return (
    <div className={style.lists}>
      {list(texts.rules, "rules", rulesOf(breakdowns, quality), other?.rules)}
      {list(texts.detectors, "detectors", detectorsOf(breakdowns), other?.detectors)}
      {list(texts.agents, "agents", agentsOf(breakdowns), other?.agents)}
      {list(texts.languages, "languages", languagesOf(breakdowns), other?.languages)}
      {list(texts.stages, "stages", stagesOf(breakdowns), other?.stages)}
      {list(texts.reasons, "unjudgedReasons", reasonsOf(breakdowns), other?.unjudgedReasons)}
    </div>
  );
}

function snake(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function rulesOf({ rules }: AnalyticsBreakdowns, quality: readonly AnalyticsQuality[]): Bar[] {
  return rules.map(({ policy, ruleId, decided, ...rule }) => {
    const marked = quality.find((each) => each.policy === policy && each.ruleId === ruleId && !each.biased);
    const right = marked?.precision?.strict?.estimate;
    return {
      ...rule,
      key: `${policy} ${ruleId}`,
      name: `${policy} / ${ruleId}`,
      note: [texts.decided(count(decided)), right !== undefined && texts.right(share(right))]
        .filter(Boolean)
        .join(" · "),
      filter: { policy, rule: ruleId },
    };
  });
}

function detectorsOf({ detectors }: AnalyticsBreakdowns): Bar[] {
  return detectors.map((each) => ({
    ...each,
    key: each.detector,
    name: each.detector,
    filter: { detector: each.detector },
  }));
}

function agentsOf({ agents }: AnalyticsBreakdowns): Bar[] {
  return agents.map((each) => ({
    ...each,
    key: each.agentId ?? "",
    name: each.agentId ?? texts.noAgent,
    note: texts.blockedCount(count(each.blocked)),
    ...(each.agentId === undefined ? {} : { filter: { agent: each.agentId } }),
  }));
}

function languagesOf({ languages }: AnalyticsBreakdowns): Bar[] {
  return languages.map((each) => ({
    ...each,
    key: each.language ?? "",
    name: each.language ?? texts.noLanguage,
    note: texts.blockedCount(count(each.blocked)),
    ...(each.language === undefined ? {} : { filter: { language: each.language } }),
  }));
}

function stagesOf({ stages }: AnalyticsBreakdowns): Bar[] {
  return stages.map(({ stage, blocked, ...each }) => ({
    ...each,
    key: String(stage),
    name: stageName(stage),
    filter: { stage: stageName(stage) },
    ...(blocked === undefined ? {} : { note: texts.blockedCount(count(blocked)) }),
  }));
}

function reasonsOf({ unjudgedReasons }: AnalyticsBreakdowns): Bar[] {
  return unjudgedReasons.map(({ reason, detector, onError, ...each }) => ({
    ...each,
    key: `${reason} ${detector} ${onError}`,
    name: `${detector}: ${reason}`,
    note: onError === FailMode.FAIL_OPEN ? texts.onError.open : texts.onError.closed,
    filter: { unjudged: reason },
  }));
}

function BarList({
  title,
  bars,
  rest,
  traces,
  isUnavailable,
}: {
  readonly title: string;
  readonly bars: readonly Bar[];
  readonly rest: number;
  readonly traces: TraceFilter;
  readonly isUnavailable: boolean;
}) {
  const most = Math.max(1, ...bars.map(({ evaluations }) => evaluations));
  return (
    <section className={style.card}>
      <h2>{title}</h2>
      {isUnavailable && <p className={style.dim}>{texts.unavailable}</p>}
      {!isUnavailable && bars.length === 0 && <p className={style.dim}>{texts.nothing}</p>}
      <ul className={style.bars}>
        {bars.map((bar) => (
          <li key={bar.key}>
            <svg className={style.bar} viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">
              <rect width={Math.max(0.5, (bar.evaluations / most) * 100)} height="1" />
            </svg>
            <Name bar={bar} traces={traces} />
            <span className={style.number}>
              {count(bar.evaluations)} <span className={style.dim}>{share(bar.share)}</span>
            </span>
          </li>
        ))}
      </ul>
      {rest > 0 && <p className={style.dim}>{texts.other(count(rest))}</p>}
    </section>
  );
}

function Name({ bar, traces }: { readonly bar: Bar; readonly traces: TraceFilter }): ReactNode {
  const { orgId } = useOrganization();
  const note = bar.note !== undefined && <span className={style.dim}>{bar.note}</span>;
  if (bar.filter === undefined)
    return (
      <span className={style.name}>
        {bar.name} {note}
      </span>
    );
  return (
    <span className={style.name}>
      <Link to="/o/$org/traces" params={{ org: orgId }} search={{ ...traces, ...bar.filter }}>
        {bar.name}
      </Link>{" "}
      {note}
    </span>
  );
}
