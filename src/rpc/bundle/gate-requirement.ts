// What gates ask for, in the API's form and in that of the domain.

import type { MessageInitShape } from "@bufbuild/protobuf";
import {
  type BaselineRequirement,
  GateBaselineTest,
  GateBound,
  GateBounded,
  type Gate as GateInput,
  GateKind,
  GateMetric,
  type GateSchema,
  type MetricRequirement,
} from "../../../gen/policyguard/control/v1/gate_pb.ts";
import { type SliceKind, sliceKinds } from "../../domain/analysis/benchmark/sample-fact.ts";
import * as definition from "../../domain/bundle/gate/definition.ts";
import { canonicalTag, shippedLanguages } from "../../domain/language/shipped.ts";
import { validationFailed } from "../../kit/fault/fault.ts";
import { filterMessage, filterOf, positiveMessage, positiveOf } from "../measure/benchmark/benchmark.ts";

/** The kinds, by name. */
export const kinds: Readonly<Record<definition.NewGate["kind"], GateKind>> = {
  candidate: GateKind.CANDIDATE,
  benchmark: GateKind.BENCHMARK,
  replay: GateKind.REPLAY,
  languages: GateKind.LANGUAGES,
};

const metrics: Readonly<Record<definition.GateMetric, GateMetric>> = {
  precision: GateMetric.PRECISION,
  recall: GateMetric.RECALL,
  falsePositiveRate: GateMetric.FALSE_POSITIVE_RATE,
  f1: GateMetric.F1,
  spanF1: GateMetric.SPAN_F1,
  rocArea: GateMetric.ROC_AREA,
  prArea: GateMetric.PR_AREA,
  missing: GateMetric.MISSING,
};

const bounds = { estimate: GateBound.ESTIMATE, lower: GateBound.LOWER, upper: GateBound.UPPER } as const;

const defaultAlpha = 0.05;
const defaultDays = 7;
const defaultTraces = 100;

/** What the gate asks for. A gate has the requirement of its kind, and no other. */
export function requirementOf(gate: GateInput, index: number): definition.GateRequirement {
  const { candidate, benchmark, replay, languages } = gate;
  const given = Object.entries({ candidate, benchmark, replay, languages }).filter(([, value]) => value !== undefined);
  const kind = nameOf(kinds, gate.kind) ?? "candidate";
  if (given.length !== 1 || given[0]?.[0] !== kind) {
    const message = `a gate of the kind ${kind} says what it asks for in "${kind}", and in nothing else`;
    throw validationFailed([{ field: `gates[${index}].${kind}`, message }]);
  }
  if (benchmark !== undefined) return { kind: "benchmark", benchmark: benchmarkOf(benchmark, index) };
  if (replay !== undefined) {
    const { windowDays = defaultDays, maxNewlyBlocked = null, maxNewlyAllowed = null } = replay;
    const bounded = replay.bounded === GateBounded.IGNORE ? "ignore" : "as_changed";
    const minTraces = replay.minTraces ?? defaultTraces;
    return { kind: "replay", replay: { windowDays, maxNewlyBlocked, maxNewlyAllowed, bounded, minTraces } };
  }
  if (languages !== undefined) {
    const tags = languages.requiredLanguages.map((tag, at) =>
      tagOf(tag, `gates[${index}].languages.required_languages[${at}]`),
    );
    return { kind: "languages", languages: { requiredLanguages: [...new Set(tags)] } };
  }
  const { maxNewlyBlocked = 0, alpha = defaultAlpha, minHours = 0 } = candidate ?? {};
  return { kind: "candidate", candidate: { maxNewlyBlocked, alpha, minHours } };
}

/** What the gate asks for, in the API's form. */
export function requirementMessage(gate: definition.GateRequirement): Partial<MessageInitShape<typeof GateSchema>> {
  switch (gate.kind) {
    case "candidate":
      return { candidate: gate.candidate };
    case "languages":
      return { languages: { requiredLanguages: [...gate.languages.requiredLanguages] } };
    case "replay": {
      const { maxNewlyBlocked, maxNewlyAllowed, bounded, ...rest } = gate.replay;
      return {
        replay: {
          ...{ ...rest, maxNewlyBlocked: maxNewlyBlocked ?? undefined, maxNewlyAllowed: maxNewlyAllowed ?? undefined },
          bounded: bounded === "ignore" ? GateBounded.IGNORE : GateBounded.AS_CHANGED,
        },
      };
    }
    case "benchmark":
      return { benchmark: benchmarkMessage(gate.benchmark) };
  }
}

function benchmarkOf(
  { datasetId, version, filter, positive, labelMap, require, baseline }: NonNullable<GateInput["benchmark"]>,
  index: number,
): definition.BenchmarkRequirement {
  return {
    ...{ datasetId: datasetId.toLowerCase(), version: version ?? null },
    ...{ filter: filterOf(filter), positive: positiveOf(positive, labelMap) },
    require: require.map((each, at) => limitOf(each, `gates[${index}].benchmark.require[${at}]`)),
    baseline: baseline === undefined ? null : baselineOf(baseline),
  };
}

function limitOf(
  { metric, slice, atLeast, atMost, bound }: MetricRequirement,
  field: string,
): definition.MetricRequirement {
  if ((atLeast === undefined) === (atMost === undefined)) {
    throw validationFailed([{ field, message: "exactly one of at_least and at_most is needed" }]);
  }
  const name = nameOf(metrics, metric) ?? "recall";
  const by = sliceKinds.find((kind): kind is SliceKind => kind === slice?.by);
  const hasBounds = definition.boundedMetrics.some((each) => each === name);
  const usual = atLeast === undefined ? "upper" : "lower";
  return {
    ...{ metric: name, slice: slice === undefined || by === undefined ? null : { by, value: slice.value } },
    ...(atLeast === undefined ? { side: "at_most", limit: atMost ?? 0 } : { side: "at_least", limit: atLeast }),
    bound: nameOf(bounds, bound) ?? (hasBounds ? usual : "estimate"),
  };
}

function baselineOf({ test, alpha = defaultAlpha, margin }: BaselineRequirement): definition.BaselineRequirement {
  const isStrict = test === GateBaselineTest.NON_INFERIOR;
  return { test: isStrict ? "non_inferior" : "no_regression", alpha, margin: margin ?? null };
}

function benchmarkMessage({
  datasetId,
  version,
  filter,
  positive,
  require,
  baseline,
}: definition.BenchmarkRequirement) {
  return {
    ...{ datasetId, version: version ?? undefined, filter: filterMessage(filter), positive: positiveMessage(positive) },
    labelMap: { ...positive.labelMap },
    require: require.map(({ metric, slice, side, limit, bound }) => ({
      ...{ metric: metrics[metric], slice: slice ?? undefined, bound: bounds[bound] },
      ...(side === "at_least" ? { atLeast: limit } : { atMost: limit }),
    })),
    baseline:
      baseline === null
        ? undefined
        : {
            test: baseline.test === "non_inferior" ? GateBaselineTest.NON_INFERIOR : GateBaselineTest.NO_REGRESSION,
            ...{ alpha: baseline.alpha, margin: baseline.margin ?? undefined },
          },
  };
}

/** The tag as packs have it. Without a pack a language is never covered. */
function tagOf(given: string, field: string): string {
  const tag = canonicalTag(given);
  if (tag !== undefined && shippedLanguages().find(tag) !== undefined) return tag;
  throw validationFailed([{ field, message: `there is no language pack for "${given}"` }]);
}

function nameOf<Name extends string, Value>(values: Readonly<Record<Name, Value>>, wanted: Value): Name | undefined {
  const names = Object.keys(values) as Name[]; // the keys of the record
  return names.find((name) => values[name] === wanted);
}
