// What a report needs of the samples of a benchmark, in columns. A fact is read once and let go: a hundred thousand of
// them with a hundred rules each would not fit into memory as objects, and copying them for each slice takes minutes.

import { createHash } from "node:crypto";
import type { JsonObject } from "@bufbuild/protobuf";
import { canonicalText } from "../../../kit/crypto/canonical.ts";
import type { Hits } from "../../../kit/statistics/f1.ts";
import { LatencyHistogram } from "../../../kit/tally/latency-histogram.ts";
import { type SampleFact, type SliceKind, sliceKinds, valuesOf } from "./sample-fact.ts";
import { matchSpans } from "./span-match.ts";

/** Three values in a column: yes, no, and not known. */
export const [no, yes, unknown] = [0, 1, 2];

/** How a sample counts, as the number that columns have for it. What is missing counts as wrong: never as passed. */
export const code = { tp: 0, fp: 1, tn: 2, fn: 3, unscored: 4 } as const;

/** The number for a sample with this truth and this answer, each yes, no or unknown. */
export function codeOf(truth: number, found: number): number {
  if (truth === unknown) return code.unscored;
  if (truth === yes) return found === yes ? code.tp : code.fn;
  return found === no ? code.tn : code.fp;
}

/** Places of samples by a name that they have, in the order of the samples. */
export type Places = ReadonlyMap<string, readonly number[]>;

/** Spans of a sample that states which are right. */
export interface SpanHits {
  readonly exact: Hits;
  readonly half: Hits;
}

/** The samples, each at the same place of every column. */
export interface SampleTable {
  readonly size: number;
  readonly truth: Uint8Array;
  readonly found: Uint8Array;
  /** Whether a detector or a rule can be said to have found it or not. */
  readonly isJudged: Uint8Array;
  readonly isUnjudged: Uint8Array;
  readonly hasKeyword: Uint8Array;
  /** NaN where there is none. */
  readonly score: Float64Array;
  /** The group, by a number below `groups`. A sample without one is a group of its own. */
  readonly group: Int32Array;
  readonly groups: number;
  readonly isGrouped: Uint8Array;
  readonly spans: ReadonlyMap<number, SpanHits>;
  readonly places: Readonly<Record<SliceKind, Places>>;
  readonly mustMatch: Places;
  readonly mustNotMatch: Places;
  /** Labels of the spans that samples state. */
  readonly spanLabels: ReadonlySet<string>;
  readonly latencies: LatencyHistogram;
  /** SHA-256 over what came of each sample, without times. */
  readonly digest: string;
}

/** Reads facts, each as JSON. */
export function readSamples(
  lines: readonly string[],
  { labelMap }: { readonly labelMap: Readonly<Record<string, string>> },
): SampleTable {
  const size = lines.length;
  const bytes = () => new Uint8Array(size);
  const flags = { truth: bytes(), found: bytes(), isJudged: bytes(), isUnjudged: bytes(), hasKeyword: bytes() };
  const score = new Float64Array(size);
  const places = Object.fromEntries(sliceKinds.map((by) => [by, new Map()])) as Record<SliceKind, PlaceMap>;
  const mustMatch: PlaceMap = new Map();
  const mustNotMatch: PlaceMap = new Map();
  const spans = new Map<number, SpanHits>();
  const spanLabels = new Set<string>();
  const groups = new GroupColumn(size);
  const latencies = new LatencyHistogram();
  const hash = createHash("sha256");
  for (const [at, line] of lines.entries()) {
    const said: JsonObject = JSON.parse(line);
    const fact = said as unknown as SampleFact; // written by the run
    flags.truth[at] = triple(fact.truth);
    flags.found[at] = triple(fact.found);
    flags.isJudged[at] = Number(fact.why === null);
    flags.isUnjudged[at] = Number(fact.isUnjudged);
    flags.hasKeyword[at] = Number(fact.hasKeyword);
    score[at] = fact.score ?? Number.NaN;
    groups.put(at, fact.group);
    for (const by of sliceKinds) addPlace(places[by], valuesOf(by, fact), at);
    addPlace(mustMatch, fact.mustMatch, at);
    addPlace(mustNotMatch, fact.mustNotMatch, at);
    const { expectedSpans } = fact;
    for (const { label } of expectedSpans) spanLabels.add(label);
    if (expectedSpans.length > 0) {
      const hits = (nearness: "exact" | "half") => matchSpans(expectedSpans, fact.spans, { nearness, labelMap });
      spans.set(at, { exact: hits("exact"), half: hits("half") });
    }
    if (fact.latencyUs !== null) latencies.add(fact.latencyUs);
    hash.update(resultOf(said)).update("\n");
  }
  return {
    ...{ size, ...flags, score, spans, spanLabels, places, mustMatch, mustNotMatch, latencies },
    digest: hash.digest("hex"),
    ...{ group: groups.column, groups: groups.count, isGrouped: groups.isNamed },
  };
}

type PlaceMap = Map<string, number[]>;

function triple(value: boolean | null): number {
  return value === null ? unknown : value ? yes : no;
}

/** Adds the place to each of the names. A name that is there twice counts once. */
function addPlace(map: PlaceMap, names: readonly string[], at: number): void {
  for (const name of names) {
    const present = map.get(name);
    if (present === undefined) map.set(name, [at]);
    else if (present.at(-1) !== at) present.push(at);
  }
}

class GroupColumn {
  readonly column: Int32Array;
  readonly isNamed: Uint8Array;
  readonly #numbers = new Map<string, number>();
  count = 0;

  constructor(size: number) {
    this.column = new Int32Array(size);
    this.isNamed = new Uint8Array(size);
  }

  put(at: number, name: string | null): void {
    const known = name === null ? undefined : this.#numbers.get(name);
    const number = known ?? this.count++;
    if (name !== null) this.#numbers.set(name, number);
    this.column[at] = number;
    this.isNamed[at] = Number(name !== null);
  }
}

function resultOf({ latencyUs: _, hasKeyword: __, ...result }: JsonObject): string {
  const { score } = result;
  return canonicalText({ ...result, score: typeof score === "number" ? Math.round(score * 1e6) / 1e6 : null });
}
