// How far the detectors look that are written as code: what a stream has to know of them to say which findings are settled. A detector
// that is not here, and whose plan does not say it itself (`open` in plan.ts), is judged at the end of a text.

import type { DetectorSpec } from "../detector.ts";
import { textsParameter } from "../detectors/parameter.ts";
import { reads } from "../normalize.ts";
import type { Finding, OpenEdge, Plan, Sweep, Trigger } from "../plan.ts";
import { contextLength } from "./text-tail.ts";

/** How far around its literal a trigger looks. */
export interface TriggerBounds {
  /** A finding begins at most so many units before the literal, with no white space between. */
  readonly lead: number;
  /** What is more units behind the literal does not count. */
  readonly reach: number;
}

/** A trigger as streams use it: it says itself what is open, or has bounds. */
export interface StreamTrigger {
  readonly trigger: Trigger;
  readonly bounds: TriggerBounds | undefined;
}

/** A plan as streams use it. */
export interface StreamPlan extends Omit<Plan, "triggers"> {
  readonly triggers: readonly StreamTrigger[];
}

const planKeys: ReadonlySet<string> = new Set([
  ...["reads", "phrases", "patterns", "triggers", "sweeps", "window", "settle"],
]);

/** The plan of a detector as streams use it; undefined when a stream cannot follow it. */
export function streamPlan({ use, parameters }: DetectorSpec, plan: Plan): StreamPlan | undefined {
  if (Object.keys(plan).some((key) => !planKeys.has(key))) return undefined;
  // Whether something is a disguise shows in parts of the text that are longer than a stream should hold back.
  if ((plan.reads & reads.disguised) !== 0) return undefined;
  if (plan.patterns.some(({ pattern }) => pattern.gates.length === 0 && pattern.dfa === undefined)) return undefined;
  if (use === "secrets") return { ...plan, triggers: plan.triggers.map(secretTrigger) };
  if (use === "pii") return piiPlan(plan, textsParameter(parameters, "entities") ?? []);
  if ([...plan.triggers, ...plan.sweeps].some(({ open }) => open === undefined)) return undefined;
  return { ...plan, triggers: plan.triggers.map((trigger) => ({ trigger, bounds: undefined })) };
}

const secretReach = 1_400;
/** Longer than the longest token, and than the longest key with its header. */
const longSecrets: ReadonlyMap<string, number> = new Map([
  ["eyJ", 11_600],
  ["PRIVATE KEY", 16_700],
]);
const secretLead = 256;

function secretTrigger(trigger: Trigger): StreamTrigger {
  if (trigger.open !== undefined) return { trigger, bounds: undefined };
  const reach = longSecrets.get(trigger.literal) ?? secretReach;
  return { trigger, bounds: { lead: secretLead, reach } };
}

/** Entities that do not begin with a digit or a short word before one, or that look for something far away. */
const farEntities: ReadonlySet<string> = new Set([
  ...["BIC", "URL", "CRYPTO", "COORDINATES", "VIN", "PASSPORT", "DRIVING_LICENCE", "DATE_OF_BIRTH", "IP", "MAC"],
]);

function piiPlan(plan: Plan, entities: readonly string[]): StreamPlan | undefined {
  if (entities.some((name) => farEntities.has(name))) return undefined;
  return {
    ...plan,
    triggers: plan.triggers.map((trigger) => ({
      trigger: trigger.literal === "@" ? { ...trigger, open: openEmail } : trigger,
      bounds: undefined,
    })),
    sweeps: plan.sweeps.map(numberSweep),
  };
}

const longestLocal = 64;
const longestAddress = 320;
const addressUnit = /[A-Za-z0-9._%+'@-]|[^\0-\x7f]/;

// An address may begin in the last 64 units that can stand before an "@"; one with an "@" may go on.
const openEmail: OpenEdge = (text, from) => {
  const { length } = text;
  const least = Math.max(0, from - longestLocal, length - longestAddress);
  let at = length;
  let edge = Math.max(from, length - longestLocal);
  while (at > least && addressUnit.test(text.charAt(at - 1))) {
    at--;
    if (text.charAt(at) === "@") edge = Math.min(edge, Math.max(from, at - longestLocal));
  }
  return Math.max(from, Math.min(length, Math.max(edge, at)));
};

/** A number that is found has at least so many digits, no two of them further apart. */
const fewestDigits = 5;
const widestGap = 16;
/** What may stand before the first digit of a number. */
const widestLead = 24;
/** What is read behind a number. */
const behindNumber = 48;
/** No number is longer, with all that is read to tell it from a table. */
const longestNumbers = 640;
const mayBegin = /(?:(?<![A-Za-z0-9_])[A-Za-z]{1,8}[ .-]?|\+[ (]?|\()$/;
const digit = /\d/;

function numberSweep(sweep: Sweep): Sweep {
  if (sweep.open !== undefined) return sweep;
  const search = (text: string, from = 0, to = text.length): readonly Finding[] => {
    if (!digit.test(text.slice(from, to + widestLead))) return [];
    const start = Math.max(0, from - contextLength / 2);
    return sweep(text.slice(start)).flatMap((finding) =>
      finding.start + start < from ? [] : [{ ...finding, start: finding.start + start, end: finding.end + start }],
    );
  };
  return Object.assign(search, { open: openNumber });
}

// Follows chains of digits that may be one number; the first that is not over is open, from the word before it.
function openNumber(text: string, from: number): number {
  const { length } = text;
  let chainStart = -1;
  let lastDigit = -1;
  let count = 0;
  const isOver = () =>
    length > lastDigit + widestGap + behindNumber || (count < fewestDigits && length > lastDigit + widestGap);
  const least = Math.max(from, length - longestNumbers);
  if (digit.test(text.slice(least))) {
    for (let at = least; at < length; at++) {
      const unit = text.charCodeAt(at);
      if (unit < 0x30 || unit > 0x39) continue;
      if (lastDigit >= 0 && at - lastDigit > widestGap) {
        if (!isOver()) break;
        chainStart = -1;
        count = 0;
      }
      if (chainStart < 0) chainStart = at;
      lastDigit = at;
      count++;
    }
    if (chainStart >= 0 && !isOver()) return Math.max(from, wordBefore(text, chainStart));
  }
  return Math.max(from, wordBefore(text, length));
}

function wordBefore(text: string, at: number): number {
  const context = Math.max(0, at - widestLead);
  let start = at - context;
  const before = text.slice(context, at);
  const match = mayBegin.exec(before);
  if (match !== null) start = match.index;
  while (start > 0 && /[A-Za-z0-9_]/.test(before.charAt(start - 1))) start--;
  return context + start;
}
