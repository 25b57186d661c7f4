// What streams of one kind share: the detectors whose findings may hold text back, compiled together, with what it takes to say at any
// moment which of their findings are still to come.

import { type Automaton, openAutomaton } from "../automaton.ts";
import type { DetectorSpec } from "../detector.ts";
import { detectorOf } from "../detectors/catalog.ts";
import { gateFoldText } from "../fold.ts";
import type { Gate } from "../literal.ts";
import { reads } from "../normalize.ts";
import type { Models, OpenEdge, Phrase, Plan, Sweep, Trigger, WindowProbe } from "../plan.ts";
import { detectorSteps, type FormScanner } from "../scanner.ts";
import { planOf } from "../spec-plan.ts";
import { inBunches } from "../steps.ts";
import type { TableShelf } from "../table-shelf.ts";
import { unfollowable } from "./bounds.ts";
import { openLeads } from "./lead.ts";
import { type LeadGroup, LeadTable, reachBefore } from "./lead-table.ts";
import { groupSteps, isFree, type PatternGroup, type StreamPattern } from "./pattern-group.ts";
import { bitOf, type LiteralMark, markStates, type StateMarks } from "./state-mark.ts";

/** A detector of a stream. */
export interface StreamJob {
  readonly key: string;
  readonly isWindowed: boolean;
  readonly reads: number;
  readonly settle: Plan["settle"];
}

/** What a literal of the automaton is for. */
export interface StreamUses {
  readonly phrases: { readonly job: number; readonly phrase: Phrase }[];
  /** Numbers of triggers. */
  readonly triggers: number[];
  readonly gates: { readonly pattern: number; readonly gate: Gate }[];
}

/** A trigger, and the detector that wants it. */
export interface StreamTriggerUse {
  readonly job: number;
  readonly trigger: Trigger;
  /** Which of the `opens` it has. */
  readonly open: number;
}

/** Triggers of one detector that say alike what is open. */
export interface TriggerOpen {
  readonly job: number;
  readonly open: OpenEdge;
}

/** The shared part of streams. */
export interface StreamTables {
  readonly jobs: readonly StreamJob[];
  readonly automaton: Automaton;
  readonly uses: readonly StreamUses[];
  readonly patterns: readonly StreamPattern[];
  readonly leads: readonly LeadGroup[];
  readonly marks: StateMarks;
  readonly groups: readonly PatternGroup[];
  readonly triggers: readonly StreamTriggerUse[];
  /** What says what is open, once for all triggers of a detector that share it. */
  readonly opens: readonly TriggerOpen[];
  readonly sweeps: readonly { readonly job: number; readonly sweep: Sweep }[];
  readonly windows: readonly { readonly job: number; readonly probe: WindowProbe }[];
  /** Scans decoded forms, which come whole. Undefined when nobody reads them. */
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
  shelf: TableShelf,
): Generator<void, StreamTables> {
  const plans: Followed[] = [];
  yield* inBunches(specs, (spec) => plans.push(followed(spec, models)));
  const patterns = plans.flatMap(({ plan }, job) => plan.patterns.map((probe) => ({ job, probe })));
  const { triggers, opens } = triggersOf(plans);
  const literals = new LiteralTable();
  for (const [job, { plan }] of plans.entries())
    yield* inBunches(plan.phrases, (phrase) => literals.usesOf(phrase.text).phrases.push({ job, phrase }));
  const leads = new LeadTable();
  yield* inBunches(triggers.entries(), ([index, { trigger }]) => {
    literals.usesOf(trigger.literal).triggers.push(index);
  });
  const gated = [...patterns.entries()].filter(([, { probe }]) => !isFree(probe));
  yield;
  yield* addGated(gated, { isWindowed: (job) => plans[job]?.isWindowed === true, leads, literals, shelf });
  const automaton = openAutomaton(shelf.automaton(literals.texts));
  yield;
  const source = JSON.stringify(specs.map(({ use, parameters }) => [use, parameters]));
  const marks = shelf.marks([...models.keys(), source], () => markStates(automaton.states, marksOf(literals, leads)));
  yield;
  const groups = yield* groupSteps(patterns, shelf);
  const decoded = plans.filter(({ plan }) => (plan.reads & reads.decoded) !== 0).map(({ spec }) => spec);
  return {
    jobs: plans.map(({ spec, isWindowed, plan }) => ({
      ...{ key: spec.key, isWindowed, reads: plan.reads, settle: plan.settle },
    })),
    automaton,
    uses: literals.uses,
    patterns,
    leads: leads.groups,
    marks,
    groups,
    triggers,
    opens,
    sweeps: plans.flatMap(({ plan }, job) => plan.sweeps.map((sweep) => ({ job, sweep }))),
    windows: plans.flatMap(({ plan }, job) => (plan.window === undefined ? [] : [{ job, probe: plan.window }])),
    decoded: decoded.length === 0 ? undefined : yield* detectorSteps(decoded, { models, shelf }),
  };
}

/** What gated patterns are entered into. */
interface GatedTarget {
  readonly isWindowed: (job: number) => boolean;
  readonly leads: LeadTable;
  readonly literals: LiteralTable;
  readonly shelf: TableShelf;
}

function* addGated(
  gated: readonly (readonly [number, StreamPattern])[],
  { isWindowed, leads, literals, shelf }: GatedTarget,
): Generator<void, void> {
  const led = gated.filter(([, { job, probe }]) => !isWindowed(job) && reachBefore(probe) > 0);
  const units = openLeads(shelf.leads(led.map(([, { probe }]) => probe.pattern)));
  const unitsOf = new Map(led.map(([index], place) => [index, units[place]]));
  yield;
  yield* inBunches(gated, ([index, { job, probe }]) => {
    if (isWindowed(job)) leads.addWide(job, probe);
    else leads.add(index, job, probe, unitsOf.get(index));
    for (const gate of probe.pattern.gates) literals.usesOf(gate.literal).gates.push({ pattern: index, gate });
  });
}

/** What is marked for each literal in the states before its last. */
function marksOf({ uses }: LiteralTable, leads: LeadTable): LiteralMark[] {
  return uses.map(({ phrases, gates }) => {
    const mark = { wordJobs: 0, anyJobs: 0, leads: 0 };
    for (const { job, phrase } of phrases) mark[phrase.wholeWord ? "wordJobs" : "anyJobs"] |= bitOf(job);
    const groups = gates.map(({ pattern }) => leads.groupOf(pattern));
    for (const group of groups) if (group >= 0) mark.leads |= bitOf(group);
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
      return [{ job, trigger, open: known < 0 ? opens.push({ job, open }) - 1 : known }];
    }),
  );
  return { triggers, opens };
}

class LiteralTable {
  readonly texts: string[] = [];
  readonly uses: StreamUses[] = [];
  readonly #known = new Map<string, StreamUses>();

  usesOf(literal: string): StreamUses {
    const text = gateFoldText(literal);
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
