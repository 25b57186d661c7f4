import { useId } from "react";
import style from "./chart.module.css";
import { ChartFrame, type Series } from "./frame.tsx";
import { niceMax, stackOf } from "./scale.ts";

const width = 800;
const height = 160;

/** Counts over time, one bar a step, its parts stacked. */
export function StackedBars({
  title,
  summary,
  steps,
  series,
  format,
  onOpen,
}: {
  readonly title: string;
  readonly summary: string;
  readonly steps: readonly string[];
  readonly series: readonly Series[];
  readonly format: (value: number) => string;
  readonly onOpen: (step: number) => void;
}) {
  const id = useId();
  const bars = steps.map((_, at) => series.map(({ values }) => values[at] ?? 0));
  const max = niceMax(Math.max(0, ...bars.map((bar) => bar.reduce((sum, value) => sum + value, 0))));
  const slot = width / Math.max(1, steps.length);
  const gap = Math.min(2, slot / 4);
  return (
    <ChartFrame
      title={title}
      summary={summary}
      steps={steps}
      series={series}
      max={max}
      format={format}
      onOpen={onOpen}
      picture={(cursor) => (
        <svg viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" aria-hidden="true">
          <defs>
            <pattern id={`${id}-lines`} width="4" height="4" patternUnits="userSpaceOnUse">
              <path d="M0 4 4 0" className={style.hatch} />
            </pattern>
            <pattern id={`${id}-dots`} width="4" height="4" patternUnits="userSpaceOnUse">
              <path d="M0 2h4" className={style.hatch} />
            </pattern>
          </defs>
          {bars.map((bar, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a step is its position
            <g key={at} className={cursor === at ? style.current : ""}>
              <rect className={style.slot} x={at * slot} y={0} width={slot} height={height} />
              {stackOf(bar).map(({ series: which, from, to }) => {
                const box = {
                  x: at * slot + gap / 2,
                  y: height - (to / max) * height,
                  width: slot - gap,
                  height: ((to - from) / max) * height,
                };
                const kind = series[which]?.kind;
                const pattern = kind === "FLAG" ? "lines" : kind === "REDACT" ? "dots" : undefined;
                return (
                  <g key={which}>
                    <rect {...box} className={kind === undefined ? "" : style[kind]} />
                    {pattern !== undefined && <rect {...box} fill={`url(#${id}-${pattern})`} />}
                  </g>
                );
              })}
            </g>
          ))}
        </svg>
      )}
    />
  );
}
