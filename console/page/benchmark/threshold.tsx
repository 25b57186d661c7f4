import { useState } from "react";
import type { BenchmarkSweepPoint } from "../../../gen/policyguard/control/v1/benchmark_pb.ts";
import { Lines } from "../../chart/lines.tsx";
import { CopyText } from "../../part/copy/copy-text.tsx";
import { TextField } from "../../part/field.tsx";
import layout from "../../part/layout/layout.module.css";
import { Panel } from "../../part/panel.tsx";
import { en } from "../../text/en.ts";
import { count, decimal, share } from "../../text/format.ts";
import style from "./benchmark.module.css";

const texts = en.benchmarks;

/** What each threshold on the score would find: as lines, and for the one that somebody types. */
export function Threshold({ sweep }: { readonly sweep: readonly BenchmarkSweepPoint[] }) {
  const [text, setText] = useState("0.5");
  const wanted = Number(text);
  const point = sweep.findLast(({ threshold }) => threshold <= wanted + 1e-9);
  return (
    <Panel title={texts.threshold} text={texts.thresholdText}>
      <Lines
        title={texts.curve}
        summary={texts.curveSummary}
        steps={sweep.map(({ threshold }) => decimal(threshold))}
        series={[
          { name: texts.precision, kind: "first", values: sweep.map(({ precision }) => precision) },
          { name: texts.recall, kind: "second", values: sweep.map(({ recall }) => recall) },
        ]}
        format={share}
      />
      <div className={style.field}>
        <TextField
          label={texts.thresholdField}
          type="number"
          min={0}
          max={1}
          step={0.005}
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
      </div>
      {point !== undefined && text.trim() !== "" && (
        <>
          <dl className={layout.figures} aria-live="polite">
            <Figure name={texts.precision} value={point.precision} />
            <Figure name={texts.recall} value={point.recall} />
            <Figure name={texts.falsePositiveRate} value={point.falsePositiveRate} />
            <div>
              <dt>{texts.resultsShown.fp}</dt>
              <dd className={layout.figure}>{count(point.fp)}</dd>
            </div>
          </dl>
          {wanted >= 0 && wanted <= 1 && (
            <>
              <p className={layout.small}>{texts.thresholdLine}</p>
              <CopyText label={texts.thresholdLine} text={`threshold: ${wanted}`} />
            </>
          )}
        </>
      )}
    </Panel>
  );
}

function Figure({ name, value }: { readonly name: string; readonly value: number | undefined }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd className={layout.figure}>{value === undefined ? en.common.none : share(value)}</dd>
    </div>
  );
}
