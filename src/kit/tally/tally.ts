// Counts evaluations: records in, one Tally out (policy/v1/tally.proto says what each count means). Adding two tallies
// gives the tally of all their records.

import { create, type MessageInitShape } from "@bufbuild/protobuf";
import type { Finding } from "../../../gen/policyguard/policy/v1/evaluation_pb.ts";
import { FailMode, Mode, type Outcome, type Stage } from "../../../gen/policyguard/policy/v1/outcome_pb.ts";
import type { EvaluationRecord } from "../../../gen/policyguard/policy/v1/record_pb.ts";
import { type Tally, type TallyMinuteSchema, TallySchema } from "../../../gen/policyguard/policy/v1/tally_pb.ts";
import { LatencyHistogram } from "./latency-histogram.ts";

const minuteMs = 60_000;

/** One loss is counted as at most so many evaluations, so that no sum overflows whatever a runtime claims. */
const maxLoss = 1e12;

/** What a record does not say of its evaluation. */
export interface TallyFacts {
  readonly createdAtMs: number;
  /** The agent's key; empty without an agent. The record may have the agent's id instead. */
  readonly agent: string;
  /** The plan's allowance does not cover it. */
  readonly isOverage: boolean;
}

/** The whole minutes since 1970 of a moment. */
export function minuteOf(momentMs: number): number {
  return Math.floor(momentMs / minuteMs);
}

/** Counts evaluations and losses. */
export class TallyBuilder {
  readonly #minutes = new Map<number, MinuteCounts>();

  /** Nothing was counted. */
  get isEmpty(): boolean {
    return this.#minutes.size === 0;
  }

  /** Different keys that were counted so far, which the size of the message follows. */
  get cells(): number {
    let cells = 0;
    for (const counts of this.#minutes.values()) cells += counts.cells;
    return cells;
  }

  /** Counts an evaluation. */
  add(record: EvaluationRecord, facts: TallyFacts): void {
    this.#minute(facts.createdAtMs).add(record, facts);
  }

  /** Counts evaluations that are lost; they belong to the minute in which that became known. */
  addLoss(momentMs: number, reason: string, evaluations: number): void {
    this.#minute(momentMs).addLoss(reason, evaluations);
  }

  /** What was counted so far. */
  toTally(): Tally {
    return create(TallySchema, {
      minutes: [...this.#minutes].map(([minute, counts]) => counts.toMessage(minute)),
    });
  }

  #minute(momentMs: number): MinuteCounts {
    const minute = minuteOf(momentMs);
    let counts = this.#minutes.get(minute);
    if (counts === undefined) {
      counts = new MinuteCounts();
      this.#minutes.set(minute, counts);
    }
    return counts;
  }
}

interface EvaluationCell {
  readonly agent: string;
  readonly stage: Stage;
  readonly language: string;
  readonly outcome: Outcome;
  readonly wouldBeOutcome: Outcome;
  evaluations: number;
  unjudged: number;
  failOpen: number;
  exempted: number;
  overage: number;
}

interface RuleCell {
  readonly policy: string;
  readonly rule: string;
  readonly detector: string;
  readonly stage: Stage;
  readonly mode: Mode;
  readonly action: Outcome;
  traces: number;
  detectorTraces: number;
  findings: number;
  decided: number;
}

class MinuteCounts {
  readonly #evaluations = new Map<string, EvaluationCell>();
  readonly #rules = new Map<string, RuleCell>();
  readonly #latencies = new Map<string, { agent: string; stage: Stage; histogram: LatencyHistogram }>();
  readonly #unjudged = new Map<string, { detector: string; reason: string; onError: FailMode; traces: number }>();
  readonly #versions = new Map<string, { bundleVersion: number; outcome: Outcome; evaluations: number }>();
  readonly #losses = new Map<string, number>();

  get cells(): number {
    const maps = [this.#evaluations, this.#rules, this.#latencies, this.#unjudged, this.#versions, this.#losses];
    return maps.reduce((sum, { size }) => sum + size, 0);
  }

  add(record: EvaluationRecord, { agent, isOverage }: TallyFacts): void {
    const { stage, outcome } = record;
    const cell = this.#evaluationCell(record, agent);
    cell.evaluations += 1;
    if (isOverage) cell.overage += 1;
    if (record.findings.some((finding) => finding.exemptedBy !== undefined)) cell.exempted += 1;
    if (record.unjudged.length > 0) {
      cell.unjudged += 1;
      if (record.unjudged.some(({ onError }) => onError === FailMode.FAIL_OPEN)) cell.failOpen += 1;
      this.#addUnjudged(record);
    }
    const latencyKey = `${stage} ${agent}`;
    const latency = obtain(this.#latencies, latencyKey, () => ({ agent, stage, histogram: new LatencyHistogram() }));
    latency.histogram.add(record.latencyUs);
    const bundleVersion = record.bundle?.version ?? 0;
    const version = obtain(this.#versions, `${bundleVersion} ${outcome}`, () => ({
      bundleVersion,
      outcome,
      evaluations: 0,
    }));
    version.evaluations += 1;
    if (record.findings.length > 0 || record.decidedByRule !== "") this.#addFindings(record);
  }

  addLoss(reason: string, evaluations: number): void {
    this.#losses.set(reason, (this.#losses.get(reason) ?? 0) + Math.min(evaluations, maxLoss));
  }

  toMessage(minute: number): MessageInitShape<typeof TallyMinuteSchema> {
    return {
      minute,
      evaluations: [...this.#evaluations.values()],
      rules: [...this.#rules.values()],
      latencies: [...this.#latencies.values()].map(({ agent, stage, histogram }) => ({
        agent,
        stage,
        buckets: histogram.toBytes(),
      })),
      unjudged: [...this.#unjudged.values()],
      versions: [...this.#versions.values()],
      losses: [...this.#losses].map(([reason, evaluations]) => ({ reason, evaluations })),
    };
  }

  #evaluationCell({ stage, language, outcome, wouldBeOutcome }: EvaluationRecord, agent: string): EvaluationCell {
    // An agent's key has no blanks, so the language may have any.
    const key = `${stage} ${outcome} ${wouldBeOutcome} ${agent} ${language}`;
    return obtain(this.#evaluations, key, () => ({
      ...{ agent, stage, language, outcome, wouldBeOutcome },
      ...{ evaluations: 0, unjudged: 0, failOpen: 0, exempted: 0, overage: 0 },
    }));
  }

  #addUnjudged({ unjudged }: EvaluationRecord): void {
    const seen = new Set<string>();
    for (const { detector, reason, onError } of unjudged) {
      const key = `${onError}\0${detector}\0${reason}`;
      if (seen.has(key)) continue;
      seen.add(key);
      obtain(this.#unjudged, key, () => ({ detector, reason, onError, traces: 0 })).traces += 1;
    }
  }

  #addFindings({ findings, stage, outcome, decidedByRule, decidedByPolicy }: EvaluationRecord): void {
    const rules = new Set<string>();
    const detectors = new Set<string>();
    let decided = decidedByRule === "" ? undefined : `${decidedByPolicy}\0${decidedByRule}`;
    for (const finding of findings) {
      const cell = this.#ruleCell(finding, stage);
      cell.findings += 1;
      const rule = `${finding.policy}\0${finding.ruleId}`;
      if (!rules.has(rule)) {
        rules.add(rule);
        cell.traces += 1;
        if (rule === decided) {
          cell.decided += 1;
          decided = undefined;
        }
      }
      if (detectors.has(finding.detector)) continue;
      detectors.add(finding.detector);
      cell.detectorTraces += 1;
    }
    if (decided === undefined) return;
    // A rule that could not be judged decides without a finding, when it fails closed.
    const without = {
      policy: decidedByPolicy,
      ruleId: decidedByRule,
      detector: "",
      mode: Mode.ENFORCE,
      action: outcome,
    };
    this.#ruleCell(without, stage).decided += 1;
  }

  #ruleCell(
    { policy, ruleId, detector, mode, action }: Pick<Finding, "policy" | "ruleId" | "detector" | "mode" | "action">,
    stage: Stage,
  ): RuleCell {
    return obtain(this.#rules, `${stage} ${mode} ${action}\0${policy}\0${ruleId}\0${detector}`, () => ({
      ...{ policy, rule: ruleId, detector, stage, mode, action },
      ...{ traces: 0, detectorTraces: 0, findings: 0, decided: 0 },
    }));
  }
}

/** The value of the key, made when there is none. */
function obtain<Value>(map: Map<string, Value>, key: string, make: () => Value): Value {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}
