// Differences of detectors: what has to change for more, or less, to be found.

import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { catalog } from "../../../runtime/engine/detectors/catalog.ts";
import type { DetectorUse, PolicyDocument } from "../../../runtime/engine/policy/document.ts";
import { parametersOf, resolveDetector } from "../../../runtime/engine/policy/reference.ts";
import { byGrowth, type Change, type Effect, isEqual, setDifference } from "./change.ts";

/** The catalog by id. */
export const definitions = new Map(catalog.map((definition) => [definition.id, definition]));

/** The differences between the named detectors of two policies, as if each was used by an enforced rule. */
export function detectorChanges(before: PolicyDocument, after: PolicyDocument): Change[] {
  const [old, current] = [before.detectors ?? {}, after.detectors ?? {}];
  const names = [...new Set([...Object.keys(old), ...Object.keys(current)])].sort();
  return names.flatMap((name) => {
    const [was, is] = [old[name], current[name]];
    const at = (what: string, effect: Effect): Change => ({ on: "detector", name, what, effect });
    if (was === undefined && is === undefined) return [];
    // Rules that name it say what it means; without an entry a name may be one of the catalog.
    if (was === undefined) return [at("added", definitions.has(name) ? "unknown" : "none")];
    if (is === undefined) return [at("removed", definitions.has(name) ? "unknown" : "none")];
    if (was.use !== is.use) return [at(`uses ${is.use} instead of ${was.use}`, "unknown")];
    return [...settingChanges(name, { before, after }, at), ...parameterChanges(was, is, at)];
  });
}

type At = (what: string, effect: Effect) => Change;

function settingChanges(name: string, sides: { before: PolicyDocument; after: PolicyDocument }, at: At): Change[] {
  const old = resolveDetector(sides.before, name, definitions);
  const current = resolveDetector(sides.after, name, definitions);
  if (old === undefined || current === undefined) return [];
  const changes: Change[] = [];
  if (old.threshold !== current.threshold) changes.push(thresholdChange(old.threshold, current.threshold, at));
  if (old.onError !== current.onError) {
    changes.push(at(`on_error: ${old.onError ?? "as the policy"} → ${current.onError ?? "as the policy"}`, "unknown"));
  }
  return changes;
}

/** A threshold that was lowered finds more. */
export function thresholdChange(before: number, after: number, at: At): Change {
  const verb = after < before ? "lowered" : "raised";
  return at(`threshold ${verb}: ${before} → ${after}`, byGrowth(before, after, "weaker"));
}

function parameterChanges(was: DetectorUse, is: DetectorUse, at: At): Change[] {
  const [old, current] = [withDefaults(was), withDefaults(is)];
  const names = [...new Set([...Object.keys(old), ...Object.keys(current)])].sort();
  return names.flatMap((name) => {
    const [before, after] = [old[name], current[name]];
    if (isEqual(before, after)) return [];
    if (name === "sensitivity")
      return [at(`sensitivity: ${text(before)} → ${text(after)}`, sensitivity(before, after))];
    if (growing.has(name) && isList(before) && isList(after)) return listChanges(name, before, after, at);
    return [at(`${name}: ${text(before)} → ${text(after)}`, name === "category" ? "none" : "unknown")];
  });
}

// Parameters of which more means that more is found.
const growing = new Set(["entities", "keywords", "patterns"]);

function listChanges(name: string, before: readonly JsonValue[], after: readonly JsonValue[], at: At): Change[] {
  const { added, removed } = setDifference(before.map(text), after.map(text));
  return [
    ...added.map((item) => at(`${name}: ${item} added`, "stricter")),
    ...removed.map((item) => at(`${name}: ${item} removed`, "weaker")),
  ];
}

const sensitivities = ["permissive", "balanced", "strict"];

function sensitivity(before: JsonValue | undefined, after: JsonValue | undefined): Effect {
  return byGrowth(sensitivities.indexOf(text(before)), sensitivities.indexOf(text(after)), "stricter");
}

/** The parameters with the catalog's defaults, so that writing a default out is no change. */
function withDefaults(use: DetectorUse): JsonObject {
  const properties = definitions.get(use.use)?.parameters.properties;
  const defaults = isRecord(properties)
    ? Object.entries(properties).flatMap(([name, schema]) =>
        isRecord(schema) && schema.default !== undefined ? [[name, schema.default] as const] : [],
      )
    : [];
  return { ...Object.fromEntries(defaults), ...parametersOf(use) };
}

function isRecord(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isList(value: JsonValue | undefined): value is JsonValue[] {
  return Array.isArray(value);
}

function text(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "none");
}
