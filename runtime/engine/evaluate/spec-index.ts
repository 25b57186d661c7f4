// The detectors of an engine as its records number them.

import type { Models } from "../detectors/detector-plan.ts";
import type { SpecTable } from "../scan/spec-table.ts";
import { digestKey, specDigest } from "./record-digest.ts";
import type { SpecIndex } from "./record-signals.ts";

/** Numbers the detectors that policies name: what no policy names alone is in no record. */
export function specIndexOf(table: SpecTable, models: Models): SpecIndex {
  const { specs, backed } = table;
  const all = [
    ...specs.map(({ key, ...spec }) => ({ key, digest: specDigest(spec, models) })),
    ...backed.map(({ key, inner, use }) => {
      const spec = specs.find((each) => each.key === inner) ?? { use: "backend", parameters: {} };
      return { key, digest: specDigest(spec, models, use) };
    }),
  ].filter(({ key }) => table.namesOf(key).length > 0);
  return {
    digests: all.map(({ digest }) => digest),
    names: all.map(({ digest }) => digestKey(digest)),
    indexOf: new Map(all.map(({ key }, index) => [key, index])),
  };
}
