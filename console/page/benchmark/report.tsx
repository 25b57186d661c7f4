import { useState } from "react";
import type {
  BenchmarkInterval,
  BenchmarkMetrics,
  BenchmarkReport,
  BenchmarkSlice,
} from "../../../gen/policyguard/control/v1/benchmark_pb.ts";
import { Select } from "../../part/field.tsx";
import layout from "../../part/layout/layout.module.css";
import { Panel } from "../../part/panel.tsx";
import { Table } from "../../part/table.tsx";
import { en } from "../../text/en.ts";
import { count, share } from "../../text/format.ts";
import { Matrix } from "./matrix.tsx";
import { Threshold } from "./threshold.tsx";

const texts = en.benchmarks;

/** What the target is worth, with how sure that is. */
export function Report({ report }: { readonly report: BenchmarkReport }) {
  const { overall, floors, sweep, slices, slicesOmitted, trainingOverlap } = report;
  if (overall === undefined) return null;
  return (
    <>
      <Panel title={texts.overall}>
        <Figures metrics={overall} />
        <Caveats metrics={overall} trainingOverlap={trainingOverlap} />
      </Panel>
      <div className={layout.columns}>
        <Panel title={texts.matrix} text={texts.matrixText}>
          <Matrix metrics={overall} />
        </Panel>
        <Panel title={texts.floors} text={texts.floorsText}>
          <Table
            label={texts.floors}
            rows={floors}
            keyOf={({ name }) => name}
            columns={[
              { title: texts.filter, cell: ({ name }) => texts.floorNames[name] ?? name },
              { title: texts.recall, isNumber: true, cell: ({ recall }) => shareOr(recall) },
              {
                title: texts.falsePositiveRate,
                isNumber: true,
                cell: ({ falsePositiveRate }) => shareOr(falsePositiveRate),
              },
              { title: texts.f1, isNumber: true, isExtra: true, cell: ({ f1 }) => shareOr(f1) },
            ]}
          />
        </Panel>
      </div>
      {sweep.length > 0 && <Threshold sweep={sweep} />}
      {slices.length > 0 && <Slices slices={slices} omitted={slicesOmitted} />}
    </>
  );
}

function shareOr(value: number | undefined): string {
  return value === undefined ? en.common.none : share(value);
}

/** The four measures, each with its interval. */
function Figures({ metrics }: { readonly metrics: BenchmarkMetrics }) {
  const figures = [
    [texts.precision, metrics.precision],
    [texts.recall, metrics.recall],
    [texts.f1, metrics.f1],
    [texts.falsePositiveRate, metrics.falsePositiveRate],
  ] as const;
  return (
    <dl className={layout.figures}>
      {figures.map(([name, interval]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd className={layout.figure}>{interval === undefined ? texts.unknown : share(interval.estimate)}</dd>
          {interval !== undefined && <dd>{boundsText(interval)}</dd>}
        </div>
      ))}
    </dl>
  );
}

function boundsText({ lower, upper, grouped }: BenchmarkInterval): string {
  const plain = texts.interval(share(lower), share(upper));
  return grouped === undefined ? plain : `${plain}; ${texts.grouped(share(grouped.lower), share(grouped.upper))}`;
}

/** What has to be known before one believes the figures. */
function Caveats({
  metrics: { unjudged, missing, unscored },
  trainingOverlap,
}: {
  readonly metrics: BenchmarkMetrics;
  readonly trainingOverlap: number;
}) {
  const sentences = [
    trainingOverlap > 0 && texts.overlap(trainingOverlap),
    missing > 0 && texts.missing(missing),
    unjudged > 0 && texts.unjudged(unjudged),
    unscored > 0 && texts.unscored(unscored),
  ].filter((sentence) => sentence !== false);
  if (sentences.length === 0) return null;
  return (
    <ul className={layout.dim}>
      {sentences.map((sentence) => (
        <li key={sentence}>{sentence}</li>
      ))}
    </ul>
  );
}

function Slices({ slices, omitted }: { readonly slices: readonly BenchmarkSlice[]; readonly omitted: number }) {
  const kinds = [...new Set(slices.map(({ by }) => by))];
  const [chosen, setChosen] = useState(kinds[0] ?? "");
  return (
    <Panel title={texts.slices}>
      <search className={layout.filters}>
        <Select label={texts.slicesBy} value={chosen} onChange={({ target }) => setChosen(target.value)}>
          {kinds.map((kind) => (
            <option key={kind} value={kind}>
              {texts.kinds[kind] ?? kind}
            </option>
          ))}
        </Select>
      </search>
      <Table
        label={texts.slices}
        rows={slices.filter(({ by }) => by === chosen)}
        keyOf={({ value }) => value}
        columns={[
          { title: texts.part, cell: ({ value }) => value },
          { title: texts.samples, isNumber: true, cell: ({ metrics }) => count(metrics?.samples ?? 0) },
          { title: texts.recall, isNumber: true, cell: ({ metrics }) => <Interval value={metrics?.recall} /> },
          {
            title: texts.precision,
            isNumber: true,
            isExtra: true,
            cell: ({ metrics }) => <Interval value={metrics?.precision} />,
          },
          {
            title: texts.falsePositiveRate,
            isNumber: true,
            isExtra: true,
            cell: ({ metrics }) => <Interval value={metrics?.falsePositiveRate} />,
          },
        ]}
      />
      {omitted > 0 && <p className={layout.dim}>{texts.omitted(omitted)}</p>}
    </Panel>
  );
}

function Interval({ value }: { readonly value: BenchmarkInterval | undefined }) {
  if (value === undefined) return <>{en.common.none}</>;
  return (
    <>
      {share(value.estimate)}{" "}
      <span className={layout.small}>
        {share(value.lower)} – {share(value.upper)}
      </span>
    </>
  );
}
