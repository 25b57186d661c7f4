// The numbers behind a gate, out of the details that calls answer with. Their form depends on the kind, and a newer
// server may say more; what is not understood is left out.

import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { GateKind } from "../../../../gen/policyguard/control/v1/gate_pb.ts";

/** What a gate lacks and what it held. */
export interface GateFigures {
  /** How much there is of how much is needed; undefined when nothing is lacking or that is not known. */
  readonly lack: { readonly have: number; readonly need: number } | undefined;
  /** Limits of a benchmark with the values that were held against them. */
  readonly requirements: readonly {
    readonly metric: string;
    readonly slice: string | undefined;
    readonly side: "at_least" | "at_most";
    readonly limit: number;
    readonly value: number | undefined;
    readonly isMet: boolean;
  }[];
}

/** Counts of which a gate may need more, by kind. */
const haves: Readonly<Partial<Record<GateKind, string>>> = {
  [GateKind.CANDIDATE]: "evaluations",
  [GateKind.BENCHMARK]: "samples",
  [GateKind.REPLAY]: "judged",
};

/** The figures of a gate of this kind. */
export function figuresOf(kind: GateKind | undefined, details: JsonObject | undefined): GateFigures {
  const need = numberIn(details, "needed_n");
  const have = numberIn(details, haves[kind ?? GateKind.UNSPECIFIED] ?? "");
  return {
    lack: need === undefined || have === undefined || have >= need ? undefined : { have, need },
    requirements: objectsIn(details, "requirements").flatMap((each) => {
      const metric = textIn(each, "metric");
      const side = numberIn(each, "at_least") === undefined ? "at_most" : "at_least";
      const limit = numberIn(each, side);
      if (metric === undefined || limit === undefined) return [];
      const part = objectOf(each.slice);
      const slice = part && `${textIn(part, "by") ?? ""} ${textIn(part, "value") ?? ""}`.trim();
      return [{ ...{ metric, slice, side, limit }, value: numberIn(each, "value"), isMet: each.met === true }];
    }),
  };
}

function numberIn(object: JsonObject | undefined, name: string): number | undefined {
  const value = object?.[name];
  return typeof value === "number" ? value : undefined;
}

function textIn(object: JsonObject, name: string): string | undefined {
  const value = object[name];
  return typeof value === "string" ? value : undefined;
}

function objectsIn(object: JsonObject | undefined, name: string): JsonObject[] {
  const value = object?.[name];
  if (!Array.isArray(value)) return [];
  return value.map(objectOf).filter((each) => each !== undefined);
}

function objectOf(value: JsonValue | undefined): JsonObject | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value : undefined;
}
