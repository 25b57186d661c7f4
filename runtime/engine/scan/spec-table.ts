// The detectors of an engine, each distinct one once.

import type { JsonObject } from "@bufbuild/protobuf";
import type { BackedDetector, BackendUse } from "../backend/backend.ts";
import type { DetectorSpec } from "../detectors/detector.ts";
import { emptySet, type OverlaySet } from "../languages/overlay-set.ts";
import { overlayFor } from "../overlay/extend-plan.ts";

/** Collects the detectors of all policies, each distinct one once, so that a text is scanned once for all of them. */
export class SpecTable {
  readonly #keys = new Map<string, string>();
  readonly #names = new Map<string, Set<string>>();
  readonly #overlays: OverlaySet;
  readonly specs: DetectorSpec[] = [];
  /** Detectors that have a backend. */
  readonly backed: BackedDetector[] = [];

  /** `overlays` is what the bundle adds to detectors. */
  constructor(overlays: OverlaySet = emptySet) {
    this.#overlays = overlays;
  }

  /** The key of a detector with these parameters. `name` is its name in the policy, when it stands alone there. */
  keyOf(use: string, parameters: JsonObject, name?: string): string {
    const identity = JSON.stringify([use, sortedJson(parameters)]);
    let key = this.#keys.get(identity);
    if (key === undefined) {
      key = `${use}#${this.specs.length}`;
      this.#keys.set(identity, key);
      this.#names.set(key, new Set());
      const overlay = overlayFor(use, parameters, this.#overlays);
      this.specs.push({ key, use, parameters, ...(overlay !== undefined && { overlay }) });
    }
    if (name !== undefined) this.#names.get(key)?.add(name);
    return key;
  }

  /** The languages in which the bundle adds something to a detector. */
  overlayLanguages(use: string, parameters: JsonObject): string[] {
    const overlay = overlayFor(use, parameters, this.#overlays);
    return [...(overlay?.entries.values() ?? [])].map(({ language }) => language);
  }

  /** The key of a detector combined with a backend; `inner` is undefined for a backend alone. */
  backedKeyOf(inner: string | undefined, use: BackendUse, name: string): string {
    const identity = JSON.stringify([inner ?? null, sortedJson(use)]);
    let key = this.#keys.get(identity);
    if (key === undefined) {
      key = `${inner ?? "backend"}+${use.key}#${this.backed.length}`;
      this.#keys.set(identity, key);
      this.#names.set(key, new Set());
      this.backed.push({ key, inner, use });
    }
    this.#names.get(key)?.add(name);
    return key;
  }

  /** The names of the detector in policies, sorted. */
  namesOf(key: string): string[] {
    return [...(this.#names.get(key) ?? [])].sort();
  }
}

/** The catalog name of the detector that a spec of this key uses. For "pii#3" it is "pii". */
export function useOf(key: string): string {
  return key.slice(0, key.lastIndexOf("#"));
}

/** The same JSON with the members of objects in order. */
export function sortedJson(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortedJson);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return entries.map(([key, child]) => [key, sortedJson(child)]);
}
