import style from "./chart.module.css";
import { ChartFrame, type Series } from "./frame.tsx";
import { dotsOf, lineOf, niceMax } from "./scale.ts";

const size = { width: 800, height: 160 };

/** Measurements over time, one line a series. */
export function Lines({
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
  readonly onOpen?: (step: number) => void;
}) {
  const max = niceMax(Math.max(0, ...series.flatMap(({ values }) => values.map((value) => value ?? 0))));
  const step = steps.length > 1 ? size.width / (steps.length - 1) : 0;
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
        <svg viewBox={`0 0 ${size.width} ${size.height}`} preserveAspectRatio="none" aria-hidden="true">
          {cursor !== undefined && (
            <path className={style.cursor} d={`M${cursor * step} 0V${size.height}`} vectorEffect="non-scaling-stroke" />
          )}
          {series.map(({ name, kind, values }) => (
            <path
              key={name}
              className={`${style.line} ${style[kind]}`}
              d={lineOf(values, { ...size, max })}
              vectorEffect="non-scaling-stroke"
            />
          ))}
          {series.map(({ name, kind, values }) => (
            <path
              key={name}
              className={`${style.line} ${style[kind]} ${style.lone}`}
              d={dotsOf(values, { ...size, max })}
              vectorEffect="non-scaling-stroke"
            />
          ))}
        </svg>
      )}
    />
  );
}
