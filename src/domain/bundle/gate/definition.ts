// The gates that an environment defines for itself: what each asks for.

import { isDeepStrictEqual } from "node:util";
import type { JsonObject } from "@bufbuild/protobuf";
import type { FieldViolation } from "../../../kit/fault/fault.ts";
import { findGateSet, type StoredGate } from "../../../store/bundle/gate.ts";
import type { Transaction } from "../../../store/core/transaction.ts";
import type { PositiveRule } from "../../analysis/benchmark/prediction.ts";
import type { SliceKind } from "../../analysis/benchmark/sample-fact.ts";
import { standingGates } from "./standing.ts";

/** Calls that check gates. */
export type GateAction = "publish" | "promote" | "activate";

/** What a candidate's gate asks for. */
export interface CandidateRequirement {
  /** The share of newly blocked evaluations that has to be undercut. */
  readonly maxNewlyBlocked: number;
  readonly alpha: number;
  readonly minHours: number;
}

/** Metrics with bounds. */
export const boundedMetrics = ["precision", "recall", "falsePositiveRate", "f1"] as const;

/** A metric that gates know. */
export type GateMetric = (typeof boundedMetrics)[number] | "spanF1" | "rocArea" | "prArea" | "missing";

/** A limit of a metric. */
export interface MetricRequirement {
  readonly metric: GateMetric;
  /** Null for all samples. */
  readonly slice: { readonly by: SliceKind; readonly value: string } | null;
  readonly side: "at_least" | "at_most";
  readonly limit: number;
  readonly bound: "estimate" | "lower" | "upper";
}

/** How a version is held against the approved baseline. */
export interface BaselineRequirement {
  readonly test: "no_regression" | "non_inferior";
  readonly alpha: number;
  /** Null unless "non_inferior". */
  readonly margin: number | null;
}

/** What a benchmark's gate asks for. */
export interface BenchmarkRequirement {
  readonly datasetId: string;
  /** Null for the newest. */
  readonly version: number | null;
  readonly filter: Readonly<Partial<Record<"split" | "label" | "stage" | "language" | "tag", string | undefined>>>;
  readonly positive: PositiveRule;
  readonly require: readonly MetricRequirement[];
  readonly baseline: BaselineRequirement | null;
}

/** What a replay's gate asks for: shares of traces, null for no limit. */
export interface ReplayRequirement {
  readonly windowDays: number;
  readonly maxNewlyBlocked: number | null;
  readonly maxNewlyAllowed: number | null;
  readonly bounded: "as_changed" | "ignore";
  readonly minTraces: number;
}

/** What a gate of languages asks for. */
export interface LanguagesRequirement {
  /** Tags as packs have them. */
  readonly requiredLanguages: readonly string[];
}

/** What a gate asks for, by its kind. */
export type GateRequirement =
  | { readonly kind: "candidate"; readonly candidate: CandidateRequirement }
  | { readonly kind: "benchmark"; readonly benchmark: BenchmarkRequirement }
  | { readonly kind: "replay"; readonly replay: ReplayRequirement }
  | { readonly kind: "languages"; readonly languages: LanguagesRequirement };

/** A gate as it is given. */
export type NewGate = GateRequirement & {
  readonly id: string;
  readonly on: readonly GateAction[];
  readonly enforcement: "block" | "warn";
};

/** A gate of an environment. */
export type GateDefinition = NewGate & {
  /** The version of the environment's gates in which it last changed. */
  readonly revision: number;
};

/** The gates of an environment. */
export interface GateSet {
  /** Grows by one with each change; 0 before the first. */
  readonly version: number;
  readonly gates: readonly GateDefinition[];
  readonly updatedAt: Date | undefined;
  readonly updatedBy: string | undefined;
}

/** The gates of an environment. */
export async function gateSetOf(tx: Transaction, environmentId: string): Promise<GateSet> {
  const row = await findGateSet(tx, environmentId);
  if (row === null) return { version: 0, gates: [], updatedAt: undefined, updatedBy: undefined };
  const gates = row.gates as unknown as readonly GateDefinition[]; // written by Gates.set()
  return { version: row.version, gates, updatedAt: row.updatedAt, updatedBy: row.updatedBy };
}

/** What is wrong with the gates, whatever data there is. */
export function problemsOf(gates: readonly NewGate[]): FieldViolation[] {
  const violations: FieldViolation[] = [];
  const seen = new Set<string>(standingGates);
  for (const [index, gate] of gates.entries()) {
    const { id, kind, on } = gate;
    if (seen.has(id)) {
      const message = `"${id}" ${standingGates.some((name) => name === id) ? "is a gate of every environment" : "is given twice"}`;
      violations.push({ field: `gates[${index}].id`, message });
    }
    seen.add(id);
    if (kind === "candidate" && on.some((action) => action !== "activate")) {
      const message = "a candidate is compared after it was published: only activate checks this gate";
      violations.push({ field: `gates[${index}].on`, message });
    }
    if (kind === "benchmark") violations.push(...benchmarkProblems(gate.benchmark, `gates[${index}].benchmark`));
    if (kind === "replay" && gate.replay.maxNewlyBlocked === null && gate.replay.maxNewlyAllowed === null) {
      const message = "a replay is held against max_newly_blocked, max_newly_allowed, or both";
      violations.push({ field: `gates[${index}].replay`, message });
    }
  }
  return violations;
}

function benchmarkProblems({ require, baseline }: BenchmarkRequirement, field: string): FieldViolation[] {
  if (require.length === 0 && baseline === null) {
    return [{ field, message: "a benchmark is held against limits (require), a baseline, or both" }];
  }
  const violations: FieldViolation[] = [];
  for (const [index, { metric, side, limit, bound, slice }] of require.entries()) {
    const at = `${field}.require[${index}]`;
    if (bound !== "estimate" && !boundedMetrics.some((name) => name === metric)) {
      violations.push({
        field: `${at}.bound`,
        message: "this metric has no bounds: hold the estimate against the limit",
      });
    }
    if ((metric === "rocArea" || metric === "prArea") && (slice?.by === "rule" || slice?.by === "detector")) {
      const message = `a ${slice.by} alone has no scores, so that nothing is known of its areas: ask about all samples`;
      violations.push({ field: `${at}.slice`, message });
    }
    const never =
      (bound === "lower" && side === "at_least" && limit >= 1) ||
      (bound === "upper" && side === "at_most" && limit <= 0);
    if (never) {
      const message = `no number of samples shows that it is exactly ${limit}: ask for less, or for the estimate`;
      violations.push({ field: `${at}.${side}`, message });
    }
  }
  if (baseline !== null && (baseline.test === "non_inferior") !== (baseline.margin !== null)) {
    violations.push({
      field: `${field}.baseline.margin`,
      message: "non_inferior needs a margin, and no_regression has none",
    });
  }
  return violations;
}

/** The gate with the revision of the former one of its name, if that asked the same. */
export function withRevision(given: NewGate, former: GateDefinition | undefined, version: number): GateDefinition {
  const gate = JSON.parse(JSON.stringify(given)) as NewGate; // plain data, in the form in which it is stored
  if (former === undefined) return { ...gate, revision: version };
  const { revision, ...same } = former;
  // What is done about a gate that does not pass changes nothing about what it asks.
  const asked = ({ on: _, enforcement: __, ...question }: NewGate) => question;
  return { ...gate, revision: isDeepStrictEqual(asked(same), asked(gate)) ? revision : version };
}

/** The gate as it is stored. */
export function stored(gate: GateDefinition): StoredGate {
  return gate as unknown as StoredGate; // plain data
}

/** The gates as the log of evidence has them: in the spelling of the API. */
export function auditView(gates: readonly GateDefinition[]): JsonObject {
  return JSON.parse(JSON.stringify({ gates: gates.map(spelled) })) as JsonObject; // plain data
}

/** Keys are spelled as in the API, but for those of label maps, which are data. */
function spelled(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(spelled);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([name, inner]) => [
    name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    name === "labelMap" ? inner : spelled(inner),
  ]);
  return Object.fromEntries(entries);
}
