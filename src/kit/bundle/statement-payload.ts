// What manifests and activations say. The members are those of the messages Manifest and Activation in
// proto/policyguard/bundle/v1/bundle.proto, under their proto names. Members that a later version adds are ignored:
// the signature vouches for them, and `min_runtime` keeps out runtimes that must understand them.

import type { JsonValue } from "@bufbuild/protobuf";
import { canonicalBytes, digestOf, isDigest } from "../crypto/canonical.ts";

// Type aliases rather than interfaces, so that they are assignable to JsonValue.

/** One part of a bundle, as the manifest lists it. */
export type PartEntry = {
  readonly path: string;
  readonly size: number;
  readonly digest: string;
};

/** What a bundle is. */
export type ManifestPayload = {
  readonly org_id: string;
  readonly project_id: string;
  readonly environment: string;
  readonly version: number;
  readonly created_at: string;
  readonly source: string;
  readonly content_digest: string;
  readonly parts: PartEntry[];
  readonly min_runtime: string;
  readonly tests: { readonly passed: number; readonly failed: number };
};

/** States which bundle is to be enforced. */
export type ActivationPayload = {
  readonly org_id: string;
  readonly project_id: string;
  readonly environment: string;
  readonly activation_seq: number;
  readonly version: number;
  readonly digest: string;
  readonly issued_at: string;
  readonly not_before: string;
  readonly expires_at: string;
  readonly capture: "none" | "redacted" | "full";
  /** Whether records carry facts for replays; a statement of an earlier release, which takes none, does not say. */
  readonly replay_facts?: boolean;
  /** Serial of the newest key set; a statement of an earlier release has none. */
  readonly keys_serial?: number;
  /** Another version to evaluate beside this one. */
  readonly candidate?: CandidateReference;
  /** Rules that are kept in shadow for a while. */
  readonly overrides?: OverrideReference[];
  /** Of which evaluations runtimes send a trace; of all when it is not there. */
  readonly trace_sampling?: TraceSamplingReference;
};

/** Of which evaluations runtimes send a trace, in percent by outcome. BLOCK always has one. */
export type TraceSamplingReference = { readonly allow_percent: number; readonly other_percent: number };

/** A rule that finds and enforces nothing for a while. */
export type OverrideReference = {
  readonly policy_id: string;
  readonly rule_id: string;
  readonly mode: "shadow";
  readonly until: string;
};

/** Overrides that an activation has at most: it travels in a header. */
export const maxOverrides = 20;

/** A version that is evaluated and never enforced. */
export type CandidateReference = {
  readonly version: number;
  readonly digest: string;
  /** Share of the runtimes that evaluate it. */
  readonly percent: number;
  readonly expires_at: string;
};

/** The state of a key in its life cycle. */
export type KeySetState = "active" | "retiring" | "revoked";

/** A key of a key set. */
export type KeySetEntry = { readonly kid: string; readonly x: string; readonly state: KeySetState };

/** Which keys may sign for an organization. */
export type KeySetPayload = {
  readonly org_id: string;
  readonly serial: number;
  readonly issued_at: string;
  readonly keys: KeySetEntry[];
  /** Keys that sign checkpoints of the log of evidence, and nothing else; a statement without them has none. */
  readonly log_keys?: KeySetEntry[];
};

/** A payload whose members do not have the promised form. */
export class PayloadError extends Error {
  override readonly name = "PayloadError";
}

/** The manifest entry of a part. */
export function partEntry(path: string, data: Uint8Array): PartEntry {
  return { path, size: data.byteLength, digest: digestOf(data) };
}

/** Digest of the content alone: equal for the same parts, in whichever order and environment. */
export function contentDigest(parts: readonly PartEntry[]): string {
  const sorted = parts.toSorted((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
  return digestOf(canonicalBytes(sorted.map(({ path, size, digest }) => ({ path, size, digest }))));
}

/** Reads the payload of a manifest. Throws a PayloadError. */
export function readManifest(payload: JsonValue): ManifestPayload {
  const at = reader("manifest", payload);
  const tests = reader("manifest.tests", at.value("tests"));
  return {
    org_id: at.text("org_id"),
    project_id: at.text("project_id"),
    environment: at.text("environment"),
    version: at.count("version", 1),
    created_at: at.time("created_at"),
    source: at.text("source"),
    content_digest: at.digest("content_digest"),
    parts: readParts(at.value("parts")),
    min_runtime: at.text("min_runtime"),
    tests: { passed: tests.count("passed", 0), failed: tests.count("failed", 0) },
  };
}

/** Reads the payload of an activation. Throws a PayloadError. */
export function readActivation(payload: JsonValue): ActivationPayload {
  const at = reader("activation", payload);
  const capture = at.text("capture");
  if (capture !== "none" && capture !== "redacted" && capture !== "full") {
    throw new PayloadError('activation.capture must be "none", "redacted" or "full"');
  }
  return {
    org_id: at.text("org_id"),
    project_id: at.text("project_id"),
    environment: at.text("environment"),
    activation_seq: at.count("activation_seq", 1),
    version: at.count("version", 1),
    digest: at.digest("digest"),
    issued_at: at.time("issued_at"),
    not_before: at.time("not_before"),
    expires_at: at.time("expires_at"),
    capture,
    ...(at.value("replay_facts") === undefined ? {} : { replay_facts: at.value("replay_facts") === true }),
    ...(at.value("keys_serial") === undefined ? {} : { keys_serial: at.count("keys_serial", 0) }),
    ...(at.value("candidate") === undefined ? {} : { candidate: readCandidate(at.value("candidate")) }),
    ...(at.value("overrides") === undefined ? {} : { overrides: readOverrides(at.value("overrides")) }),
    ...(at.value("trace_sampling") === undefined ? {} : { trace_sampling: readSampling(at.value("trace_sampling")) }),
  };
}

function readSampling(value: JsonValue | undefined): TraceSamplingReference {
  const at = reader("activation.trace_sampling", value);
  const percent = (name: string): number => {
    const given = at.value(name);
    if (typeof given === "number" && given > 0 && given <= 100) return given;
    throw new PayloadError(`activation.trace_sampling.${name} must be above 0 and at most 100`);
  };
  return { allow_percent: percent("allow_percent"), other_percent: percent("other_percent") };
}

function readCandidate(value: JsonValue | undefined): CandidateReference {
  const at = reader("activation.candidate", value);
  return {
    version: at.count("version", 1),
    digest: at.digest("digest"),
    percent: at.count("percent", 0),
    expires_at: at.time("expires_at"),
  };
}

// An override of a mode that this version does not know is left out: then the rule is enforced, which is the strict
// side.
function readOverrides(entries: JsonValue | undefined): OverrideReference[] {
  if (!Array.isArray(entries) || entries.length > maxOverrides)
    throw new PayloadError(`activation.overrides must be a list of at most ${maxOverrides}`);
  return entries.flatMap((entry, index) => {
    const at = reader(`activation.overrides[${index}]`, entry);
    const named = { policy_id: at.text("policy_id"), rule_id: at.text("rule_id"), until: at.time("until") };
    return at.text("mode") === "shadow" ? [{ ...named, mode: "shadow" as const }] : [];
  });
}

/** Says that the log of evidence goes on from a restored backup, under a new name. */
export type EpochPayload = {
  readonly org_id: string;
  readonly epoch: number;
  /** Name of the log from now on. */
  readonly origin: string;
  /** Entries that the restored log has, and their root in hexadecimal digits: the new epoch continues them. */
  readonly tree_size: number;
  readonly root_hash: string;
  /** Why, in the operator's words. */
  readonly reason: string;
  readonly began_at: string;
  /** Heads that the log had before it was restored, as far as witnesses have proved them. */
  readonly lost: LostHead[];
};

/** A head that a log had before it was restored. */
export type LostHead = { readonly tree_size: number; readonly root_hash: string };

/** Reads the payload of a statement about an epoch. Throws a PayloadError. */
export function readEpoch(payload: JsonValue): EpochPayload {
  const at = reader("epoch", payload);
  const lost = at.value("lost");
  if (!Array.isArray(lost) || lost.length > 64) throw new PayloadError("epoch.lost must be a list of at most 64");
  const headOf = (name: string, value: JsonValue | undefined): LostHead => {
    const head = reader(name, value);
    const root = head.text("root_hash");
    if (!/^[0-9a-f]{64}$/.test(root)) throw new PayloadError(`${name}.root_hash must have 64 hexadecimal digits`);
    return { tree_size: head.count("tree_size", 0), root_hash: root };
  };
  return {
    org_id: at.text("org_id"),
    epoch: at.count("epoch", 2),
    origin: at.text("origin"),
    ...headOf("epoch", payload),
    reason: at.text("reason"),
    began_at: at.time("began_at"),
    lost: lost.map((each, index) => headOf(`epoch.lost[${index}]`, each)),
  };
}

/** Reads the payload of a key set. Throws a PayloadError. */
export function readKeySet(payload: JsonValue): KeySetPayload {
  const at = reader("keys", payload);
  const logKeys = at.value("log_keys");
  return {
    org_id: at.text("org_id"),
    serial: at.count("serial", 1),
    issued_at: at.time("issued_at"),
    keys: readKeyEntries("keys.keys", at.value("keys")),
    ...(logKeys === undefined ? {} : { log_keys: readKeyEntries("keys.log_keys", logKeys) }),
  };
}

function readKeyEntries(name: string, entries: JsonValue | undefined): KeySetEntry[] {
  if (!Array.isArray(entries) || entries.length > 64) throw new PayloadError(`${name} must be a list of at most 64`);
  return entries.map((entry, index) => {
    const key = reader(`${name}[${index}]`, entry);
    const state = key.text("state");
    if (state !== "active" && state !== "retiring" && state !== "revoked") {
      throw new PayloadError(`${name}[${index}].state must be "active", "retiring" or "revoked"`);
    }
    return { kid: key.text("kid"), x: key.text("x"), state };
  });
}

function readParts(value: JsonValue | undefined): PartEntry[] {
  if (!Array.isArray(value)) throw new PayloadError("manifest.parts must be a list");
  return value.map((entry, index) => {
    const at = reader(`manifest.parts[${index}]`, entry);
    return { path: at.text("path"), size: at.count("size", 0), digest: at.digest("digest") };
  });
}

const utcTime = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?Z$/;

function reader(name: string, payload: JsonValue | undefined) {
  if (typeof payload !== "object" || payload === null || Array.isArray(payload)) {
    throw new PayloadError(`${name} must be an object`);
  }
  const value = (key: string): JsonValue | undefined => (Object.hasOwn(payload, key) ? payload[key] : undefined);
  const text = (
    key: string,
    expected = "a text that is not empty",
    accept = (found: string) => found !== "",
  ): string => {
    const found = value(key);
    if (typeof found !== "string" || !accept(found)) throw new PayloadError(`${name}.${key} must be ${expected}`);
    return found;
  };
  return {
    value,
    text: (key: string) => text(key),
    digest: (key: string) => text(key, 'a digest "sha256:<hex>"', isDigest),
    time: (key: string) =>
      text(key, "a time in UTC (RFC 3339)", (found) => utcTime.test(found) && !Number.isNaN(Date.parse(found))),
    count(key: string, min: number): number {
      const found = value(key);
      if (typeof found !== "number" || !Number.isSafeInteger(found) || found < min) {
        throw new PayloadError(`${name}.${key} must be an integer of at least ${min}`);
      }
      return found;
    },
  };
}
