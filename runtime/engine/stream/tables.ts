// The shared tables of streams of one kind: the detectors whose findings may hold text back, compiled together, with
// the data to say at any time which of their findings are still to come.

import { detectorOf } from "../detectors/catalog.ts";
import type { DetectorSpec } from "../detectors/detector.ts";
import type { Models, OpenEdge, Phrase, Plan, Sweep, Trigger, WindowProbe } from "../detectors/detector-plan.ts";
import { type Automaton, openAutomaton } from "../pattern/aho-corasick.ts";
import { openPrefixSets } from "../pattern/prefix-sets.ts";
import type { RequiredLiteral } from "../pattern/required-literals.ts";
import { bitOf, type LiteralMark, markStates, type StateMarks } from "../pattern/state-mark.ts";
import { comparedPhrase } from "../scan/phrase.ts";
import { detectorSteps, type FormScanner } from "../scan/scanner.ts";
import { planOf } from "../scan/spec-plan.ts";
import type { TableCache } from "../scan/table-cache.ts";
import { automatonFoldText, letterFoldText } from "../text/fold.ts";
import { reads } from "../text/normalize.ts";
import { inBatches } from "../text/steps.ts";
import { unfollowable } from "./followable.ts";
import { groupSteps, isFree, type PatternGroup, type StreamPattern } from "./pattern-group.ts";
import { type PrefixGroup, PrefixTable, reachBefore } from "./prefix-table.ts";

/** A detector of a stream. */
export interface StreamJob {
  readonly key: string;
  readonly isWindowed: boolean;
  readonly reads: number;
  readonly settle: Plan["settle"];
}

/** The uses of a literal of the automaton. */
export interface StreamUses {
  readonly phrases: { readonly job: number; readonly phrase: Phrase }[];
  /** Indices of triggers. */
  readonly triggers: number[];
  readonly gates: { readonly pattern: number; readonly gate: RequiredLiteral }[];
}

/** A trigger with the detector that needs it. */
export interface StreamTriggerUse {
  readonly job: number;
  readonly trigger: Trigger;
  /** Its literal with letters folded. */
  readonly literal: string;
  /** Index of its entry in `opens`. */
  readonly open: number;
}

/** Triggers of one detector that share an `open` function. */
export interface TriggerOpen {
  readonly job: number;
  readonly open: OpenEdge;
}

/** The shared tables of streams. */
export interface StreamTables {
  readonly jobs: readonly StreamJob[];
  readonly automaton: Automaton;
  readonly uses: readonly StreamUses[];
  readonly patterns: readonly StreamPattern[];
  readonly prefixes: readonly PrefixGroup[];
  readonly marks: StateMarks;
  readonly groups: readonly PatternGroup[];
  readonly triggers: readonly StreamTriggerUse[];
  /** The `open` functions, each once for all triggers of a detector that share it. */
  readonly opens: readonly TriggerOpen[];
  readonly sweeps: readonly { readonly job: number; readonly sweep: Sweep }[];
  readonly windows: readonly { readonly job: number; readonly probe: WindowProbe }[];
  /** Scans decoded forms, which arrive complete. Undefined when no detector reads them. */
  readonly decoded: FormScanner | undefined;
}

/** Why a stream cannot follow a detector, as the end of a sentence about it; undefined when it can. */
export function whyNotFollowed(spec: DetectorSpec, models: Models): string | undefined {
  return unfollowable(detectorOf(spec.use).definition, planOf(spec, models));
}

interface Followed {
  readonly spec: DetectorSpec;
  readonly isWindowed: boolean;
  readonly plan: Plan;
}

function followed(spec: DetectorSpec, models: Models): Followed {
  const { definition } = detectorOf(spec.use);
  const plan = planOf(spec, models);
  const why = unfollowable(definition, plan);
  if (why !== undefined) throw new Error(`a stream cannot follow the detector "${spec.use}": it ${why}`);
  return { spec, isWindowed: definition.scope === "window", plan };
}

/** Compiles the tables for detectors that streams can follow, step by step. */
export function* tableSteps(
  specs: readonly DetectorSpec[],
  models: Models,
  tableCache: TableCache,
): Generator<void, StreamTables> {
  const plans: Followed[] = [];
  yield* inBatches(specs, (spec) => plans.push(followed(spec, models)));
  const patterns = plans.flatMap(({ plan }, job) => plan.patterns.map((probe) => ({ job, probe })));
  const { triggers, opens } = triggersOf(plans);
  const literals = new LiteralTable();
  for (const [job, { plan }] of plans.entries())
    yield* inBatches(plan.phrases, (each) => {
      const phrase = comparedPhrase(each);
      literals.usesOf(phrase.text).phrases.push({ job, phrase });
    });
  const prefixes = new PrefixTable();
  yield* inBatches(triggers.entries(), ([index, { trigger }]) => {
    literals.usesOf(trigger.literal).triggers.push(index);
  });
  const gated = [...patterns.entries()].filter(([, { probe }]) => !isFree(probe));
  yield;
  yield* addGated(gated, { isWindowed: (job) => plans[job]?.isWindowed === true, prefixes, literals, tableCache });
  const automaton = openAutomaton(tableCache.automaton(literals.texts));
  yield;
  const source = JSON.stringify(specs.map(sourceOf));
  const marks = tableCache.marks([...models.keys(), source], () =>
    markStates(automaton.states, marksOf(literals, prefixes)),
  );
  yield;
  const groups = yield* groupSteps(patterns, tableCache);
  const decoded = plans.filter(({ plan }) => (plan.reads & reads.decoded) !== 0).map(({ spec }) => spec);
  return {
    jobs: plans.map(({ spec, isWindowed, plan }) => ({
      ...{ key: spec.key, isWindowed, reads: plan.reads, settle: plan.settle },
    })),
    automaton,
    uses: literals.uses,
    patterns,
    prefixes: prefixes.groups,
    marks,
    groups,
    triggers,
    opens,
    sweeps: plans.flatMap(({ plan }, job) => plan.sweeps.map((sweep) => ({ job, sweep }))),
    windows: plans.flatMap(({ plan }, job) => (plan.window === undefined ? [] : [{ job, probe: plan.window }])),
    decoded: decoded.length === 0 ? undefined : yield* detectorSteps(decoded, { models, tableCache }),
  };
}

function sourceOf({ use, parameters, overlay }: DetectorSpec) {
  return overlay === undefined ? [use, parameters] : [use, parameters, [...overlay.entries.keys()]];
}

/** The tables to which patterns with required literals are added. */
interface GatedTarget {
  readonly isWindowed: (job: number) => boolean;
  readonly prefixes: PrefixTable;
  readonly literals: LiteralTable;
  readonly tableCache: TableCache;
}

function* addGated(
  gated: readonly (readonly [number, StreamPattern])[],
  { isWindowed, prefixes, literals, tableCache }: GatedTarget,
): Generator<void, void> {
  const led = gated.filter(([, { job, probe }]) => !isWindowed(job) && reachBefore(probe) > 0);
  const units = openPrefixSets(tableCache.prefixSets(led.map(([, { probe }]) => probe)));
  const unitsOf = new Map(led.map(([index], at) => [index, units[at]]));
  yield;
  yield* inBatches(gated, ([index, { job, probe }]) => {
    if (isWindowed(job)) prefixes.addWide(job, probe);
    else prefixes.add(index, job, probe, unitsOf.get(index));
    for (const gate of probe.pattern.requiredLiterals)
      literals.usesOf(gate.literal).gates.push({ pattern: index, gate });
  });
}

/** The marks of each literal for the states before its last one. */
function marksOf({ uses }: LiteralTable, prefixes: PrefixTable): LiteralMark[] {
  return uses.map(({ phrases, gates }) => {
    const mark = { wordJobs: 0, anyJobs: 0, prefixSets: 0 };
    for (const { job, phrase } of phrases) mark[phrase.wholeWord ? "wordJobs" : "anyJobs"] |= bitOf(job);
    const groups = gates.map(({ pattern }) => prefixes.groupOf(pattern));
    for (const group of groups) if (group >= 0) mark.prefixSets |= bitOf(group);
    return mark;
  });
}

function triggersOf(plans: readonly Followed[]): Pick<StreamTables, "triggers" | "opens"> {
  const opens: TriggerOpen[] = [];
  const triggers = plans.flatMap(({ plan }, job) =>
    plan.triggers.flatMap((trigger) => {
      const { open } = trigger;
      if (open === undefined) return [];
      const known = opens.findIndex((other) => other.job === job && other.open === open);
      const literal = letterFoldText(trigger.literal);
      return [{ job, trigger, literal, open: known < 0 ? opens.push({ job, open }) - 1 : known }];
    }),
  );
  return { triggers, opens };
}

class LiteralTable {
  readonly texts: string[] = [];
  readonly uses: StreamUses[] = [];
  readonly #known = new Map<string, StreamUses>();

  usesOf(literal: string): StreamUses {
    const text = automatonFoldText(literal);
    let uses = this.#known.get(text);
    if (uses === undefined) {
      uses = { phrases: [], triggers: [], gates: [] };
      this.#known.set(text, uses);
      this.texts.push(text);
      this.uses.push(uses);
    }
    return uses;
  }
}
