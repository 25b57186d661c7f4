import type { AnalyticsInterval, AnalyticsQuality } from "../../../gen/policyguard/control/v1/trace_analytics_pb.ts";
import { Table } from "../../part/table.tsx";
import { en } from "../../text/en.ts";
import { count, share } from "../../text/format.ts";
import style from "./analytics.module.css";

const texts = en.analytics;

/** How right the rules are, as far as somebody has marked their traces. */
export function Quality({ quality }: { readonly quality: readonly AnalyticsQuality[] }) {
  return (
    <section className={style.card}>
      <h2>{texts.quality}</h2>
      {quality.length === 0 ? (
        <p className={style.dim}>{texts.noQuality}</p>
      ) : (
        <>
          <p className={style.dim}>{texts.qualityText}</p>
          <Table
            label={texts.quality}
            rows={quality}
            keyOf={({ policy = "", ruleId = "" }) => `${policy} ${ruleId}`}
            columns={[
              {
                title: texts.rule,
                cell: ({ policy, ruleId }) => (ruleId === undefined ? texts.whole : `${policy} / ${ruleId}`),
              },
              {
                title: texts.precision,
                isNumber: true,
                cell: ({ precision, biased }) => (
                  <>
                    {precision?.strict === undefined ? texts.unknownPrecision : interval(precision.strict)}
                    {biased && precision !== undefined && <span className={style.note}>{texts.biased}</span>}
                  </>
                ),
              },
              { title: texts.basedOn, isNumber: true, isExtra: true, cell: ({ n }) => count(n) },
              { title: texts.marks, isNumber: true, isExtra: true, cell: ({ marks }) => count(marks) },
            ]}
          />
        </>
      )}
    </section>
  );
}

function interval({ estimate, lower, upper }: AnalyticsInterval): string {
  return `${share(estimate)} (${share(lower)} – ${share(upper)})`;
}
