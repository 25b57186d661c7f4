// Numbers, times and sizes as people read them.

import type { Timestamp } from "@bufbuild/protobuf/wkt";
import { timestampDate } from "@bufbuild/protobuf/wkt";

const number = new Intl.NumberFormat("en");
const percent = new Intl.NumberFormat("en", { style: "percent", maximumFractionDigits: 1 });
const fine = new Intl.NumberFormat("en", { style: "percent", maximumSignificantDigits: 4 });
const fraction = new Intl.NumberFormat("en", { maximumSignificantDigits: 4 });
const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
/** Formats of times, by the clock that people chose. */
let clock = clockIn(undefined);
const day = new Intl.DateTimeFormat("en", { month: "short", day: "numeric", timeZone: "UTC" });
const points = new Intl.NumberFormat("en", { maximumFractionDigits: 1, signDisplay: "exceptZero" });
const plurals = new Intl.PluralRules("en");

function clockIn(timeZone: "UTC" | undefined) {
  const hour = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" } as const;
  const format = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat("en", { ...options, ...(timeZone === undefined ? {} : { timeZone }) });
  return {
    moment: format({
      year: "numeric",
      month: "short",
      day: "numeric",
      ...hour,
      second: "2-digit",
      timeZoneName: "short",
    }),
    ofDay: format({ ...hour, second: "2-digit" }),
    short: format({ month: "short", day: "numeric", ...hour }),
  };
}

/** Tells times in UTC from now on, or by the clock of this machine. */
export function showTimesIn(timeZone: "UTC" | undefined): void {
  clock = clockIn(timeZone);
}

const steps: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ["year", 31_536_000],
  ["month", 2_592_000],
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
];

/** 12,345 */
export function count(value: number): string {
  return number.format(value);
}

/** 12,345 or 0.1234 */
export function decimal(value: number): string {
  return Number.isInteger(value) ? number.format(value) : fraction.format(value);
}

/** "640 bytes", "1.4 MB" */
export function size(bytes: number): string {
  if (bytes < 1_000) return counted(bytes, "byte", "bytes");
  const isLarge = bytes >= 1_000_000;
  return `${fraction.format(Math.round(bytes / (isLarge ? 100_000 : 100)) / 10)} ${isLarge ? "MB" : "kB"}`;
}

/** 12.3% */
export function share(value: number): string {
  return percent.format(value);
}

/** 0.05%, for shares that are limits: no digit that somebody set is lost. */
export function fineShare(value: number): string {
  return fine.format(value);
}

/** "1 rule", "2 rules" */
export function counted(value: number, one: string, many: string): string {
  return `${count(value)} ${plurals.select(value) === "one" ? one : many}`;
}

/** "3 hours ago"; "now" within a minute. */
export function ago(time: Timestamp | undefined, now: Date): string {
  if (time === undefined) return "";
  const seconds = (timestampDate(time).getTime() - now.getTime()) / 1_000;
  const step = steps.find(([, size]) => Math.abs(seconds) >= size);
  return step === undefined ? "now" : relative.format(Math.round(seconds / step[1]), step[0]);
}

/** "Nov 23, 2026, 07:16:00 GMT+1" */
export function absolute(time: Timestamp | undefined): string {
  return time === undefined ? "" : clock.moment.format(timestampDate(time));
}

/** "07:16:00" */
export function timeOfDay(time: Timestamp | undefined): string {
  return time === undefined ? "" : clock.ofDay.format(timestampDate(time));
}

/** "640 µs", "1.4 ms" */
export function duration(microseconds: number): string {
  return microseconds < 1_000
    ? `${count(microseconds)} µs`
    : `${number.format(Math.round(microseconds / 100) / 10)} ms`;
}

/** "Nov 23, 07:16", of a time in ISO form too. */
export function dateTime(time: Date | string): string {
  return clock.short.format(new Date(time));
}

/** "Nov 23", in UTC, as the server counts days. */
export function dayOf(time: Date): string {
  return day.format(time);
}

/** "+1.2 points" for a share that grew from 1% to 2.2%. */
export function change(from: number, to: number): string {
  return `${points.format((to - from) * 100)} points`;
}

/** The first `max` UTF-16 code units of a text; one less where a character would be cut in two. */
export function beginningOf(text: string, max: number): string {
  const beginning = text.slice(0, max);
  return beginning.length < text.length ? beginning.replace(/[\uD800-\uDBFF]$/, "") : beginning;
}
