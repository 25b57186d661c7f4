// Where metered evaluations came from: sums of `usage_day`, with what is not folded yet, so that an answer is right to
// the evaluation.

import { fromBinary, getOption } from "@bufbuild/protobuf";
import { wire } from "../../../gen/policyguard/options/v1/options_pb.ts";
import { StageSchema } from "../../../gen/policyguard/policy/v1/outcome_pb.ts";
import { TallySchema } from "../../../gen/policyguard/policy/v1/tally_pb.ts";
import { csvLine } from "../../kit/archive/csv.ts";
import { validationFailed } from "../../kit/fault/fault.ts";
import type { Caller } from "../../kit/rpc/context.ts";
import { listMonths } from "../../store/billing/usage.ts";
import {
  sumUsage,
  type UsageDimension,
  type UsageFilter,
  type UsageSum,
  usageDayCube,
} from "../../store/billing/usage-day.ts";
import type { Database } from "../../store/connection/database.ts";
import type { Transaction } from "../../store/core/transaction.ts";
import { readDeltas } from "../../store/telemetry/stat-delta.ts";
import { findOrganization } from "../../store/tenancy/organization.ts";
import { CubeSums } from "../telemetry/cube-sums.ts";
import { dayOf, monthOf } from "../telemetry/trace-tally.ts";
import { monthlyLimit } from "./plan.ts";

const stageNames: ReadonlyMap<string, string> = new Map(
  StageSchema.values.map((value) => [String(value.number), getOption(value, wire)]),
);

const dayMs = 86_400_000;
const maxDays = 400;
const maxMonths = 25;
/** Shares of one answer. */
const maxShares = 10_000;
/** Lines of an export that are sent at once. */
const exportLines = 2_000;
const exportDimensions = ["day", "project", "environment", "agent", "stage"] as const;

/** The use of a period. */
export interface UsagePeriod {
  readonly period: string;
  readonly evaluations: number;
  readonly playgroundEvaluations: number;
  readonly overageEvaluations: number;
  readonly limit: number | null;
}

/** What is asked for. Days or months are texts; undefined takes the default. */
export interface UsageQuestion extends Omit<UsageFilter, "from" | "to" | "stage"> {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly stage?: string | undefined;
}

/** The part of the use that has the values of some dimensions in common. */
export interface UsageShare {
  readonly key: Readonly<Partial<Record<UsageDimension, string>>>;
  readonly evaluations: number;
  readonly overageEvaluations: number;
  readonly share: number;
}

/** Shares, the largest first, and the sum of all. */
export interface Breakdown {
  readonly shares: readonly UsageShare[];
  readonly evaluations: number;
  readonly overageEvaluations: number;
}

/** Reads the history of usage. */
export class UsageHistory {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Months or days, oldest first. */
  list(
    { orgId }: Caller,
    { granularity, from, to }: { readonly granularity: "month" | "day"; readonly from?: string; readonly to?: string },
  ): Promise<UsagePeriod[]> {
    return this.#database.read(orgId, (tx) =>
      granularity === "month" ? months(tx, { from, to }) : days(tx, { from, to }),
    );
  }

  /** The sums by these dimensions. */
  breakdown({ orgId }: Caller, dimensions: readonly UsageDimension[], question: UsageQuestion): Promise<Breakdown> {
    return this.#database.read(orgId, async (tx) => {
      const sums = await sumAll(tx, dimensions, filterOf(question, tx.now));
      const evaluations = sums.reduce((sum, each) => sum + each.evaluations, 0);
      const overageEvaluations = sums.reduce((sum, each) => sum + each.overage, 0);
      const shares = sums.slice(0, maxShares).map((sum) => ({
        key: Object.fromEntries(dimensions.map((dimension, index) => [dimension, sum.key[index] ?? ""])),
        evaluations: sum.evaluations,
        overageEvaluations: sum.overage,
        share: evaluations === 0 ? 0 : sum.evaluations / evaluations,
      }));
      return { shares, evaluations, overageEvaluations };
    });
  }

  /** Lines of CSV, by every dimension, in the order of the days. */
  async *export({ orgId }: Caller, question: UsageQuestion): AsyncGenerator<string> {
    const sums = await this.#database.read(orgId, (tx) => sumAll(tx, exportDimensions, filterOf(question, tx.now)));
    const lines = sums
      .sort((a, b) => compareKeys(a.key, b.key))
      .map(({ key, evaluations, overage }) => csvLine([...key, String(evaluations), String(overage)]));
    const header = ["day", "project_id", "environment", "agent_id", "stage", "evaluations", "overage_evaluations"];
    yield csvLine(header);
    for (let at = 0; at < lines.length; at += exportLines) yield lines.slice(at, at + exportLines).join("");
  }
}

async function months(
  tx: Transaction,
  { from, to }: { readonly from: string | undefined; readonly to: string | undefined },
): Promise<UsagePeriod[]> {
  const present = monthOf(tx.now);
  const last = to === undefined ? present : monthOf(dateOf(to, "to"));
  const first = from === undefined ? monthsBefore(last, 11) : monthOf(dateOf(from, "from"));
  assertOrder(first, last);
  if (first < monthsBefore(last, maxMonths - 1)) throw tooLong(`at most ${maxMonths} months`);
  const limit = monthlyLimit(await findOrganization(tx));
  return (await listMonths(tx, { from: first, to: last })).map(({ month, ...counts }) => ({
    ...counts,
    period: month.slice(0, 7),
    limit: month === present ? limit : null,
  }));
}

async function days(
  tx: Transaction,
  { from, to }: { readonly from: string | undefined; readonly to: string | undefined },
): Promise<UsagePeriod[]> {
  const last = to === undefined ? dayOf(tx.now) : lastDayOf(to);
  const monthBack = dayOf(new Date(new Date(`${last}T00:00:00Z`).getTime() - 30 * dayMs));
  const first = from === undefined ? monthBack : dayOf(dateOf(from, "from"));
  const sums = await sumAll(tx, ["day"], boundsOf(first, last));
  return sums
    .sort((a, b) => compareKeys(a.key, b.key))
    .map(({ key, evaluations, overage }) => ({
      period: key[0] ?? "",
      evaluations,
      playgroundEvaluations: 0,
      overageEvaluations: overage,
      limit: null,
    }));
}

/** Folded days and what is not folded yet, the largest sum first. */
async function sumAll(
  tx: Transaction,
  dimensions: readonly UsageDimension[],
  filter: UsageFilter,
): Promise<UsageSum[]> {
  const folded = await sumUsage(tx, dimensions, filter);
  const fresh = (await unfolded(tx))
    .filter((cell) => matches(cell, filter))
    .map((cell) => ({ ...cell, key: dimensions.map((dimension) => cell[dimension]) }));
  const sums = fresh.length === 0 ? folded : merged([...folded, ...fresh]);
  const shown = dimensions.includes("stage")
    ? sums.map((sum) => ({ ...sum, key: withStageNames(dimensions, sum.key) }))
    : sums;
  return shown
    .filter(({ evaluations }) => evaluations > 0)
    .sort((a, b) => b.evaluations - a.evaluations || compareKeys(a.key, b.key));
}

/** Sums of the same key as one. */
function merged(sums: readonly UsageSum[]): UsageSum[] {
  const byKey = new Map<string, UsageSum>();
  for (const { key, evaluations, overage } of sums) {
    const name = JSON.stringify(key);
    const known = byKey.get(name);
    byKey.set(name, {
      key,
      evaluations: evaluations + (known?.evaluations ?? 0),
      overage: overage + (known?.overage ?? 0),
    });
  }
  return [...byKey.values()];
}

type Cell = Readonly<Record<UsageDimension, string>> & { readonly evaluations: number; readonly overage: number };

async function unfolded(tx: Transaction): Promise<Cell[]> {
  const sums = new CubeSums(tx.now);
  for (const { tally, ...place } of await readDeltas(tx)) sums.add(place, fromBinary(TallySchema, tally));
  const cells: Cell[] = [];
  for (const { cube, rows } of sums.counts()) {
    if (cube !== usageDayCube) continue;
    for (const { key, counts } of rows) {
      const [day, project, environment, agent, stage] = key.map(String);
      const [evaluations = 0, overage = 0] = counts;
      cells.push({
        ...{ day: day ?? "", project: project ?? "", environment: environment ?? "", agent: agent ?? "" },
        ...{ stage: stage ?? "", evaluations, overage },
      });
    }
  }
  return cells;
}

function matches(cell: Cell, { from, to, projectId, environment, agentKey, stage }: UsageFilter): boolean {
  return (
    cell.day >= from &&
    cell.day <= to &&
    (projectId === undefined || cell.project === projectId.toLowerCase()) &&
    (environment === undefined || cell.environment === environment) &&
    (agentKey === undefined || cell.agent === agentKey) &&
    (stage === undefined || cell.stage === String(stage))
  );
}

function withStageNames(dimensions: readonly UsageDimension[], key: readonly string[]): readonly string[] {
  return key.map((value, index) => (dimensions[index] === "stage" ? (stageNames.get(value) ?? value) : value));
}

function filterOf({ from, to, stage, ...rest }: UsageQuestion, now: Date): UsageFilter {
  const last = to === undefined ? dayOf(now) : dayOf(dateOf(to, "to"));
  const first = from === undefined ? monthOf(new Date(`${last}T00:00:00Z`)) : dayOf(dateOf(from, "from"));
  const number = [...stageNames].find(([, name]) => name === stage)?.[0];
  return { ...rest, ...boundsOf(first, last), stage: number === undefined ? undefined : Number(number) };
}

function boundsOf(from: string, to: string): { readonly from: string; readonly to: string } {
  assertOrder(from, to);
  const length = (new Date(`${to}T00:00:00Z`).getTime() - new Date(`${from}T00:00:00Z`).getTime()) / dayMs;
  if (length >= maxDays) throw tooLong(`at most ${maxDays} days`);
  return { from, to };
}

/** The first day of a month, or the day itself. */
function dateOf(text: string, field: string): Date {
  const day = text.length === 7 ? `${text}-01` : text;
  const date = new Date(`${day}T00:00:00Z`);
  if (!Number.isNaN(date.getTime()) && dayOf(date) === day) return date;
  throw validationFailed([{ field, message: "expected a day of the calendar" }]);
}

function lastDayOf(text: string): string {
  const date = dateOf(text, "to");
  if (text.length > 7) return dayOf(date);
  return dayOf(new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)));
}

function monthsBefore(month: string, count: number): string {
  const date = new Date(`${month}T00:00:00Z`);
  return monthOf(new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() - count)));
}

function assertOrder(from: string, to: string): void {
  if (from > to) throw validationFailed([{ field: "from", message: "is after `to`" }]);
}

function tooLong(limit: string) {
  return validationFailed([{ field: "from", message: `is too far before \`to\`: ${limit} fit in one answer` }]);
}

function compareKeys(a: readonly string[], b: readonly string[]): number {
  for (let at = 0; at < a.length; at++) {
    const [own, other] = [a[at] ?? "", b[at] ?? ""];
    if (own !== other) return own < other ? -1 : 1;
  }
  return 0;
}
