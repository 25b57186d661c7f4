// Compares rules with what was counted, once for each minute. A window ends at the full minute before last, when its
// evaluations have been folded; later records never change what was compared. An organization's minute is one
// transaction: states, alerts, events and mails are all there, or none of them is.

import type { Logger } from "../../kit/observability/log.ts";
import { newId } from "../../kit/process/id.ts";
import {
  countLosses,
  countOutcomes,
  countRules,
  type PlacedCounts,
  readLatencies,
} from "../../store/alert/alert-counts.ts";
import { type PlacedFact, readFacts } from "../../store/alert/alert-facts.ts";
import {
  AlertGroupRow,
  type AlertMetric,
  type AlertRow,
  type AlertRuleRow,
  type Compared,
  countFailure,
  findAlerts,
  type GroupState,
  listAlertGroups,
  listEnabledRules,
  lookUpAlerted,
  restartRules,
  tryLockAlerts,
  turnRulesBack,
  writeCompared,
} from "../../store/alert/alert-rule.ts";
import type { Database } from "../../store/connection/database.ts";
import type { Transaction } from "../../store/core/transaction.ts";
import { enqueueJob } from "../job.ts";
import { alertFailureMail } from "../mail/mail.ts";
import type { StatFold } from "../telemetry/stat-fold.ts";
import { mailAdmins } from "./alert.ts";
import { type ComparedWindow, closeAlert, openAlert, type Tale, type Telling, taleOfOpen, tellAll } from "./episode.ts";
import {
  type AnyFactMetric,
  isFact,
  isFormerGroup,
  type Measured,
  type OpenGroups,
  sourceOf,
  valuesOfCounts,
  valuesOfFacts,
  valuesOfLatencies,
  valuesOfRules,
  windowOf,
} from "./metric.ts";
import { furtherBeyond, isOpen, moreUrgent, nextStanding, quiet } from "./state.ts";

const minuteMs = 60_000;
/** Minutes that are made up for after an interruption; what came before them is left out. */
export const maxMissedMinutes = 15;
/** A rule that is further ahead was compared by a clock that was wrong. */
const maxAheadMs = 5 * minuteMs;
/** Failed evaluations after which rules are in the state `error`, and owners are told. */
export const failuresUntilError = 3;
/** Organizations that one job evaluates. */
export const organizationsOfOneJob = 100;

/** What an evaluation did. */
export interface AlertsEvaluated {
  readonly rules: number;
  readonly failed: number;
  readonly durationMs: number;
  /** Age of the oldest window that had ended and was not compared yet when the evaluation of its organization began. */
  readonly lagMs: number;
}

/** Reads how much of the plan is used, in percent; undefined without a limit. */
export type PlanUsageReader = (tx: Transaction) => Promise<number | undefined>;

/** What evaluations are built from. */
export interface AlertEvaluationParts extends Telling {
  readonly statFold: Pick<StatFold, "fold">;
  readonly readPlanUsage: PlanUsageReader;
  readonly log: Logger;
  /** How many organizations one job evaluates. Others than the default are for tests. */
  readonly organizationsAtOnce?: number;
}

/** Evaluates the rules of all organizations. */
export class AlertEvaluation {
  readonly #database: Database;
  readonly #parts: AlertEvaluationParts;

  constructor(database: Database, parts: AlertEvaluationParts) {
    this.#database = database;
    this.#parts = parts;
  }

  /**
   * Compares every rule with the windows that have ended since it was compared: those of the first hundred
   * organizations at once, those of each further hundred by a job of their own.
   */
  async evaluateAll(now: Date): Promise<AlertsEvaluated> {
    const atOnce = this.#parts.organizationsAtOnce ?? organizationsOfOneJob;
    const orgIds = (await lookUpAlerted(this.#database)).map(({ org_id: orgId }) => orgId);
    for (let from = atOnce; from < orgIds.length; from += atOnce) {
      const some = orgIds.slice(from, from + atOnce);
      // A job that still waits from the minute before is replaced: it would do the same.
      const key = `evaluate-alerts/${from / atOnce}`;
      // The job belongs to no organization; its transaction has to name one.
      await this.#database.systemTransaction(newId(), (tx) =>
        enqueueJob(tx, "evaluate-alerts-of", { org_ids: some }, { key }),
      );
    }
    return this.evaluateThese(orgIds.slice(0, atOnce), now);
  }

  /** The same for some organizations. */
  async evaluateThese(orgIds: readonly string[], now: Date): Promise<AlertsEvaluated> {
    const startedMs = performance.now();
    let rules = 0;
    let failed = 0;
    let lagMs = 0;
    for (const orgId of orgIds) {
      try {
        const done = await this.evaluate(orgId, now);
        rules += done.rules;
        lagMs = Math.max(lagMs, done.lagMs);
      } catch (err) {
        // One organization never keeps the others from being told.
        this.#parts.log.error({ err, orgId }, "the alert rules of an organization could not be evaluated");
        failed += 1;
        await this.#recordFailure(orgId);
      }
    }
    return { rules, failed, lagMs, durationMs: performance.now() - startedMs };
  }

  /** Counts the failure. Owners are told once, when it is the third in a row. */
  async #recordFailure(orgId: string): Promise<void> {
    try {
      await this.#database.systemTransaction(orgId, async (tx) => {
        if ((await countFailure(tx, failuresUntilError)) === 0) return;
        await mailAdmins(tx, this.#parts.mailer, alertFailureMail, { onlyOwners: true });
      });
    } catch (err) {
      this.#parts.log.error({ err, orgId }, "a failed evaluation of alert rules could not be recorded");
    }
  }

  /** The same for one organization. */
  async evaluate(orgId: string, now: Date): Promise<Pick<AlertsEvaluated, "rules" | "lagMs">> {
    await this.#parts.statFold.fold(orgId);
    const lastMs = lastWindowEnd(now);
    let lagMs = 0;
    for (;;) {
      const minute = await this.#database.systemTransaction(orgId, (tx) => this.#minute(tx, lastMs));
      const { rules, comparedMs, isDone } = minute;
      if (comparedMs !== undefined) lagMs = Math.max(lagMs, now.getTime() - comparedMs);
      if (isDone) return { rules, lagMs };
    }
  }

  // The next minute that any rule lacks.
  async #minute(
    tx: Transaction,
    lastMs: number,
  ): Promise<{ readonly rules: number; readonly comparedMs?: number; readonly isDone: boolean }> {
    if (!(await tryLockAlerts(tx))) return { rules: 0, isDone: true };
    const rules = await listEnabledRules(tx);
    await this.#setClocks(tx, rules, lastMs);
    const nextMs = Math.min(...rules.map(({ evaluatedUntil }) => evaluatedUntil.getTime())) + minuteMs;
    if (!(nextMs <= lastMs)) return { rules: rules.length, isDone: true };
    const due = rules.filter(({ evaluatedUntil }) => evaluatedUntil.getTime() < nextMs);
    await this.#compare(tx, due, new Date(nextMs));
    return { rules: rules.length, comparedMs: nextMs, isDone: nextMs >= lastMs };
  }

  async #setClocks(tx: Transaction, rules: readonly AlertRuleRow[], lastMs: number): Promise<void> {
    const earliest = new Date(lastMs - maxMissedMinutes * minuteMs);
    const last = new Date(lastMs);
    const late = rules.filter(({ evaluatedUntil }) => evaluatedUntil < earliest);
    const early = rules.filter(({ evaluatedUntil }) => evaluatedUntil.getTime() > lastMs + maxAheadMs);
    for (const rule of late) rule.evaluatedUntil = earliest;
    for (const rule of early) {
      rule.evaluatedUntil = last;
      if (rule.lastMailedAt != null && rule.lastMailedAt > last) rule.lastMailedAt = last;
    }
    if (late.length > 0) await restartRules(tx, idsOf(late), earliest);
    if (early.length > 0) await turnRulesBack(tx, idsOf(early), last);
  }

  async #compare(tx: Transaction, rules: readonly AlertRuleRow[], until: Date): Promise<void> {
    const measure = new Measurement(tx, until, this.#parts.readPlanUsage);
    const groups = Map.groupBy(await listAlertGroups(tx), ({ ruleId }) => ruleId);
    const ids = [...groups.values()].flat().flatMap(({ alertId }) => alertId ?? []);
    const alerts = new Map((await findAlerts(tx, ids)).map((alert) => [alert.id, alert]));
    const compared: Compared[] = [];
    const tales: Tale[] = [];
    for (const rule of rules) {
      const present = new Map((groups.get(rule.id) ?? []).map((group) => [group.groupKey, group]));
      const values = await measure.values(rule, new Set(present.keys()));
      compared.push(this.#advance(tx, rule, { values, present, alerts, until, tales }));
    }
    await tellAll(tx, this.#parts, tales);
    await tx.em.flush();
    await writeCompared(tx, until, compared);
  }

  #advance(tx: Transaction, rule: AlertRuleRow, { values, present, alerts, until, tales }: Minute): Compared {
    let state: GroupState = "ok";
    let value: number | null = null;
    for (const key of new Set([...values.keys(), ...present.keys()])) {
      const group = present.get(key);
      const window: ComparedWindow = { until, ...(values.get(key) ?? measuredNothing(rule)) };
      const before =
        group === undefined
          ? { ...quiet, state: rule.groupBy == null && rule.state === "no_data" ? ("no_data" as const) : quiet.state }
          : { state: group.state, sinceMs: group.since.getTime() };
      const isFormer = isFormerGroup(rule, key);
      const next = isFormer ? quiet : nextStanding(rule, before, until.getTime(), window.value);
      const tale = this.#settle(tx, rule, { group, key, next, alerts, window });
      if (tale !== undefined) tales.push(tale);
      if (moreUrgent(next.state, state) === next.state && next.state !== state) value = window.value ?? null;
      else if (next.state === state) value = furtherBeyond(rule.operator, value, window.value);
      state = moreUrgent(state, next.state);
    }
    return { ruleId: rule.id, state, value };
  }

  #settle(tx: Transaction, rule: AlertRuleRow, { group, key, next, alerts, window }: Settled): Tale | undefined {
    let alert = group?.alertId == null ? undefined : alerts.get(group.alertId);
    if (!isOpen(next.state) && next.state !== "pending") {
      if (group !== undefined) tx.em.remove(group);
      return alert === undefined ? undefined : closeAlert(tx, rule, alert, window);
    }
    if (isOpen(next.state)) alert ??= openAlert(tx, rule, key, window);
    const standing = { state: next.state, since: new Date(next.sinceMs), alertId: alert?.id ?? null };
    if (group === undefined) {
      // The alert comes first: the flush that follows writes both.
      tx.em.create(AlertGroupRow, { orgId: tx.orgId, ruleId: rule.id, groupKey: key, ...standing });
    } else Object.assign(group, standing);
    return alert === undefined || !isOpen(next.state) ? undefined : taleOfOpen(tx, rule, alert, window);
  }
}

function idsOf(rules: readonly AlertRuleRow[]): string[] {
  return rules.map(({ id }) => id);
}

interface Minute {
  readonly values: ReadonlyMap<string, Measured>;
  readonly present: ReadonlyMap<string, AlertGroupRow>;
  readonly alerts: ReadonlyMap<string, AlertRow>;
  readonly until: Date;
  /** What there is to tell, in the order in which it was found. */
  readonly tales: Tale[];
}

interface Settled {
  readonly group: AlertGroupRow | undefined;
  readonly key: string;
  readonly next: ReturnType<typeof nextStanding>;
  readonly alerts: ReadonlyMap<string, AlertRow>;
  readonly window: ComparedWindow;
}

// A group that was there and has no evaluations in this window.
function measuredNothing(rule: AlertRuleRow): Measured {
  const whole = { ...rule, groupBy: null, filter: {} };
  if (rule.metric === "latency_p95_ms") return { value: undefined, samples: 0 };
  const [measured] = (isFact(rule.metric) ? valuesOfFacts(whole, []) : valuesOfCounts(whole, [])).values();
  return measured ?? { value: undefined, samples: 0 };
}

const counters = { losses: countLosses, outcomes: countOutcomes, rules: countRules };

/** End of the last window at this moment: the full minute before last. */
export function lastWindowEnd(now: Date): number {
  return (Math.floor(now.getTime() / minuteMs) - 1) * minuteMs;
}

/** What was counted in the windows that end at one moment, each read once for all rules of an organization. */
export class Measurement {
  readonly #tx: Transaction;
  readonly #until: Date;
  readonly #readPlanUsage: PlanUsageReader;
  readonly #counts = new Map<string, Promise<PlacedCounts[]>>();
  readonly #facts = new Map<string, Promise<PlacedFact[]>>();

  constructor(tx: Transaction, until: Date, readPlanUsage: PlanUsageReader) {
    this.#tx = tx;
    this.#readPlanUsage = readPlanUsage;
    this.#until = until;
  }

  /** The values of the rule's groups: of those with the most evaluations, and of open ones. */
  async values(rule: AlertRuleRow, open?: OpenGroups): Promise<Map<string, Measured>> {
    const { windowMinutes } = rule;
    switch (sourceOf(rule)) {
      case "facts":
        return valuesOfFacts(rule, await this.#read(rule.metric, windowMinutes), open);
      case "rules": {
        const counted = await this.#counted("rules", windowMinutes);
        return valuesOfRules(rule, counted, await this.#counted("outcomes", windowMinutes), open);
      }
      case "losses":
        return valuesOfCounts(rule, await this.#counted("losses", windowMinutes), open);
      case "outcomes":
        return valuesOfCounts(rule, await this.#counted("outcomes", windowMinutes), open);
      case "latencies": {
        const latencies = await readLatencies(this.#tx, this.#window(windowMinutes));
        return valuesOfLatencies(rule, latencies, await this.#counted("outcomes", windowMinutes), open);
      }
    }
  }

  #read(metric: AlertMetric, minutes: number): Promise<PlacedFact[]> {
    if (!isFact(metric)) throw new Error(`${metric} is counted`);
    const key = `${metric} ${minutes}`;
    const known = this.#facts.get(key);
    if (known !== undefined) return known;
    const facts = this.#factsOf(metric, minutes);
    this.#facts.set(key, facts);
    return facts;
  }

  #factsOf(metric: AnyFactMetric, minutes: number): Promise<PlacedFact[]> {
    return metric === "plan_usage_percent"
      ? this.#planUsage()
      : readFacts(this.#tx, metric, windowOf(metric, minutes, this.#until));
  }

  async #planUsage(): Promise<PlacedFact[]> {
    const percent = await this.#readPlanUsage(this.#tx);
    return percent === undefined
      ? []
      : [{ projectId: "", environment: "", policy: "", ruleId: "", part: percent, whole: 100 }];
  }

  #counted(of: keyof typeof counters, minutes: number): Promise<PlacedCounts[]> {
    const key = `${of} ${minutes}`;
    const known = this.#counts.get(key);
    if (known !== undefined) return known;
    const window = this.#window(minutes);
    const counted = counters[of](this.#tx, window);
    this.#counts.set(key, counted);
    return counted;
  }

  #window(minutes: number) {
    return { since: new Date(this.#until.getTime() - minutes * minuteMs), until: this.#until };
  }
}
