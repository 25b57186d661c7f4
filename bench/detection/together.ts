// What a text costs when every built-in detector looks at it, as one scanner.

import { catalog } from "../../runtime/engine/detectors/catalog.ts";
import { compileDetectors } from "../../runtime/engine/scan/scanner.ts";
import { shippedModels } from "../../src/kit/process/model-file.ts";
import type { Judge } from "./judge.ts";

/** Parameters without which a detector has nothing to do. */
const needed: ReadonlyMap<string, Readonly<Record<string, unknown>>> = new Map([
  ["keywords", { keywords: ["project nightfall"] }],
  ["regex", { patterns: [{ pattern: "NF-[0-9]{6}" }] }],
  ["canary", { canaries: ["zebra-quartz-1817"] }],
  ["language", { allow: ["en"] }],
  ["length", { max_characters: 100_000 }],
  ["topics", { topics: ["gambling", "weapons"] }],
  ["url", { allow: ["example.com"] }],
]);

/** All built-in detectors, injection included, compiled together. */
export function allTogether(): Judge {
  const specs = builtIn();
  return timedJudge(`all ${specs.length} built-in detectors`, specs);
}

/** Each built-in detector by itself, by name. */
export function eachAlone(): Judge[] {
  return builtIn()
    .sort((a, b) => (a.key < b.key ? -1 : 1))
    .map((spec) => timedJudge(spec.key, [spec]));
}

type Specs = Parameters<typeof compileDetectors>[0];

function builtIn(): Specs[number][] {
  return catalog
    .filter(({ costClass }) => costClass !== "backend")
    .map(({ id }) => ({ key: id, use: id, parameters: JSON.parse(JSON.stringify(needed.get(id) ?? {})) }));
}

function timedJudge(name: string, specs: Specs): Judge {
  const scanner = compileDetectors(specs, { models: shippedModels() });
  return { name, threshold: 1, score: ({ text }) => scanner.scan(text).size };
}
