// The window of an analytics answer: whole steps in UTC.

import { AnalyticsBucket, AnalyticsComparison } from "../../../gen/policyguard/control/v1/trace_analytics_pb.ts";
import { validationFailed } from "../../kit/fault/fault.ts";
import { Period } from "../../store/telemetry/stat-cube.ts";
import { keptCountMonths } from "./stat-retention.ts";

const hourMs = 3_600_000;
const dayMs = 86_400_000;
const defaultMs = 7 * dayMs;

/** Days for which hours are kept. */
const keptHoursMs = 35 * dayMs;

/** Steps of a series. */
export const maxSteps = 400;

/** Steps that `auto` does not exceed, as long as a longer bucket is left. */
const maxAutoSteps = 100;

/** What the caller asks for. */
export interface WindowRequest {
  readonly since: Date | undefined;
  readonly until: Date | undefined;
  readonly bucket: AnalyticsBucket;
  readonly compare: AnalyticsComparison;
}

const byLength = [AnalyticsBucket.HOUR, AnalyticsBucket.DAY, AnalyticsBucket.WEEK, AnalyticsBucket.MONTH] as const;

type Bucket = (typeof byLength)[number];

/** A window of whole steps. */
export interface Window {
  readonly bucket: Bucket;
  readonly period: Period;
  /** Start of each step. */
  readonly starts: readonly number[];
  readonly untilMs: number;
  /** Start of the window that this one is compared with; undefined without a comparison. */
  readonly previousMs: number | undefined;
  /** Start of the step that contains this moment. */
  readonly startOf: (momentMs: number) => number;
}

/** A calendar of steps: the number of the step that contains a moment, and the start of a step. */
interface Calendar {
  readonly name: string;
  readonly indexOf: (momentMs: number) => number;
  readonly startOf: (index: number) => number;
}

const calendars: Readonly<Record<Bucket, Calendar>> = {
  [AnalyticsBucket.HOUR]: regular("hours", hourMs, 0),
  [AnalyticsBucket.DAY]: regular("days", dayMs, 0),
  // 1970-01-01 was a Thursday: the first Monday is four days later.
  [AnalyticsBucket.WEEK]: regular("weeks", 7 * dayMs, 4 * dayMs),
  [AnalyticsBucket.MONTH]: {
    name: "months",
    indexOf: (momentMs) => {
      const moment = new Date(momentMs);
      return moment.getUTCFullYear() * 12 + moment.getUTCMonth();
    },
    startOf: (index) => new Date(0).setUTCFullYear(Math.floor(index / 12), index % 12, 1),
  },
};

/** The window that a request means, or a fault that says what to ask instead. */
export function windowOf(request: WindowRequest, now: Date): Window {
  const untilMs = (request.until ?? now).getTime();
  const sinceMs = request.since?.getTime() ?? untilMs - defaultMs;
  if (sinceMs > untilMs) throw validationFailed([{ field: "since", message: "must not be after until" }]);
  const isCompared = request.compare === AnalyticsComparison.PREVIOUS;
  const span = (bucket: Bucket) => {
    const { indexOf } = calendars[bucket];
    const first = indexOf(sinceMs);
    const end = Math.max(indexOf(untilMs - 1), first) + 1;
    return { first, end, earliest: isCompared ? 2 * first - end : first };
  };
  // The hour in which 35 days ago lies is not whole any more.
  const oldestHour = calendars[AnalyticsBucket.HOUR].indexOf(now.getTime() - keptHoursMs) + 1;
  const isKept = (bucket: Bucket) => bucket !== AnalyticsBucket.HOUR || span(bucket).earliest >= oldestHour;
  const fits = (bucket: Bucket) => isKept(bucket) && span(bucket).end - span(bucket).first <= maxAutoSteps;
  const bucket = chosen(request.bucket) ?? byLength.find(fits) ?? AnalyticsBucket.MONTH;
  const calendar = calendars[bucket];
  const { first, end, earliest } = span(bucket);
  checkSteps(calendar, end - first);
  if (!isKept(bucket)) {
    const message = "hours are kept for 35 days: use bucket=day, or a window that begins later";
    throw validationFailed([{ field: "bucket", message }]);
  }
  checkAge(calendar.startOf(earliest), now);
  return {
    bucket,
    period: bucket === AnalyticsBucket.HOUR ? Period.HOUR : Period.DAY,
    starts: Array.from({ length: end - first }, (_, i) => calendar.startOf(first + i)),
    untilMs: calendar.startOf(end),
    previousMs: isCompared ? calendar.startOf(earliest) : undefined,
    startOf: (momentMs) => calendar.startOf(calendar.indexOf(momentMs)),
  };
}

/** The bucket that was asked for; undefined where it is chosen by the window. */
function chosen(bucket: AnalyticsBucket): Bucket | undefined {
  return byLength.find((known) => known === bucket);
}

function checkSteps({ name }: Calendar, steps: number): void {
  if (steps <= maxSteps) return;
  const message = `the window has ${steps} ${name}, and an answer has at most ${maxSteps}: use a longer bucket or a shorter window`;
  throw validationFailed([{ field: "bucket", message }]);
}

function checkAge(earliestMs: number, now: Date): void {
  // A step may begin before the month in which counts begin; it is whole once the days of its own month are kept.
  const oldestMs = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - keptCountMonths);
  if (earliestMs >= oldestMs) return;
  const message = `counts are kept for ${keptCountMonths} months: begin no earlier than ${new Date(oldestMs).toISOString()}, comparison included`;
  throw validationFailed([{ field: "since", message }]);
}

function regular(name: string, lengthMs: number, offsetMs: number): Calendar {
  return {
    name,
    indexOf: (momentMs) => Math.floor((momentMs - offsetMs) / lengthMs),
    startOf: (index) => index * lengthMs + offsetMs,
  };
}
