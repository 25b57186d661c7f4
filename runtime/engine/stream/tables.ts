// What streams of one kind share: the detectors whose findings may hold text back, compiled together, with what it takes to say at any
// moment which of their findings are still to come.

import { type Automaton, buildAutomaton } from "../automaton.ts";
import type { DetectorSpec } from "../detector.ts";
import { detectorOf } from "../detectors/catalog.ts";
import { LazyDfa } from "../dfa.ts";
import { gateFoldText, isSpaceUnit } from "../fold.ts";
import type { Gate } from "../literal.ts";
import { reads } from "../normalize.ts";
import type { Models, OpenEdge, PatternProbe, Phrase, Plan, Sweep, Trigger, WindowProbe } from "../plan.ts";
import { readProgram } from "../program.ts";
import { compileDetectors, type FormScanner } from "../scanner.ts";
import { type StreamPlan, streamPlan, type TriggerBounds } from "./bounds.ts";
import { leadUnits } from "./lead.ts";

/** A detector of a stream. */
export interface StreamJob {
  readonly key: string;
  readonly isWindowed: boolean;
  readonly reads: number;
  readonly settle: Plan["settle"];
}

/** A pattern, and the detector that wants it. */
export interface StreamPattern {
  readonly job: number;
  readonly probe: PatternProbe;
}

/** What a literal of the automaton is for. */
export interface StreamUses {
  readonly phrases: { readonly job: number; readonly phrase: Phrase }[];
  /** Numbers of triggers. */
  readonly triggers: number[];
  readonly gates: { readonly pattern: number; readonly gate: Gate }[];
}

/** What patterns of one detector may take before their literals. */
export interface LeadGroup {
  readonly job: number;
  /** By code unit; undefined when there is nothing before them. */
  readonly units: Uint8Array | undefined;
  /** In units of collapsed text when elastic; may be infinite. */
  readonly before: number;
  readonly isElastic: boolean;
  /** Whether `before` counts from the end of a literal, as long as any may be, and windows are all that depends on it. */
  readonly isWide: boolean;
}

/** Patterns without a literal that are searched together. */
export interface PatternGroup {
  readonly members: readonly number[];
  readonly isFolded: boolean;
  /** The most units that a match takes; infinite when that is not known. */
  readonly reach: number;
  readonly dfa: LazyDfa;
}

/** Which literals are under way in each state of the automaton, those of all states below it together. */
export interface StateMarks {
  readonly depth: Int32Array;
  /** Bits of detectors that have a phrase there which must begin a word, and of those that have any other. */
  readonly wordJobs: Int32Array;
  readonly anyJobs: Int32Array;
  /** Bits of lead groups. */
  readonly leads: Int32Array;
}

/** A trigger, and the detector that wants it. */
export interface StreamTriggerUse {
  readonly job: number;
  readonly trigger: Trigger;
  /** Undefined when the trigger says itself what is open. */
  readonly bounds: TriggerBounds | undefined;
  /** Which of the `opens` it has; -1 for none. */
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

/** Bits of a mask; what is numbered beyond shares them, which only makes a stream more careful. */
const bits = 31;
/** Everything but white space. */
const wordUnits = Uint8Array.from({ length: 65_536 }, (_, unit) => (isSpaceUnit(unit) ? 0 : 1));
const groupBytes = 4 * 2 ** 20;
const mostPatterns = 80;
/** Patterns with long beginnings need many states together. */
const fewPatterns = 8;
const mostInstructions = 8_000;

/** The bit of a detector or of a lead group. */
export function bitOf(index: number): number {
  return 1 << (index % bits);
}

/** Whether a stream can follow a detector; otherwise its findings are known at the end only. */
export function canFollow(spec: DetectorSpec, models: Models): boolean {
  const { definition, plan } = detectorOf(spec.use);
  if (definition.scope === "whole" || definition.costClass === "backend") return false;
  return streamPlan(spec, plan(spec.parameters, models)) !== undefined;
}

interface Followed {
  readonly spec: DetectorSpec;
  readonly isWindowed: boolean;
  readonly plan: StreamPlan;
}

function followed(spec: DetectorSpec, models: Models): Followed {
  const detector = detectorOf(spec.use);
  const plan = streamPlan(spec, detector.plan(spec.parameters, models));
  if (plan === undefined) throw new Error(`a stream cannot follow the detector "${spec.use}"`);
  return { spec, isWindowed: detector.definition.scope === "window", plan };
}

/** Compiles the tables for detectors that streams can follow. */
export function compileTables(specs: readonly DetectorSpec[], models: Models): StreamTables {
  const plans = specs.map((spec) => followed(spec, models));
  const patterns = plans.flatMap(({ plan }, job) => plan.patterns.map((probe) => ({ job, probe })));
  const { triggers, opens } = triggersOf(plans);
  const literals = new LiteralTable();
  plans.forEach(({ plan }, job) => {
    for (const phrase of plan.phrases) literals.usesOf(phrase.text).phrases.push({ job, phrase });
  });
  const leads = new LeadTable();
  for (const [index, { job, trigger, bounds }] of triggers.entries()) {
    literals.usesOf(trigger.literal).triggers.push(index);
    if (bounds !== undefined)
      leads.addTrigger(index, { job, units: wordUnits, before: bounds.lead, isElastic: false, isWide: false });
  }
  for (const [index, { job, probe }] of patterns.entries()) {
    if (isFree(probe)) continue;
    if (plans[job]?.isWindowed === true) leads.addWide(job, probe);
    else leads.add(index, job, probe);
    for (const gate of probe.pattern.gates) literals.usesOf(gate.literal).gates.push({ pattern: index, gate });
  }
  const automaton = buildAutomaton(literals.texts);
  const decoded = plans.filter(({ plan }) => (plan.reads & reads.decoded) !== 0).map(({ spec }) => spec);
  return {
    jobs: plans.map(({ spec, isWindowed, plan }) => ({
      ...{ key: spec.key, isWindowed, reads: plan.reads, settle: plan.settle },
    })),
    automaton,
    uses: literals.uses,
    patterns,
    leads: leads.groups,
    marks: markStates(automaton, literals.uses, leads),
    groups: groupsOf(patterns),
    triggers,
    opens,
    sweeps: plans.flatMap(({ plan }, job) => plan.sweeps.map((sweep) => ({ job, sweep }))),
    windows: plans.flatMap(({ plan }, job) => (plan.window === undefined ? [] : [{ job, probe: plan.window }])),
    decoded: decoded.length === 0 ? undefined : compileDetectors(decoded, { models }),
  };
}

function triggersOf(plans: readonly Followed[]): Pick<StreamTables, "triggers" | "opens"> {
  const opens: TriggerOpen[] = [];
  const triggers = plans.flatMap(({ plan }, job) =>
    plan.triggers.map(({ trigger, bounds }) => {
      const own = bounds === undefined ? trigger.open : undefined;
      if (own === undefined) return { job, trigger, bounds, open: -1 };
      const known = opens.findIndex((other) => other.job === job && other.open === own);
      return { job, trigger, bounds, open: known < 0 ? opens.push({ job, open: own }) - 1 : known };
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

class LeadTable {
  readonly groups: LeadGroup[] = [];
  readonly #groupOf = new Map<number, number>();
  readonly #groupOfTrigger = new Map<number, number>();
  readonly #wide = new Map<number, number>();

  add(pattern: number, job: number, { pattern: { gates, engine, elastic } }: PatternProbe): void {
    const before = Math.max(...gates.map((gate) => gate.before));
    const units = before === 0 ? undefined : leadUnits(readProgram(engine), gates);
    this.#groupOf.set(pattern, this.#indexOf({ job, units, before, isElastic: elastic, isWide: false }));
  }

  /** Windows are known long after their last unit, so nobody gains from knowing where a match within may have begun. */
  addWide(job: number, { pattern: { gates } }: PatternProbe): void {
    const most = Math.max(...gates.map(({ literal, before }) => literal.length + before));
    const index = this.#wide.get(job);
    const before = Math.max(most, this.groups[index ?? -1]?.before ?? 0);
    const group = { job, units: undefined, before, isElastic: true, isWide: true };
    if (index === undefined) this.#wide.set(job, this.groups.push(group) - 1);
    else this.groups[index] = group;
  }

  addTrigger(trigger: number, group: LeadGroup): void {
    this.#groupOfTrigger.set(trigger, this.#indexOf(group));
  }

  groupOfTrigger(trigger: number): number | undefined {
    return this.#groupOfTrigger.get(trigger);
  }

  #indexOf(group: LeadGroup): number {
    const { job, units, before, isElastic } = group;
    const known = this.groups.findIndex(
      (other) => other.job === job && other.units === units && other.before === before && other.isElastic === isElastic,
    );
    return known < 0 ? this.groups.push(group) - 1 : known;
  }

  groupOf(pattern: number): number {
    return this.#groupOf.get(pattern) ?? -1;
  }
}

function markStates({ states }: Automaton, uses: readonly StreamUses[], leads: LeadTable): StateMarks {
  const { count, childStart, own, groups } = states;
  const depth = new Int32Array(count);
  const marks = { wordJobs: new Int32Array(count), anyJobs: new Int32Array(count), leads: new Int32Array(count) };
  for (let state = 0; state < count; state++) {
    const end = childStart[state + 1] ?? 0;
    for (let child = childStart[state] ?? 0; child < end; child++) depth[child] = (depth[state] ?? 0) + 1;
  }
  // Breadth-first numbers: what is below a state comes behind it.
  for (let state = count - 1; state >= 0; state--) {
    const end = childStart[state + 1] ?? 0;
    for (let child = childStart[state] ?? 0; child < end; child++) {
      for (const mask of Object.values(marks)) mask[state] = (mask[state] ?? 0) | (mask[child] ?? 0);
      for (const literal of groups[own[child] ?? -1] ?? []) markLiteral(marks, state, uses[literal], leads);
    }
  }
  return { depth, ...marks };
}

// A literal is under way in the states before its last: there it has occurred.
function markLiteral(
  marks: Omit<StateMarks, "depth">,
  state: number,
  uses: StreamUses | undefined,
  leads: LeadTable,
): void {
  for (const { job, phrase } of uses?.phrases ?? []) {
    const mask = phrase.wholeWord ? marks.wordJobs : marks.anyJobs;
    mask[state] = (mask[state] ?? 0) | bitOf(job);
  }
  const groups = (uses?.gates ?? []).map(({ pattern }) => leads.groupOf(pattern));
  for (const trigger of uses?.triggers ?? []) groups.push(leads.groupOfTrigger(trigger) ?? -1);
  for (const group of groups) if (group >= 0) marks.leads[state] = (marks.leads[state] ?? 0) | bitOf(group);
}

function groupsOf(patterns: readonly StreamPattern[]): PatternGroup[] {
  const ungated = [...patterns.entries()].flatMap(([index, { probe }]) => (isFree(probe) ? [index] : []));
  const alike = Map.groupBy(ungated, (index) => {
    const { job, probe } = patterns[index] ?? {};
    return `${job}:${probe?.folded}:${probe?.pattern.elastic}:${probe?.pattern.gates.length === 0}`;
  });
  return [...alike.values()].flatMap((members) =>
    chunked(members, patterns).flatMap((few) => groupsOfFew(few, patterns)),
  );
}

// A match that may begin anywhere before its literal is under way long before that occurs, so the literal says nothing.
function isFree({ pattern: { gates, dfa } }: PatternProbe): boolean {
  return gates.length === 0 || (dfa !== undefined && gates.some(({ before }) => !Number.isFinite(before)));
}

function chunked(members: readonly number[], patterns: readonly StreamPattern[]): number[][] {
  const groups: number[][] = [];
  let size = Number.POSITIVE_INFINITY;
  for (const index of members) {
    const more = patterns[index]?.probe.pattern.programSize ?? 0;
    const open = groups.at(-1);
    const most = patterns[index]?.probe.pattern.gates.length === 0 ? mostPatterns : fewPatterns;
    if (open === undefined || open.length >= most || size + more > mostInstructions) {
      groups.push([index]);
      size = more;
    } else {
      open.push(index);
      size += more;
    }
  }
  return groups;
}

// Each alone has an automaton; together they may tell too many characters apart for one.
function groupsOfFew(members: readonly number[], patterns: readonly StreamPattern[]): PatternGroup[] {
  const probes = members.flatMap((index) => patterns[index]?.probe ?? []);
  const memory = { mostBytes: groupBytes, ownBytes: groupBytes, shared: { leftBytes: 0 } };
  const programs = probes.map(({ pattern }) => readProgram(pattern.engine));
  const dfa = LazyDfa.of(programs, memory);
  if (dfa === undefined) {
    const half = Math.ceil(members.length / 2);
    return [members.slice(0, half), members.slice(half)].flatMap((few) => groupsOfFew(few, patterns));
  }
  const isElastic = probes.some(({ pattern }) => pattern.elastic);
  const reach = isElastic ? Number.POSITIVE_INFINITY : Math.max(...probes.map(({ pattern }) => pattern.maxLength));
  return [{ members, isFolded: probes.some(({ folded }) => folded), reach, dfa }];
}
