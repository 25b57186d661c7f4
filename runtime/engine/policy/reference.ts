// How the rules of a policy name detectors: by a name of the policy's own, or by the id of a catalog entry.

import type { JsonObject } from "@bufbuild/protobuf";
import type { DetectorDefinition } from "../detector.ts";
import type { Detect, DetectorReference, DetectorUse, DetectTerm, FailModeName, PolicyDocument } from "./document.ts";

/** A detector of the catalog as a policy uses it. */
export interface ResolvedDetector {
  readonly definition: DetectorDefinition;
  readonly parameters: JsonObject;
  readonly threshold: number;
  readonly onError: FailModeName | undefined;
}

/** Keys of a named detector that are not parameters. */
export const detectorKeys = ["use", "threshold", "on_error", "backend"];

/** The parameters of a named detector. */
export function parametersOf(use: DetectorUse): JsonObject {
  const entries = Object.entries(use).filter(([key, value]) => !detectorKeys.includes(key) && value !== undefined);
  return Object.fromEntries(entries) as JsonObject; // every value but undefined is JSON
}

/** The detector that a name means in a policy: a named one, else the catalog's. */
export function resolveDetector(
  policy: PolicyDocument,
  name: string,
  definitions: ReadonlyMap<string, DetectorDefinition>,
): ResolvedDetector | undefined {
  const detectors = policy.detectors ?? {};
  const named = Object.hasOwn(detectors, name) ? detectors[name] : undefined;
  const use = typeof named === "object" && named !== null ? named : undefined;
  const definition = definitions.get(use?.use ?? name);
  if (definition === undefined) return undefined;
  return {
    definition,
    parameters: use === undefined ? {} : parametersOf(use),
    threshold: use?.threshold ?? definition.defaultThreshold,
    onError: use?.on_error,
  };
}

/** The terms of a `detect`, how many of them have to be found in one segment, and where they are in the document. */
export function detectTerms(detect: Detect): {
  readonly terms: readonly DetectTerm[];
  readonly atLeast: number;
  readonly path: readonly string[];
} {
  if (typeof detect === "string" || "ref" in detect) return { terms: [detect], atLeast: 1, path: [] };
  if ("any" in detect) return { terms: detect.any, atLeast: 1, path: ["any"] };
  if ("all" in detect) return { terms: detect.all, atLeast: detect.all.length, path: ["all"] };
  return { terms: detect.quorum.of, atLeast: detect.quorum.at_least, path: ["quorum", "of"] };
}

/** A term in its long form. */
export function asReference(term: DetectTerm): DetectorReference {
  return typeof term === "string" ? { ref: term } : term;
}
