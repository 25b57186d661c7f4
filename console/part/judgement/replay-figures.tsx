import { en } from "../../text/en.ts";
import { count } from "../../text/format.ts";
import style from "./outcome-matrix.module.css";
import { cellKey, OutcomeMatrix } from "./outcome-matrix.tsx";
import { outcomeName } from "./outcome-name.ts";

const texts = en.bundle;

/** A count of judged traces, and what it says about all of them. */
export interface Estimate {
  readonly traces: number;
  readonly estimate?: number | undefined;
  readonly low?: number | undefined;
  readonly high?: number | undefined;
}

/** What a replay has counted. */
export interface ReplayCounts {
  readonly matrix: readonly { readonly was: number; readonly is: number; readonly count?: Estimate | undefined }[];
  readonly changed?: Estimate | undefined;
  readonly newlyBlocked?: Estimate | undefined;
  readonly newlyAllowed?: Estimate | undefined;
  readonly bounded: number;
}

/** What other policies make of many traces: how many change, and which outcome becomes which. */
export function ReplayFigures({ counts }: { readonly counts: ReplayCounts }) {
  const { matrix, changed, newlyBlocked, newlyAllowed, bounded } = counts;
  const cells = new Map(
    matrix.map((cell) => [cellKey(outcomeName(cell.was), outcomeName(cell.is)), cell.count?.traces ?? 0]),
  );
  const figures = [
    [texts.changedCount, changed],
    [texts.newlyBlocked, newlyBlocked],
    [texts.newlyAllowed, newlyAllowed],
  ] as const;
  return (
    <>
      <dl className={style.figures}>
        {figures.map(([name, estimate]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{sayEstimate(estimate)}</dd>
          </div>
        ))}
      </dl>
      {bounded > 0 && <p className={style.dim}>{texts.bounded(count(bounded))}</p>}
      <OutcomeMatrix cells={cells} />
    </>
  );
}

/** The number where all were judged, else the estimate with its bounds. */
function sayEstimate(estimate: Estimate | undefined): string {
  if (estimate === undefined) return en.common.none;
  const { traces, estimate: all, low, high } = estimate;
  if (all === undefined || low === undefined || high === undefined || (low === high && all === traces))
    return count(traces);
  return texts.estimate(count(Math.round(all)), count(Math.round(low)), count(Math.round(high)));
}
