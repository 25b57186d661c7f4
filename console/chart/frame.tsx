import { type KeyboardEvent, type ReactNode, useId, useState } from "react";
import { Button } from "../part/button.tsx";
import { isPressed } from "../part/keys/shortcuts.ts";
import { Table } from "../part/table.tsx";
import { en } from "../text/en.ts";
import style from "./chart.module.css";

/** One series of a chart. */
export interface Series {
  readonly name: string;
  /** Its class in `chart.module.css`. */
  readonly kind: "ALLOW" | "FLAG" | "REDACT" | "BLOCK" | "first" | "second" | "third";
  /** One value for each step; undefined where there is none. */
  readonly values: readonly (number | undefined)[];
}

/**
 * What every chart has around its picture: title, a sentence that says what it shows, a legend, a cursor that arrow
 * keys move and whose values are announced, and all of it as a table.
 */
export function ChartFrame({
  title,
  summary,
  steps,
  series,
  max,
  format,
  onOpen,
  picture,
}: {
  readonly title: string;
  readonly summary: string;
  /** What each step is called. */
  readonly steps: readonly string[];
  readonly series: readonly Series[];
  readonly max: number;
  readonly format: (value: number) => string;
  /** Enter or a click on a step. */
  readonly onOpen?: ((step: number) => void) | undefined;
  readonly picture: (cursor: number | undefined) => ReactNode;
}) {
  const id = useId();
  const [isTable, setTable] = useState(false);
  const [cursor, setCursor] = useState<number>();
  const said = cursor === undefined ? undefined : valuesAt(cursor, { steps, series, format });
  const stepAt = (box: DOMRect, x: number) =>
    Math.min(steps.length - 1, Math.max(0, Math.floor(((x - box.left) / box.width) * steps.length)));
  return (
    <figure className={style.chart} aria-labelledby={`${id}-title`}>
      <figcaption className={style.caption}>
        <h2 id={`${id}-title`}>{title}</h2>
        <p className={style.summary}>{said ?? summary}</p>
        <Legend series={series} />
        <Button kind="quiet" onClick={() => setTable(!isTable)}>
          {isTable ? en.analytics.asChart : en.analytics.asTable}
        </Button>
      </figcaption>
      {isTable ? (
        <Values title={title} steps={steps} series={series} format={format} />
      ) : (
        <div className={style.plot}>
          <span className={style.axis} aria-hidden="true">
            <span>{format(max)}</span>
            <span>0</span>
          </span>
          <div
            className={`${style.picture} ${onOpen === undefined ? "" : style.opens}`}
            role="slider"
            tabIndex={0}
            aria-label={`${title}. ${onOpen === undefined ? "" : en.analytics.keys}`}
            aria-valuemin={0}
            aria-valuemax={steps.length - 1}
            aria-valuenow={cursor ?? 0}
            aria-valuetext={said ?? summary}
            onKeyDown={(event) => {
              const next = moved(event, cursor, steps.length);
              if (next !== undefined) setCursor(next);
              else if (isPressed("openStep", event) && cursor !== undefined) onOpen?.(cursor);
              else return;
              event.preventDefault();
            }}
            onPointerMove={(event) => setCursor(stepAt(event.currentTarget.getBoundingClientRect(), event.clientX))}
            onPointerLeave={() => setCursor(undefined)}
            onBlur={() => setCursor(undefined)}
            onClick={(event) => onOpen?.(stepAt(event.currentTarget.getBoundingClientRect(), event.clientX))}
          >
            {picture(cursor)}
          </div>
          <span className={style.steps} aria-hidden="true">
            <span>{steps[0]}</span>
            <span>{steps[Math.floor(steps.length / 2)]}</span>
            <span>{steps.at(-1)}</span>
          </span>
        </div>
      )}
    </figure>
  );
}

function Legend({ series }: { readonly series: readonly Series[] }) {
  return (
    <ul className={style.legend}>
      {series.map(({ name, kind }) => (
        <li key={name}>
          <span className={`${style.swatch} ${style[kind]}`} aria-hidden="true" /> {name}
        </li>
      ))}
    </ul>
  );
}

function Values({
  title,
  steps,
  series,
  format,
}: {
  readonly title: string;
  readonly steps: readonly string[];
  readonly series: readonly Series[];
  readonly format: (value: number) => string;
}) {
  return (
    <div className={style.values}>
      <Table
        label={title}
        rows={steps.map((name, at) => ({ name, at }))}
        keyOf={({ at }) => String(at)}
        columns={[
          { title: en.analytics.step, cell: ({ name }) => name },
          ...series.map(({ name, values }) => ({
            title: name,
            isNumber: true,
            cell: ({ at }: { readonly at: number }) => show(values[at], format),
          })),
        ]}
      />
    </div>
  );
}

function valuesAt(
  at: number,
  {
    steps,
    series,
    format,
  }: {
    readonly steps: readonly string[];
    readonly series: readonly Series[];
    readonly format: (value: number) => string;
  },
): string {
  return `${steps[at]}: ${series.map(({ name, values }) => `${name} ${show(values[at], format)}`).join(", ")}`;
}

function show(value: number | undefined, format: (value: number) => string): string {
  return value === undefined ? en.common.none : format(value);
}

function moved(event: KeyboardEvent, cursor: number | undefined, length: number): number | undefined {
  if (isPressed("firstStep", event)) return 0;
  if (isPressed("lastStep", event)) return length - 1;
  const next = (cursor ?? -1) + (isPressed("nextStep", event) ? 1 : -1);
  if (!isPressed("nextStep", event) && !isPressed("previousStep", event)) return undefined;
  return Math.min(length - 1, Math.max(0, next));
}
