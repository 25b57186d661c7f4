// Packs as a bundle carries them: exactly the packs that `extends` of its policies resolved to, so that a runtime needs
// no library and a bundle never changes its meaning.

import type { JsonObject } from "@bufbuild/protobuf";
import type { PackSource } from "./extend.ts";

/** A requested pack and its content, in the spelling of a bundle's part. */
export interface PackRecord {
  readonly id: string;
  /** The version as the policy requests it, such as "2". */
  readonly requested: string;
  readonly parameters: JsonObject;
  readonly version: string;
  /** Digest of the pack before its parameters are filled in. */
  readonly digest: string;
  /** The document with its parameters filled in. */
  readonly document: JsonObject;
}

/** A source that records what it found in another source. */
export function recordedPacks(packs: PackSource): {
  readonly source: PackSource;
  readonly records: () => PackRecord[];
} {
  const found = new Map<string, PackRecord>();
  const source: PackSource = (reference) => {
    const pack = packs(reference);
    if ("problem" in pack) return pack;
    const { id, version: requested, parameters } = reference;
    // A pack resolves to a policy, and so to an object.
    const document = pack.document as JsonObject;
    found.set(keyOf(id, requested, parameters), {
      ...{ id, requested, parameters, document },
      version: pack.version,
      digest: pack.digest,
    });
    return pack;
  };
  const records = () => [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, record]) => record);
  return { source, records };
}

/** A source of exactly the recorded packs. */
export function packsOf(records: readonly PackRecord[]): PackSource {
  const known = new Map(records.map((record) => [keyOf(record.id, record.requested, record.parameters), record]));
  return ({ id, version, parameters }) =>
    known.get(keyOf(id, version, parameters)) ?? { problem: `the bundle does not contain the pack ${id}@${version}` };
}

function keyOf(id: string, version: string, parameters: JsonObject): string {
  return JSON.stringify([id, version, sorted(parameters)]);
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return entries.map(([key, child]) => [key, sorted(child)]);
}
