import type { CalibrationReport } from "../../../gen/policyguard/control/v1/calibration_pb.ts";
import { Lines } from "../../chart/lines.tsx";
import { Facts } from "../../part/facts.tsx";
import layout from "../../part/layout/layout.module.css";
import { Panel } from "../../part/panel.tsx";
import { en } from "../../text/en.ts";
import { count, decimal, share } from "../../text/format.ts";

const texts = en.calibrations;
const exclusions = Object.entries(texts.exclusions);

/**
 * What was found: the threshold with its promise or what is missing, what each other one would do, what did not count.
 */
export function Report({ report }: { readonly report: CalibrationReport }) {
  const { statement, threshold, currentThreshold, proposal, n, neededN, nToFind, neededNToFind, curve, warnings } =
    report;
  return (
    <>
      <Panel title={texts.statement}>
        <p role="status">{statement}</p>
        <dl className={layout.figures}>
          <Figure
            name={texts.threshold}
            value={threshold === undefined ? texts.noThreshold : decimal(threshold)}
            note={texts.now(decimal(currentThreshold))}
          />
          <Figure name={texts.innocent} value={count(n)} note={neededN === undefined ? "" : texts.needed(neededN)} />
          <Figure
            name={texts.toFind}
            value={count(nToFind)}
            note={neededNToFind === undefined ? "" : texts.needed(neededNToFind)}
          />
        </dl>
        {threshold !== undefined && proposal === undefined && <p className={layout.dim}>{texts.inForce}</p>}
        {warnings.length > 0 && (
          <>
            <h3>{texts.warnings}</h3>
            <ul>
              {warnings.map((warning) => (
                <li key={warning}>{warning}</li>
              ))}
            </ul>
          </>
        )}
      </Panel>
      {curve.length > 0 && (
        <Panel title={texts.curve} text={texts.curveText}>
          <Lines
            title={texts.curveTitle}
            summary={texts.curveSummary}
            steps={curve.map((point) => decimal(point.threshold))}
            series={[
              {
                name: texts.rateBound,
                kind: "first",
                values: curve.map(({ falsePositiveRateUpper }) => falsePositiveRateUpper),
              },
              { name: texts.found, kind: "second", values: curve.map(({ recall }) => recall) },
            ]}
            format={share}
          />
        </Panel>
      )}
      <Excluded report={report} />
    </>
  );
}

function Figure({ name, value, note }: { readonly name: string; readonly value: string; readonly note: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd className={layout.figure}>{value}</dd>
      {note !== "" && <dd>{note}</dd>}
    </div>
  );
}

/** What was looked at and does not count, and why; absent where everything counts. */
function Excluded({ report: { excluded } }: { readonly report: CalibrationReport }) {
  const counts: Readonly<Record<string, unknown>> = { ...excluded };
  const facts = exclusions.flatMap(([name, why]) => {
    const number = counts[name];
    return typeof number === "number" && number > 0 ? [[why, count(number)] as const] : [];
  });
  if (facts.length === 0) return null;
  return (
    <Panel title={texts.excluded}>
      <Facts facts={facts} />
    </Panel>
  );
}
