// Digests by which a record and a later engine recognise the same detector and the same condition.

import { hash } from "node:crypto";
import detection from "../../../gen/engine/detection.json" with { type: "json" };
import type { BackendUse } from "../backend/backend.ts";
import type { DetectorSpec } from "../detectors/detector.ts";
import type { Models } from "../detectors/detector-plan.ts";
import type { OverlaySet } from "../languages/overlay-set.ts";
import type { ConditionLeaf } from "../policy/condition-tree.ts";
import type { Lists } from "../policy/list.ts";
import { sortedJson } from "../scan/spec-table.ts";

/** The detection of this program: 12 hexadecimal digits over the detectors and what they are made of. */
export const engineDigest: string = detection.digest;

/** Bytes of a digest in a record. */
const digestBytes = 8;

/** The digest of a detector of a bundle, with its parameters, its backend and its model. */
export function specDigest(spec: Omit<DetectorSpec, "key">, models: Models, backend?: BackendUse): Uint8Array {
  const { use, parameters, overlay } = spec;
  const model = modelDigest(models.get(use));
  const parts = [use, sortedJson(parameters), sortedJson(backend ?? null), model];
  return shortDigest(JSON.stringify(overlay === undefined ? parts : [...parts, overlayDigest(overlay)]));
}

/** What a condition depends on besides the request. */
export interface ConditionSetting {
  readonly lists: Lists;
  readonly environment: string;
  /** The name of the detector, for a condition about one of its findings; "" for none. */
  readonly detector: string;
}

/** The digest of a part of a condition, with what it reads of its policy and its bundle. */
export function conditionDigest(
  { text, condition: { reads }, lists: names }: ConditionLeaf,
  { lists, environment, detector }: ConditionSetting,
): Uint8Array {
  const read = (names ?? Object.keys(lists).sort()).map((name) => [name, listDigest(lists[name])]);
  const around = [reads.has("request") ? environment : "", reads.has("finding") ? detector : ""];
  return shortDigest(JSON.stringify([text, read, around]));
}

/** A digest as text, for maps. */
export function digestKey(digest: Uint8Array): string {
  return Buffer.from(digest.buffer, digest.byteOffset, digest.byteLength).toString("latin1");
}

function shortDigest(text: string): Uint8Array {
  return hash("sha256", text, "buffer").subarray(0, digestBytes);
}

const models = new WeakMap<Uint8Array, string>();

function modelDigest(bytes: Uint8Array | undefined): string {
  if (bytes === undefined) return "";
  const known = models.get(bytes) ?? hash("sha256", bytes);
  models.set(bytes, known);
  return known;
}

function overlayDigest({ entries, allow }: OverlaySet): string {
  return hash("sha256", JSON.stringify([[...entries.values()], allow]));
}

const listDigests = new WeakMap<readonly string[], string>();

function listDigest(items: readonly string[] | undefined): string {
  if (items === undefined) return "";
  const known = listDigests.get(items) ?? hash("sha256", JSON.stringify(items));
  listDigests.set(items, known);
  return known;
}
