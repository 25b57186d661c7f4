// Analytics: sums of the cubes and of the deltas that are not folded yet, read in one snapshot. So an answer is exact
// as of its commit, and its cost does not depend on how many traces there are.

import { fromBinary, type MessageInitShape } from "@bufbuild/protobuf";
import type {
  AnalyticsBreakdownsSchema,
  AnalyticsExactnessSchema,
  AnalyticsPointSchema,
  AnalyticsQualitySchema,
  AnalyticsTotalsSchema,
  AnalyticsWindowSchema,
} from "../../../gen/policyguard/control/v1/trace_analytics_pb.ts";
import { TallySchema } from "../../../gen/policyguard/policy/v1/tally_pb.ts";
import { validationFailed } from "../../kit/fault/fault.ts";
import type { Caller } from "../../kit/rpc/context.ts";
import { relativeError } from "../../kit/tally/latency-histogram.ts";
import type { Database } from "../../store/connection/database.ts";
import type { Transaction } from "../../store/core/transaction.ts";
import {
  readLatencies,
  type StatFilter,
  type StatRange,
  sumLosses,
  sumOutcomes,
  sumRules,
  sumUnjudged,
  sumVersions,
} from "../../store/telemetry/analytics-query.ts";
import { readDeltas, type StatDelta } from "../../store/telemetry/stat-delta.ts";
import { AnalyticsAnswer } from "./analytics-answer.ts";
import { qualityOf } from "./analytics-quality.ts";
import type { Measures } from "./analytics-sums.ts";
import { addUnfolded } from "./analytics-unfolded.ts";
import { type Window, type WindowRequest, windowOf } from "./analytics-window.ts";
import { CubeSums } from "./cube-sums.ts";

/** Longest that one statement of an answer may take: a snapshot holds back the clean-up of the whole database. */
const statementTimeoutMs = 10_000;

const defaultTop = 10;

/** What to count. */
export interface AnalyticsRequest extends WindowRequest {
  readonly filter: StatFilter;
  readonly top: number | undefined;
}

/** An answer, in the form of the messages. */
export interface Analytics {
  readonly window: MessageInitShape<typeof AnalyticsWindowSchema>;
  readonly asOf: Date;
  readonly totals: MessageInitShape<typeof AnalyticsTotalsSchema>;
  readonly previous: MessageInitShape<typeof AnalyticsTotalsSchema> | undefined;
  readonly series: readonly MessageInitShape<typeof AnalyticsPointSchema>[];
  readonly breakdowns: MessageInitShape<typeof AnalyticsBreakdownsSchema>;
  readonly exactness: MessageInitShape<typeof AnalyticsExactnessSchema>;
  readonly quality: MessageInitShape<typeof AnalyticsQualitySchema>[];
}

/** Answers analytics. */
export class TraceAnalytics {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Counts the evaluations of a window. A ci token sees its own project's. */
  get(caller: Caller, request: AnalyticsRequest): Promise<Analytics> {
    const measures = measuresOf(request.filter);
    const filter = narrow(caller, request.filter);
    return this.#database.read(caller.orgId, async (tx) => {
      const window = windowOf(request, tx.now);
      const answer = new AnalyticsAnswer(window, measures, request.filter);
      const top = request.top ?? defaultTop;
      if (filter !== undefined) await fill(tx, answer, window, measures, filter);
      return {
        asOf: tx.now,
        ...answer.toMessages(top),
        exactness: { counts: "exact", latency: `relative_error_${relativeError}`, quality: "interval_0.95" },
        quality: filter === undefined ? [] : await annotatedQuality(tx, window, filter, top),
      };
    });
  }
}

/** What can be counted with this filter; a fault where nothing can. */
function measuresOf({ agentKey, language, stage, policy, ruleId, detector }: StatFilter): Measures {
  if (ruleId !== undefined && policy === undefined) {
    throw validationFailed([{ field: "policy", message: "rule_id is counted together with its policy: give both" }]);
  }
  if (policy !== undefined && ruleId === undefined) {
    throw validationFailed([{ field: "rule_id", message: "policy is counted together with a rule_id: give both" }]);
  }
  const by = ruleId !== undefined ? "rule" : detector !== undefined ? "detector" : "outcome";
  if (ruleId !== undefined && detector !== undefined) {
    const message = "cannot be combined with rule_id; either can be combined with stage, project_id and environment";
    throw validationFailed([{ field: "detector", message }]);
  }
  const fields = [...(agentKey === undefined ? [] : ["agent_id"]), ...(language === undefined ? [] : ["language"])];
  if (by !== "outcome" && fields.length > 0) {
    const message = `cannot be combined with ${by === "rule" ? "rule_id" : "detector"}, which can be combined with stage, project_id and environment; agent_id, stage and language can be combined with each other`;
    throw validationFailed(fields.map((field) => ({ field, message })));
  }
  const isWhole = by === "outcome" && fields.length === 0;
  return { by, hasLatency: isWhole, hasLosses: isWhole && stage === undefined };
}

/** The filter within what the caller may see; undefined when that leaves nothing. */
function narrow({ credential }: Caller, filter: StatFilter): StatFilter | undefined {
  // PostgreSQL has no text with NUL in it, so no count has either.
  if (Object.values(filter).some((value) => typeof value === "string" && value.includes("\0"))) return undefined;
  const { projectId } = credential;
  if (projectId === undefined) return filter;
  if (filter.projectId !== undefined && filter.projectId !== projectId) return undefined;
  return { ...filter, projectId };
}

async function fill(
  tx: Transaction,
  answer: AnalyticsAnswer,
  window: Window,
  measures: Measures,
  filter: StatFilter,
): Promise<void> {
  await tx.sql(`set local statement_timeout = ${statementTimeoutMs}`);
  const [first = window.untilMs] = window.starts;
  const range = rangeOf(window, first, window.untilMs);
  for (const row of await sumOutcomes(tx, range, outcomeFilter(filter), { isSplit: measures.by === "outcome" })) {
    answer.addOutcome(row);
  }
  await addRules(tx, answer, measures, range, filter);
  if (measures.hasLatency) for (const row of await readLatencies(tx, range, filter)) answer.addLatency(row);
  if (measures.hasLosses) {
    for (const row of await sumLosses(tx, range, filter)) answer.addLoss(row);
    for (const row of await sumUnjudged(tx, range, filter)) answer.addUnjudged(row);
    for (const row of await sumVersions(tx, range, filter)) answer.addVersion(row);
  }
  if (window.previousMs !== undefined) {
    const before = rangeOf(window, window.previousMs, first);
    await addPrevious(tx, answer, measures, before, filter);
  }
  addUnfolded({ answer, window, measures, filter }, sumDeltas(tx.now, await readDeltas(tx), filter));
}

/** What annotators say of a window; nothing with filters that verdicts about traces do not know. */
async function annotatedQuality(tx: Transaction, window: Window, filter: StatFilter, top: number) {
  const { projectId, environment, policy, ruleId, agentKey, stage, language, detector } = filter;
  if ([agentKey, stage, language, detector].some((value) => value !== undefined)) return [];
  const [first = window.untilMs] = window.starts;
  const range = { since: new Date(first), until: new Date(window.untilMs) };
  return qualityOf(tx, { projectId, environment, policy, ruleId, ...range }, top);
}

async function addRules(
  tx: Transaction,
  answer: AnalyticsAnswer,
  { by }: Measures,
  range: StatRange,
  filter: StatFilter,
): Promise<void> {
  // Rules are not counted by agent or language.
  if (by === "outcome" && (filter.agentKey !== undefined || filter.language !== undefined)) return;
  const rows = await sumRules(tx, range, filter, { by: by === "outcome" ? "names" : "time" });
  for (const row of rows) answer.addRule(row);
}

async function addPrevious(
  tx: Transaction,
  answer: AnalyticsAnswer,
  measures: Measures,
  range: StatRange,
  filter: StatFilter,
): Promise<void> {
  if (measures.by === "outcome") {
    for (const row of await sumOutcomes(tx, range, filter, { isSplit: false })) answer.addOutcome(row);
  } else {
    const rows = await sumRules(tx, range, filter, { by: "time" });
    for (const row of rows) if (row.group === "start") answer.addRule(row);
  }
  if (measures.hasLatency) for (const row of await readLatencies(tx, range, filter)) answer.addLatency(row);
  if (measures.hasLosses) for (const row of await sumLosses(tx, range, filter)) answer.addLoss(row);
}

function sumDeltas(now: Date, deltas: readonly StatDelta[], { projectId, environment }: StatFilter): CubeSums {
  const sums = new CubeSums(now);
  for (const delta of deltas) {
    if (projectId !== undefined && delta.projectId !== projectId) continue;
    if (environment !== undefined && delta.environment !== environment) continue;
    sums.add(delta, fromBinary(TallySchema, delta.tally));
  }
  return sums;
}

/** Evaluations of which a rule or detector has a share: all of the stage. */
function outcomeFilter({ projectId, environment, agentKey, stage, language }: StatFilter): StatFilter {
  return { projectId, environment, agentKey, stage, language };
}

function rangeOf({ period }: Window, sinceMs: number, untilMs: number): StatRange {
  return { period, since: new Date(sinceMs), until: new Date(untilMs) };
}
