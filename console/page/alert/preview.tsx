// What a rule would do: its value now, and its states of the last 24 hours.

import { timestampMs } from "@bufbuild/protobuf/wkt";
import { type AlertMetric, AlertRuleState } from "../../../gen/policyguard/control/v1/alert_pb.ts";
import type { AlertPreview, AlertPreviewState } from "../../../gen/policyguard/control/v1/alert_service_pb.ts";
import { useProjects } from "../../data/choice/project.ts";
import layout from "../../part/layout/layout.module.css";
import { en } from "../../text/en.ts";
import { count, dateTime } from "../../text/format.ts";
import style from "./alert.module.css";
import { groupText, ruleStates, valueText } from "./metric.ts";

const texts = en.alerts;
const dayMs = 86_400_000;
const width = 960;

/** One entry for each group. */
export function Preview({ preview, metric }: { readonly preview: AlertPreview; readonly metric: AlertMetric }) {
  const { projects } = useProjects();
  const until = preview.evaluatedAt === undefined ? Date.now() : timestampMs(preview.evaluatedAt);
  const nameOf = (id: string) => projects.find((project) => project.id === id)?.name ?? id;
  return (
    <>
      {!preview.hasHistory && <p className={layout.dim}>{texts.noHistory}</p>}
      {preview.groups.length === 0 && <p className={layout.dim}>{texts.noGroups}</p>}
      <ul className={style.groups}>
        {preview.groups.map(({ group, value, samples, states }) => {
          const name = groupText(group, nameOf) ?? texts.whole;
          return (
            <li key={name} className={style.group}>
              <span>{name}</span>
              <span className={style.value}>
                {value === undefined ? texts.noValue : valueText(metric, value)}
                <span className={layout.small}> {texts.of(count(samples))}</span>
              </span>
              {preview.hasHistory && <Strip states={states} until={until} />}
            </li>
          );
        })}
      </ul>
    </>
  );
}

/** The day as a strip, and in words when an alert would have begun. */
function Strip({ states, until }: { readonly states: readonly AlertPreviewState[]; readonly until: number }) {
  const since = until - dayMs;
  const parts = states.map(({ at, state }, index) => {
    const next = states[index + 1]?.at;
    const from = Math.max(since, at === undefined ? since : timestampMs(at));
    return { state, from, to: next === undefined ? until : timestampMs(next) };
  });
  const fired = parts.filter(({ state }, at) => state === AlertRuleState.FIRING && !isOpen(parts[at - 1]?.state));
  const x = (time: number) => ((time - since) / dayMs) * width;
  return (
    <>
      <svg className={style.strip} viewBox={`0 0 ${width} 12`} preserveAspectRatio="none" aria-hidden="true">
        {parts.map(({ state, from, to }) => (
          <rect
            key={from}
            className={style[ruleStates.nameOf(state)]}
            x={x(from)}
            y={0}
            width={Math.max(0, x(to) - x(from))}
            height={12}
          />
        ))}
      </svg>
      <span className={layout.small}>
        {fired.length === 0
          ? texts.neverFired
          : texts.fired(fired.length, dateTime(new Date(fired.at(-1)?.from ?? until)))}
      </span>
    </>
  );
}

function isOpen(state: AlertRuleState | undefined): boolean {
  return state === AlertRuleState.FIRING || state === AlertRuleState.RECOVERING;
}
