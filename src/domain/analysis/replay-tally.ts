// Counts of replayed traces. They are plain sums, so that a run adds up its steps in any division.

import { Outcome, type Stage } from "../../../gen/policyguard/policy/v1/outcome_pb.ts";
import type { EvaluationRecord } from "../../../gen/policyguard/policy/v1/record_pb.ts";
import type { OutcomeRange, Replayed } from "../../../runtime/engine/replay/replay.ts";
import { agreementsOf, type MarkCounts, type MarkName, type TraceMark } from "./replay-marks.ts";

/** Agents that are counted by name, and rules; those that are met first. */
const maxAgents = 200;
const maxRules = 2_000;

/** Counts of traces of one kind. */
export type GroupCounts = Record<"traces" | "bounded" | "changed" | "newlyBlocked" | "newlyAllowed", number>;
/** Counts of traces in which one rule matched or matches. */
export type RuleCounts = Record<"was" | "matches" | "mayMatch" | "newlyBlocked" | "newlyAllowed", number>;

/** Traces of one stratum of the sample that had and have the same outcomes. */
export type ReplayCell = {
  readonly stratum: number;
  readonly was: Outcome;
  readonly least: Outcome;
  readonly most: Outcome;
  readonly traces: number;
};

/** The counts as plain data. */
export type TallyData = {
  readonly cells: ReplayCell[];
  readonly stages: [Stage, GroupCounts][];
  /** By key, "" for traces without an agent. */
  readonly agents: [string, GroupCounts][];
  readonly otherAgents: GroupCounts;
  /** By policy and rule. */
  readonly rules: [[string, string], RuleCounts][];
  readonly reasons: [string, number][];
  readonly readText: number;
  /** What annotators say; undefined in the report of a run that an earlier version worked on. */
  readonly marks?: [MarkName, MarkCounts][];
};

/** One trace with its replay. */
export interface TalliedTrace {
  readonly record: EvaluationRecord;
  /** The part of the sample that it belongs to. */
  readonly stratum: number;
  readonly replayed: Replayed;
  /** What annotators have settled of it. */
  readonly marks: readonly TraceMark[];
}

/** How outcomes differ, as far as it is sure. */
export interface ReplayDifference {
  readonly isBounded: boolean;
  readonly isChanged: boolean;
  readonly isNewlyBlocked: boolean;
  readonly isNewlyAllowed: boolean;
}

/** How the outcomes of a replay differ from the one that was. */
export function differenceOf(was: Outcome, { least, most }: OutcomeRange): ReplayDifference {
  return {
    isBounded: least !== most,
    isChanged: was < least || was > most,
    isNewlyBlocked: was !== Outcome.BLOCK && least === Outcome.BLOCK,
    isNewlyAllowed: was === Outcome.BLOCK && most !== Outcome.BLOCK,
  };
}

/** Adds up what replays have found. */
export class ReplayTally {
  readonly #cells = new Map<string, ReplayCell>();
  readonly #stages = new Map<Stage, GroupCounts>();
  readonly #agents = new Map<string, GroupCounts>();
  readonly #otherAgents: GroupCounts = noneOfGroup();
  readonly #rules = new Map<string, RuleCounts>();
  readonly #reasons = new Map<string, number>();
  readonly #marks = new Map<MarkName, MarkCounts>();
  #readText = 0;

  constructor(data?: TallyData) {
    if (data !== undefined) this.addAll(data);
  }

  /** Adds one trace. */
  add({ record, stratum, replayed, marks }: TalliedTrace): void {
    const { range, rules, reasons, decidedBy, usedText } = replayed;
    const { outcome: was, stage, agentId, decidedByRule, decidedByPolicy } = record;
    const { isBounded, isChanged, isNewlyBlocked, isNewlyAllowed } = differenceOf(was, range);
    this.#addCell({ stratum, was, ...range, traces: 1 });
    const counts = {
      traces: 1,
      bounded: Number(isBounded),
      changed: Number(isChanged),
      newlyBlocked: Number(isNewlyBlocked),
      newlyAllowed: Number(isNewlyAllowed),
    };
    add(counted(this.#stages, stage, noneOfGroup), counts);
    add(this.#agent(agentId), counts);
    for (const reason of reasons) this.#addReason(reason, 1);
    for (const { policy, ruleId, was: matched, match } of rules) {
      if (matched === "no" && match === "no") continue;
      this.#addRule([policy, ruleId], {
        was: Number(matched === "yes"),
        matches: Number(match === "yes"),
        mayMatch: Number(match === "unknown"),
      });
    }
    if (isNewlyBlocked && decidedBy !== undefined)
      this.#addRule([decidedBy.policy, decidedBy.ruleId], { newlyBlocked: 1 });
    if (isNewlyAllowed) this.#addRule([decidedByPolicy, decidedByRule], { newlyAllowed: 1 });
    for (const { name, agrees } of agreementsOf(marks, record, replayed)) {
      const answer = { yes: "agrees", no: "disagrees", unknown: "unknown" } as const;
      add(counted(this.#marks, name, noneOfMark), { marked: 1, [answer[agrees]]: 1 });
    }
    this.#readText += Number(usedText);
  }

  /** Adds what was counted elsewhere. */
  addAll({ cells, stages, agents, otherAgents, rules, reasons, readText, marks = [] }: TallyData): void {
    for (const cell of cells) this.#addCell(cell);
    for (const [stage, counts] of stages) add(counted(this.#stages, stage, noneOfGroup), counts);
    for (const [agent, counts] of agents) add(this.#agent(agent), counts);
    add(this.#otherAgents, otherAgents);
    for (const [rule, counts] of rules) this.#addRule(rule, counts);
    for (const [reason, traces] of reasons) this.#addReason(reason, traces);
    for (const [name, counts] of marks) add(counted(this.#marks, name, noneOfMark), counts);
    this.#readText += readText;
  }

  /** The counts as plain data. */
  get data(): TallyData {
    return {
      cells: [...this.#cells.values()],
      stages: [...this.#stages],
      agents: [...this.#agents],
      otherAgents: this.#otherAgents,
      rules: [...this.#rules].map(([key, counts]) => [JSON.parse(key) as [string, string], counts]), // written below
      reasons: [...this.#reasons],
      readText: this.#readText,
      marks: [...this.#marks],
    };
  }

  #addCell(cell: ReplayCell): void {
    const key = [cell.stratum, cell.was, cell.least, cell.most].join("/");
    const traces = (this.#cells.get(key)?.traces ?? 0) + cell.traces;
    this.#cells.set(key, { ...cell, traces });
  }

  #agent(key: string): GroupCounts {
    if (!this.#agents.has(key) && this.#agents.size >= maxAgents) return this.#otherAgents;
    return counted(this.#agents, key, noneOfGroup);
  }

  #addRule(rule: readonly [string, string], counts: Partial<RuleCounts>): void {
    const key = JSON.stringify(rule);
    if (!this.#rules.has(key) && this.#rules.size >= maxRules) return;
    add(counted(this.#rules, key, noneOfRule), counts);
  }

  #addReason(reason: string, traces: number): void {
    this.#reasons.set(reason, (this.#reasons.get(reason) ?? 0) + traces);
  }
}

function noneOfGroup(): GroupCounts {
  return { traces: 0, bounded: 0, changed: 0, newlyBlocked: 0, newlyAllowed: 0 };
}

/** Nothing with a mark. */
export function noneOfMark(): MarkCounts {
  return { marked: 0, agrees: 0, disagrees: 0, unknown: 0 };
}

function noneOfRule(): RuleCounts {
  return { was: 0, matches: 0, mayMatch: 0, newlyBlocked: 0, newlyAllowed: 0 };
}

function counted<Key, Counts>(all: Map<Key, Counts>, key: Key, none: () => Counts): Counts {
  const known = all.get(key);
  if (known !== undefined) return known;
  const made = none();
  all.set(key, made);
  return made;
}

function add<Name extends string>(to: Record<Name, number>, counts: Partial<Record<Name, number>>): void {
  for (const name of Object.keys(counts) as Name[]) to[name] += counts[name] ?? 0; // its own names
}
