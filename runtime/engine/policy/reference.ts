// How the rules of a policy name detectors: by a name of the policy's own, or by the id of a catalog entry.

import type { JsonObject } from "@bufbuild/protobuf";
import type { BackendUse } from "../backend.ts";
import { type DetectorDefinition, sensitivityNames } from "../detector.ts";
import type { Detect, DetectorReference, DetectorUse, DetectTerm, FailModeName, PolicyDocument } from "./document.ts";

/** A detector of the catalog as a policy uses it. */
export interface ResolvedDetector {
  readonly definition: DetectorDefinition;
  readonly parameters: JsonObject;
  readonly threshold: number;
  readonly onError: FailModeName | undefined;
  /** Its own time budget, from the beginning of the evaluation on. */
  readonly timeoutMs: number | undefined;
  /** The backend that is asked as well; for the detector "backend", instead. */
  readonly backend: BackendUse | undefined;
}

/** Keys of a named detector that are not parameters. */
export const detectorKeys = ["use", "threshold", "on_error", "timeout_ms", "backend"];

/** The same, for a detector of the catalog: where a sensitivity is a threshold, it is none of the detector's own parameters. */
export function keysBeside({ sensitivities }: DetectorDefinition): readonly string[] {
  return sensitivities === undefined ? detectorKeys : [...detectorKeys, "sensitivity"];
}

/** The parameters of a named detector. */
export function parametersOf(use: DetectorUse, definition: DetectorDefinition): JsonObject {
  const beside = keysBeside(definition);
  const entries = Object.entries(use).filter(([key, value]) => !beside.includes(key) && value !== undefined);
  return Object.fromEntries(entries) as JsonObject; // every value but undefined is JSON
}

/** JSON Schema of what a named detector may be given beside the keys that all have. */
export function parameterSchema({ sensitivities, parameters }: DetectorDefinition): JsonObject {
  if (sensitivities === undefined) return parameters;
  const levels = sensitivityNames.map((name) => `${name} ${sensitivities[name]}`).join(", ");
  const sensitivity = {
    enum: [...sensitivityNames],
    description: `How readily something counts: names for thresholds (${levels}).`,
  };
  const own = typeof parameters.properties === "object" ? parameters.properties : {};
  return { ...parameters, properties: { sensitivity, ...own } };
}

/** The backend of a named detector. */
export function backendOf({ backend }: DetectorUse): BackendUse | undefined {
  return typeof backend === "string" ? { key: backend } : backend;
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
  // Without a key there is nobody to ask.
  if (definition === undefined || (definition.id === "backend" && use?.backend === undefined)) return undefined;
  return {
    definition,
    parameters: use === undefined ? {} : parametersOf(use, definition),
    threshold: use?.threshold ?? thresholdOf(use?.sensitivity, definition),
    onError: use?.on_error,
    timeoutMs: use?.timeout_ms,
    backend: use && backendOf(use),
  };
}

function thresholdOf(sensitivity: DetectorUse[string], definition: DetectorDefinition): number {
  const { sensitivities, defaultThreshold } = definition;
  const name = sensitivityNames.find((each) => each === sensitivity);
  return name === undefined ? defaultThreshold : (sensitivities?.[name] ?? defaultThreshold);
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
