import { create } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { figuresOf } from "../../console/page/environment/gate/figures.ts";
import { formOf, inputOf, newGate, newLimit } from "../../console/page/environment/gate/form.ts";
import { requirementText } from "../../console/page/environment/gate/sentence.ts";
import {
  GateAction,
  GateBaselineTest,
  GateBound,
  GateBounded,
  GateEnforcement,
  GateKind,
  GateMetric,
  GateSchema,
} from "../../gen/policyguard/control/v1/gate_pb.ts";
import { Outcome } from "../../gen/policyguard/policy/v1/outcome_pb.ts";

const common = { on: [GateAction.ACTIVATE], enforcement: GateEnforcement.BLOCK };
const datasetId = "7f5d2a1e-0c7b-4a7e-9a53-0d7c7a1b2c3d";
const gates = [
  create(GateSchema, {
    ...{ ...common, id: "no-surprises", kind: GateKind.CANDIDATE },
    candidate: { maxNewlyBlocked: 0.0007, alpha: 0.05, minHours: 24 },
  }),
  create(GateSchema, {
    ...{ id: "good-enough", kind: GateKind.BENCHMARK, enforcement: GateEnforcement.WARN },
    on: [GateAction.PUBLISH, GateAction.PROMOTE],
    benchmark: {
      ...{ datasetId, version: 3, filter: { language: "de" }, labelMap: { attack: "injection" } },
      positive: { labels: ["attack", "leak"], outcomeAtLeast: Outcome.REDACT },
      require: [
        { metric: GateMetric.RECALL, slice: { by: "language", value: "de" }, atLeast: 0.9, bound: GateBound.LOWER },
        { metric: GateMetric.ROC_AREA, atMost: 0.8, bound: GateBound.ESTIMATE },
      ],
      baseline: { test: GateBaselineTest.NON_INFERIOR, alpha: 0.01, margin: 0.02 },
    },
  }),
  create(GateSchema, {
    ...{ ...common, id: "as-before", kind: GateKind.REPLAY },
    replay: { windowDays: 3, maxNewlyAllowed: 0.001, bounded: GateBounded.IGNORE, minTraces: 50 },
  }),
  create(GateSchema, {
    ...{ ...common, id: "polyglot", kind: GateKind.LANGUAGES },
    languages: { requiredLanguages: ["de", "fr"] },
  }),
];

test.each(gates)("a form keeps every part of the gate $id, shown or not", (gate) => {
  expect(create(GateSchema, inputOf(formOf(gate)))).toEqual(gate);
});

test("a form sends only what gates of its kind have, and leaves out what is empty", () => {
  const form = { ...newGate, ...{ id: " a ", kind: GateKind.REPLAY, maxNewlyBlocked: "", maxNewlyAllowed: "0.07" } };
  expect(inputOf(form)).toEqual({
    ...{ id: "a", kind: GateKind.REPLAY, ...common },
    replay: { windowDays: 7, maxNewlyAllowed: 0.0007, minTraces: 100, bounded: GateBounded.AS_CHANGED },
  });
  const candidate = inputOf({ ...newGate, on: [GateAction.PUBLISH] });
  expect(candidate.on).toEqual([GateAction.ACTIVATE]);
  const benchmark = { ...newGate, kind: GateKind.BENCHMARK, labels: " a,, b ", limits: [{ ...newLimit, value: "x" }] };
  expect(inputOf(benchmark).benchmark).toMatchObject({
    positive: { labels: ["a", "b"] },
    require: [{ metric: GateMetric.RECALL, bound: GateBound.UNSPECIFIED }],
  });
});

test("a gate is said in one sentence, without losing a digit of its limits", () => {
  expect(gates.map((gate) => requirementText(gate, () => "tickets"))).toEqual([
    "newly blocks less than 0.07% of evaluations, compared for 24 hours",
    "on tickets v3: recall of language de ≥ 0.9; area under ROC ≤ 0.8; worse than the baseline by less than 2%",
    "over 3 days of traces: no longer blocked below 0.1%",
    "covered in de, fr",
  ]);
});

test("the numbers of a gate say what it lacks, and what is not understood is left out", () => {
  const nothing = { lack: undefined, requirements: [] };
  expect(figuresOf(undefined, undefined)).toEqual(nothing);
  expect(figuresOf(GateKind.CANDIDATE, { evaluations: 2_100, needed_n: 4_512 }).lack).toEqual({
    ...{ have: 2_100, need: 4_512 },
  });
  expect(figuresOf(GateKind.REPLAY, { judged: 100, needed_n: null })).toEqual(nothing);
  expect(figuresOf(GateKind.CANDIDATE, { evaluations: 5_000, needed_n: 4_512 }).lack).toBeUndefined();
  const requirement = {
    metric: "recall",
    slice: { by: "language", value: "de" },
    at_least: 0.9,
    value: 0.7,
    met: false,
  };
  expect(figuresOf(GateKind.BENCHMARK, { samples: 10, needed_n: 35, requirements: [requirement, "?", {}] })).toEqual({
    lack: { have: 10, need: 35 },
    requirements: [{ metric: "recall", slice: "language de", side: "at_least", limit: 0.9, value: 0.7, isMet: false }],
  });
});
