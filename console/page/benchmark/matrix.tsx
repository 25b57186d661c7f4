import { Link, useParams } from "@tanstack/react-router";
import type { BenchmarkMetrics } from "../../../gen/policyguard/control/v1/benchmark_pb.ts";
import { en } from "../../text/en.ts";
import { count } from "../../text/format.ts";
import style from "./benchmark.module.css";
import type { ShownResults } from "./target.ts";

const texts = en.benchmarks;

/** What is right against what was found. Each number leads to its samples. */
export function Matrix({ metrics: { tp, fp, tn, fn } }: { readonly metrics: BenchmarkMetrics }) {
  return (
    <table className={style.matrix} aria-label={texts.matrix}>
      <thead>
        <tr>
          <td />
          <th scope="col">{texts.found}</th>
          <th scope="col">{texts.notFound}</th>
        </tr>
      </thead>
      <tbody>
        <tr>
          <th scope="row">{texts.isPositive}</th>
          <td className={style.right}>
            <Samples kind="tp" n={tp} />
          </td>
          <td className={style.wrong}>
            <Samples kind="fn" n={fn} />
          </td>
        </tr>
        <tr>
          <th scope="row">{texts.isNegative}</th>
          <td className={style.wrong}>
            <Samples kind="fp" n={fp} />
          </td>
          <td className={style.right}>
            <Samples kind="tn" n={tn} />
          </td>
        </tr>
      </tbody>
    </table>
  );
}

function Samples({ kind, n }: { readonly kind: ShownResults; readonly n: number }) {
  const params = useParams({ from: "/o/$org/benchmarks/$run" });
  if (n === 0) return <>{count(n)}</>;
  return (
    <Link
      to="/o/$org/benchmarks/$run"
      params={params}
      search={(former) => ({ ...former, results: kind })}
      replace
      aria-label={`${texts.resultsShown[kind]}: ${count(n)}`}
    >
      {count(n)}
    </Link>
  );
}
