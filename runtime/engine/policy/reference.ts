// Resolves how rules name detectors: by a name that the policy defines, or by the id of a catalog entry.

import type { JsonObject } from "@bufbuild/protobuf";
import type { BackendUse } from "../backend/backend.ts";
import { type DetectorDefinition, sensitivityNames } from "../detectors/detector.ts";
import type {
  Detect,
  DetectorReference,
  DetectorUse,
  DetectTerm,
  FailModeName,
  PolicyDocument,
  PolicyRule,
} from "./document.ts";

/** A detector of the catalog with a policy's settings. */
export interface ResolvedDetector {
  readonly definition: DetectorDefinition;
  readonly parameters: JsonObject;
  readonly threshold: number;
  readonly onError: FailModeName | undefined;
  /** Its own time budget, in milliseconds since the evaluation began. */
  readonly timeoutMs: number | undefined;
  /** The backend that is asked as well; for the detector "backend", the only one that is asked. */
  readonly backend: BackendUse | undefined;
}

/** Keys of a named detector that are not parameters. */
export const detectorKeys = ["use", "threshold", "on_error", "timeout_ms", "backend"];

/** The same for one detector: where a sensitivity names a threshold, it is not a parameter of the detector. */
function keysBeside({ sensitivities }: DetectorDefinition): readonly string[] {
  return sensitivities === undefined ? detectorKeys : [...detectorKeys, "sensitivity"];
}

/** The parameters of a named detector. */
export function parametersOf(use: DetectorUse, definition: DetectorDefinition): JsonObject {
  const beside = keysBeside(definition);
  const entries = Object.entries(use).filter(([key, value]) => !beside.includes(key) && value !== undefined);
  return Object.fromEntries(entries) as JsonObject; // every value but undefined is JSON
}

/** JSON Schema of a named detector's keys, except those that every detector has. */
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

/** The detector that a name refers to in a policy: a named one, else the catalog's. */
export function resolveDetector(
  policy: PolicyDocument,
  name: string,
  definitions: ReadonlyMap<string, DetectorDefinition>,
): ResolvedDetector | undefined {
  const detectors = policy.detectors ?? {};
  const named = Object.hasOwn(detectors, name) ? detectors[name] : undefined;
  const use = typeof named === "object" && named !== null ? named : undefined;
  const definition = definitions.get(use?.use ?? name);
  // Without a key there is no backend to ask.
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

/** The fail mode of a rule, or of one of its detectors: the rule's own `on_error` has precedence. */
export function failModeOf(
  rule: PolicyRule,
  detector: Pick<ResolvedDetector, "onError"> | undefined,
  { defaults }: PolicyDocument,
): FailModeName {
  return rule.on_error ?? detector?.onError ?? defaults?.on_error ?? "fail_closed";
}

/**
 * The fail mode for texts in a language that the detector does not know: they pass, unless the policy says otherwise.
 */
export function unlistedFailModeOf(
  rule: PolicyRule,
  detector: Pick<ResolvedDetector, "onError"> | undefined,
  { defaults }: PolicyDocument,
): FailModeName {
  return rule.on_error ?? detector?.onError ?? defaults?.on_error ?? "fail_open";
}

/** The fail mode of a condition that concerns all detectors of a rule: closed if one of them fails closed. */
export function jointFailMode<T>(modes: readonly T[], closed: T): T | undefined {
  return modes.includes(closed) ? closed : modes[0];
}

/** The terms of a `detect`, how many of them must find something in one segment, and their path in the document. */
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
