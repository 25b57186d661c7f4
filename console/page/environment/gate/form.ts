// A gate as a form has it: texts, which the server judges. Shares are written in percent, as people say them.

import type { MessageInitShape } from "@bufbuild/protobuf";
import {
  type BenchmarkRequirement,
  type Gate,
  GateAction,
  GateBaselineTest,
  GateBound,
  GateBounded,
  GateEnforcement,
  GateKind,
  GateMetric,
  type GateSchema,
} from "../../../../gen/policyguard/control/v1/gate_pb.ts";

/** One limit of a benchmark. */
export interface LimitForm {
  readonly metric: GateMetric;
  readonly side: "at_least" | "at_most";
  readonly value: string;
  /** By which facet samples are chosen; empty for all of them. */
  readonly by: string;
  readonly part: string;
  readonly bound: GateBound;
}

/** What a form of a gate holds. Empty texts are values that were left out. */
export interface GateForm {
  readonly id: string;
  readonly kind: GateKind;
  readonly on: readonly GateAction[];
  readonly enforcement: GateEnforcement;
  readonly maxNewlyBlocked: string;
  readonly alpha: string;
  readonly minHours: string;
  readonly datasetId: string;
  readonly version: string;
  readonly labels: string;
  readonly limits: readonly LimitForm[];
  readonly baseline: GateBaselineTest;
  readonly margin: string;
  readonly windowDays: string;
  readonly maxNewlyAllowed: string;
  readonly bounded: GateBounded;
  readonly minTraces: string;
  readonly languages: readonly string[];
  /** The stored requirement of a benchmark's gate: parts of it that the form does not show stay. */
  readonly stored: BenchmarkRequirement | undefined;
}

/** What a new limit begins with. */
export const newLimit: LimitForm = {
  ...{ metric: GateMetric.RECALL, side: "at_least", value: "0.9", by: "", part: "" },
  bound: GateBound.UNSPECIFIED,
};

/** What a new gate begins with. */
export const newGate: GateForm = {
  id: "",
  kind: GateKind.CANDIDATE,
  on: [GateAction.ACTIVATE],
  enforcement: GateEnforcement.BLOCK,
  maxNewlyBlocked: "0.1",
  alpha: "5",
  minHours: "24",
  datasetId: "",
  version: "",
  labels: "",
  limits: [newLimit],
  baseline: GateBaselineTest.UNSPECIFIED,
  margin: "2",
  windowDays: "7",
  maxNewlyAllowed: "0.1",
  bounded: GateBounded.AS_CHANGED,
  minTraces: "100",
  languages: [],
  stored: undefined,
};

/** The form of a gate that exists. */
export function formOf(gate: Gate): GateForm {
  const { candidate, benchmark, replay, languages } = gate;
  return {
    ...newGate,
    ...{ id: gate.id, kind: gate.kind, on: gate.on, enforcement: gate.enforcement, stored: benchmark },
    ...(candidate && {
      maxNewlyBlocked: percentOf(candidate.maxNewlyBlocked),
      alpha: percentOf(candidate.alpha),
      minHours: String(candidate.minHours ?? 0),
    }),
    ...(benchmark && {
      datasetId: benchmark.datasetId,
      version: benchmark.version === undefined ? "" : String(benchmark.version),
      labels: benchmark.positive?.labels.join(", ") ?? "",
      limits: benchmark.require.map(({ metric, slice, atLeast, atMost, bound }) => ({
        ...{ metric, bound, by: slice?.by ?? "", part: slice?.value ?? "" },
        side: atLeast === undefined ? ("at_most" as const) : ("at_least" as const),
        value: String(atLeast ?? atMost ?? ""),
      })),
      baseline: benchmark.baseline?.test ?? GateBaselineTest.UNSPECIFIED,
      ...(benchmark.baseline?.margin === undefined ? {} : { margin: percentOf(benchmark.baseline.margin) }),
    }),
    ...(replay && {
      windowDays: String(replay.windowDays ?? 7),
      maxNewlyBlocked: percentOf(replay.maxNewlyBlocked),
      maxNewlyAllowed: percentOf(replay.maxNewlyAllowed),
      bounded: replay.bounded,
      minTraces: String(replay.minTraces ?? 100),
    }),
    ...(languages && { languages: languages.requiredLanguages }),
  };
}

/** What a call sends for the form: only what gates of its kind have. */
export function inputOf(form: GateForm): MessageInitShape<typeof GateSchema> {
  const { id, kind, enforcement } = form;
  const on = kind === GateKind.CANDIDATE ? [GateAction.ACTIVATE] : [...form.on];
  const common = { id: id.trim(), kind, on, enforcement };
  switch (kind) {
    case GateKind.BENCHMARK:
      return { ...common, benchmark: benchmarkOf(form) };
    case GateKind.REPLAY:
      return {
        ...common,
        replay: {
          ...number("windowDays", form.windowDays),
          ...fraction("maxNewlyBlocked", form.maxNewlyBlocked),
          ...fraction("maxNewlyAllowed", form.maxNewlyAllowed),
          ...number("minTraces", form.minTraces),
          bounded: form.bounded,
        },
      };
    case GateKind.LANGUAGES:
      return { ...common, languages: { requiredLanguages: [...form.languages] } };
    default:
      return {
        ...common,
        candidate: {
          ...fraction("maxNewlyBlocked", form.maxNewlyBlocked),
          ...fraction("alpha", form.alpha),
          ...number("minHours", form.minHours),
        },
      };
  }
}

function benchmarkOf(form: GateForm): MessageInitShape<typeof GateSchema>["benchmark"] {
  const { stored, baseline } = form;
  const labels = form.labels
    .split(",")
    .map((label) => label.trim())
    .filter((label) => label !== "");
  // From which outcome on samples count as found depends on whether labels say what is to be found.
  const hasAsMany = (stored?.positive?.labels.length ?? 0) > 0 === labels.length > 0;
  const kept = hasAsMany && stored?.positive !== undefined ? { outcomeAtLeast: stored.positive.outcomeAtLeast } : {};
  const isCompared = baseline !== GateBaselineTest.UNSPECIFIED;
  return {
    datasetId: form.datasetId,
    ...number("version", form.version),
    ...(stored?.filter === undefined ? {} : { filter: stored.filter }),
    ...(stored === undefined ? {} : { labelMap: stored.labelMap }),
    positive: { labels, ...kept },
    require: form.limits.map(({ metric, side, value, by, part, bound }) => ({
      ...{ metric, bound },
      ...(by === "" ? {} : { slice: { by, value: part.trim() } }),
      ...number(side === "at_least" ? "atLeast" : "atMost", value),
    })),
    ...(isCompared && {
      baseline: {
        test: baseline,
        ...(stored?.baseline?.alpha === undefined ? {} : { alpha: stored.baseline.alpha }),
        ...(baseline === GateBaselineTest.NON_INFERIOR ? fraction("margin", form.margin) : {}),
      },
    }),
  };
}

/** "0.1" for 0.001, without the digits that binary fractions add. */
function percentOf(share: number | undefined): string {
  return share === undefined ? "" : String(Number((share * 100).toPrecision(12)));
}

function fraction<Name extends string>(name: Name, text: string): { readonly [key in Name]?: number } {
  const value = Number(text) / 100;
  return number(name, text.trim() === "" ? "" : String(Number(value.toPrecision(12))));
}

function number<Name extends string>(name: Name, text: string): { readonly [key in Name]?: number } {
  const value = Number(text);
  // A computed name loses its type.
  return (text.trim() === "" || !Number.isFinite(value) ? {} : { [name]: value }) as {
    readonly [key in Name]?: number;
  };
}
