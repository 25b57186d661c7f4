// Compares rules with what was counted, once for each minute. A window ends at the full minute before last, when its
// evaluations have been folded; later records never change what was compared. An organization's minute is one
// transaction: states, alerts, events and mails are all there, or none of them is.

import type { Logger } from "../../kit/observability/log.ts";
import { countLosses, countOutcomes, type PlacedCounts, readLatencies } from "../../store/alert/alert-counts.ts";
import {
  AlertGroupRow,
  type AlertRow,
  type AlertRuleRow,
  type Compared,
  findAlerts,
  listAlertGroups,
  listEnabledRules,
  lookUpAlerted,
  restartRules,
  tryLockAlerts,
  writeCompared,
} from "../../store/alert/alert-rule.ts";
import type { Database } from "../../store/connection/database.ts";
import type { Transaction } from "../../store/core/transaction.ts";
import type { TransactionalMailer } from "../mail/mail.ts";
import type { StatFold } from "../telemetry/stat-fold.ts";
import { type ComparedWindow, closeAlert, openAlert, tellOpen } from "./episode.ts";
import { type Measured, sourceOf, valuesOfCounts, valuesOfLatencies } from "./metric.ts";
import { furtherBeyond, isOpen, moreUrgent, nextStanding, quiet } from "./state.ts";

const minuteMs = 60_000;
/** Minutes that are made up for after an interruption; what came before them is left out. */
export const maxMissedMinutes = 15;
/** A rule that is further ahead was compared by a clock that was wrong. */
const maxAheadMs = 5 * minuteMs;

/** What an evaluation did. */
export interface AlertsEvaluated {
  readonly rules: number;
  readonly failed: number;
  readonly durationMs: number;
}

/** What evaluations are built from. */
export interface AlertEvaluationParts {
  readonly statFold: Pick<StatFold, "fold">;
  readonly mailer: TransactionalMailer | undefined;
  readonly log: Logger;
}

/** Evaluates the rules of all organizations. */
export class AlertEvaluation {
  readonly #database: Database;
  readonly #parts: AlertEvaluationParts;

  constructor(database: Database, parts: AlertEvaluationParts) {
    this.#database = database;
    this.#parts = parts;
  }

  /** Compares every rule with the windows that have ended since it was compared. */
  async evaluateAll(now: Date): Promise<AlertsEvaluated> {
    const startedMs = performance.now();
    let rules = 0;
    let failed = 0;
    for (const { org_id: orgId } of await lookUpAlerted(this.#database)) {
      try {
        rules += await this.evaluate(orgId, now);
      } catch (err) {
        // One organization never keeps the others from being told.
        this.#parts.log.error({ err, orgId }, "the alert rules of an organization could not be evaluated");
        failed += 1;
      }
    }
    return { rules, failed, durationMs: performance.now() - startedMs };
  }

  /** The same for one organization. Returns how many rules there are. */
  async evaluate(orgId: string, now: Date): Promise<number> {
    await this.#parts.statFold.fold(orgId);
    const lastMs = lastWindowEnd(now);
    for (;;) {
      const { rules, isDone } = await this.#database.systemTransaction(orgId, (tx) => this.#minute(tx, lastMs));
      if (isDone) return rules;
    }
  }

  // The next minute that any rule lacks.
  async #minute(tx: Transaction, lastMs: number): Promise<{ readonly rules: number; readonly isDone: boolean }> {
    if (!(await tryLockAlerts(tx))) return { rules: 0, isDone: true };
    const rules = await listEnabledRules(tx);
    await this.#setClocks(tx, rules, lastMs);
    const nextMs = Math.min(...rules.map(({ evaluatedUntil }) => evaluatedUntil.getTime())) + minuteMs;
    if (!(nextMs <= lastMs)) return { rules: rules.length, isDone: true };
    const due = rules.filter(({ evaluatedUntil }) => evaluatedUntil.getTime() < nextMs);
    await this.#compare(tx, due, new Date(nextMs));
    return { rules: rules.length, isDone: nextMs >= lastMs };
  }

  async #setClocks(tx: Transaction, rules: readonly AlertRuleRow[], lastMs: number): Promise<void> {
    const earliestMs = lastMs - maxMissedMinutes * minuteMs;
    const moved = (from: number, isMeant: (ms: number) => boolean) => {
      const found = rules.filter(({ evaluatedUntil }) => isMeant(evaluatedUntil.getTime()));
      for (const rule of found) rule.evaluatedUntil = new Date(from);
      return found.length === 0
        ? Promise.resolve()
        : restartRules(
            tx,
            found.map(({ id }) => id),
            new Date(from),
          );
    };
    await moved(earliestMs, (ms) => ms < earliestMs);
    await moved(lastMs, (ms) => ms > lastMs + maxAheadMs);
  }

  async #compare(tx: Transaction, rules: readonly AlertRuleRow[], until: Date): Promise<void> {
    const measure = new Measurement(tx, until);
    const groups = Map.groupBy(await listAlertGroups(tx), ({ ruleId }) => ruleId);
    const ids = [...groups.values()].flat().flatMap(({ alertId }) => alertId ?? []);
    const alerts = new Map((await findAlerts(tx, ids)).map((alert) => [alert.id, alert]));
    const compared: Compared[] = [];
    for (const rule of rules) {
      const values = await measure.values(rule);
      const present = new Map((groups.get(rule.id) ?? []).map((group) => [group.groupKey, group]));
      compared.push(await this.#advance(tx, rule, { values, present, alerts, until }));
    }
    await tx.em.flush();
    await writeCompared(tx, until, compared);
  }

  async #advance(tx: Transaction, rule: AlertRuleRow, { values, present, alerts, until }: Minute): Promise<Compared> {
    let state: Compared["state"] = "ok";
    let value: number | null = null;
    for (const key of new Set([...values.keys(), ...present.keys()])) {
      const group = present.get(key);
      const window: ComparedWindow = { until, value: (values.get(key) ?? measuredNothing(rule)).value };
      const before =
        group === undefined
          ? { ...quiet, state: rule.groupBy == null && rule.state === "no_data" ? ("no_data" as const) : quiet.state }
          : { state: group.state, sinceMs: group.since.getTime() };
      const next = nextStanding(rule, before, until.getTime(), window.value);
      await this.#settle(tx, rule, { group, key, next, alerts, window });
      if (moreUrgent(next.state, state) === next.state && next.state !== state) value = window.value ?? null;
      else if (next.state === state) value = furtherBeyond(rule.operator, value, window.value);
      state = moreUrgent(state, next.state);
    }
    return { ruleId: rule.id, state, value };
  }

  async #settle(tx: Transaction, rule: AlertRuleRow, { group, key, next, alerts, window }: Settled): Promise<void> {
    const { mailer } = this.#parts;
    let alert = group?.alertId == null ? undefined : alerts.get(group.alertId);
    if (!isOpen(next.state) && next.state !== "pending") {
      if (alert !== undefined) await closeAlert(tx, mailer, rule, alert, window);
      if (group !== undefined) tx.em.remove(group);
      return;
    }
    if (isOpen(next.state)) {
      if (alert === undefined) alert = openAlert(tx, rule, key, window);
      await tellOpen(tx, mailer, rule, alert, window);
    }
    const standing = { state: next.state, since: new Date(next.sinceMs), alertId: alert?.id ?? null };
    if (group === undefined) {
      // The alert comes first: the flush that follows writes both.
      tx.em.create(AlertGroupRow, { orgId: tx.orgId, ruleId: rule.id, groupKey: key, ...standing });
    } else Object.assign(group, standing);
  }
}

interface Minute {
  readonly values: ReadonlyMap<string, Measured>;
  readonly present: ReadonlyMap<string, AlertGroupRow>;
  readonly alerts: ReadonlyMap<string, AlertRow>;
  readonly until: Date;
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
  const source = sourceOf(rule.metric);
  if (source === "latencies") return { value: undefined, samples: 0 };
  const [measured] = valuesOfCounts({ ...rule, groupBy: null, filter: {} }, []).values();
  return measured ?? { value: undefined, samples: 0 };
}

/** End of the last window at this moment: the full minute before last. */
export function lastWindowEnd(now: Date): number {
  return (Math.floor(now.getTime() / minuteMs) - 1) * minuteMs;
}

/** What was counted in the windows that end at one moment, each read once for all rules of an organization. */
export class Measurement {
  readonly #tx: Transaction;
  readonly #until: Date;
  readonly #counts = new Map<string, Promise<PlacedCounts[]>>();

  constructor(tx: Transaction, until: Date) {
    this.#tx = tx;
    this.#until = until;
  }

  /** The values of the rule's groups. */
  async values(rule: AlertRuleRow): Promise<Map<string, Measured>> {
    const { windowMinutes } = rule;
    switch (sourceOf(rule.metric)) {
      case "losses":
        return valuesOfCounts(rule, await this.#counted("losses", windowMinutes));
      case "outcomes":
        return valuesOfCounts(rule, await this.#counted("outcomes", windowMinutes));
      case "latencies": {
        const latencies = await readLatencies(this.#tx, this.#window(windowMinutes));
        return valuesOfLatencies(rule, latencies, await this.#counted("outcomes", windowMinutes));
      }
    }
  }

  #counted(of: "losses" | "outcomes", minutes: number): Promise<PlacedCounts[]> {
    const key = `${of} ${minutes}`;
    const known = this.#counts.get(key);
    if (known !== undefined) return known;
    const window = this.#window(minutes);
    const counted = of === "losses" ? countLosses(this.#tx, window) : countOutcomes(this.#tx, window);
    this.#counts.set(key, counted);
    return counted;
  }

  #window(minutes: number) {
    return { since: new Date(this.#until.getTime() - minutes * minuteMs), until: this.#until };
  }
}
