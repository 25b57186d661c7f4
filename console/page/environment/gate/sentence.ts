// What a gate asks for, in one sentence.

import { type Gate, GateBaselineTest, type MetricRequirement } from "../../../../gen/policyguard/control/v1/gate_pb.ts";
import { en } from "../../../text/en.ts";
import { gateKinds, gateMetrics } from "./names.ts";

const texts = en.gates;

/** "newly blocks less than 0.1% of evaluations, compared for 24 hours"; datasets by the names that are known. */
export function requirementText(gate: Gate, datasetName: (id: string) => string): string {
  const { candidate, benchmark, replay, languages } = gate;
  if (candidate !== undefined) return texts.percentOfEvaluations(candidate.maxNewlyBlocked, candidate.minHours ?? 0);
  if (benchmark !== undefined) {
    const { datasetId, version, require, baseline } = benchmark;
    const compared =
      baseline === undefined
        ? []
        : [
            baseline.test === GateBaselineTest.NON_INFERIOR
              ? texts.nonInferior(baseline.margin ?? 0)
              : texts.noRegression,
          ];
    const dataset = `${datasetName(datasetId)}${version === undefined ? "" : ` ${en.common.version(version)}`}`;
    return texts.onDataset(dataset, [...require.map(limitText), ...compared].join("; "));
  }
  if (replay !== undefined) {
    const { windowDays = 7, maxNewlyBlocked, maxNewlyAllowed } = replay;
    const limits = [
      ...(maxNewlyBlocked === undefined ? [] : [texts.newlyBlockedBelow(maxNewlyBlocked)]),
      ...(maxNewlyAllowed === undefined ? [] : [texts.newlyAllowedBelow(maxNewlyAllowed)]),
    ];
    return texts.replayed(windowDays, limits.join(", "));
  }
  if (languages !== undefined) return texts.coveredIn(languages.requiredLanguages.join(", "));
  return texts.kinds[gateKinds.nameOf(gate.kind)] ?? "";
}

function limitText({ metric, slice, atLeast, atMost }: MetricRequirement): string {
  const name = gateMetrics.nameOf(metric);
  const part = slice === undefined ? "" : texts.ofSlice(slice.by, slice.value);
  return texts.limitText(texts.metrics[name] ?? name, part, atLeast === undefined ? "≤" : "≥", atLeast ?? atMost ?? 0);
}
