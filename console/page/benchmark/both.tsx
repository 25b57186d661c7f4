import type { Benchmark, BenchmarkInterval } from "../../../gen/policyguard/control/v1/benchmark_pb.ts";
import { Panel } from "../../part/panel.tsx";
import { Table } from "../../part/table.tsx";
import { en } from "../../text/en.ts";
import { share } from "../../text/format.ts";
import { useNames } from "./names.ts";
import { targetText } from "./target.ts";

const texts = en.benchmarks;
const measures = ["precision", "recall", "f1", "falsePositiveRate"] as const;

/** What two benchmarks are worth, each on all of its samples. */
export function Both({ benchmarks }: { readonly benchmarks: readonly [Benchmark, Benchmark] }) {
  const { policyName } = useNames();
  return (
    <Panel title={texts.both} text={texts.bothText}>
      <Table
        label={texts.both}
        rows={benchmarks}
        keyOf={({ id }) => id}
        columns={[
          { title: texts.target, cell: ({ target }) => targetText(target, policyName), phone: "main" },
          ...measures.map((measure) => ({
            title: texts[measure],
            isNumber: true,
            cell: ({ report }: Benchmark) => intervalText(report?.overall?.[measure]),
            phone: "named" as const,
          })),
        ]}
      />
    </Panel>
  );
}

function intervalText(interval: BenchmarkInterval | undefined): string {
  if (interval === undefined) return en.common.none;
  return `${share(interval.estimate)} (${share(interval.lower)} – ${share(interval.upper)})`;
}
