// The changes of one rule, in what it inherits and in what it states itself.

import type { JsonValue } from "@bufbuild/protobuf";
import { type ChangeKind, type Effect, growth, inverse, isSame, listed, type PolicyChange } from "./change.ts";
import { type Failing, unlessEffect, whenEffect } from "./diff-condition.ts";
import { diffDetect, readsFinding } from "./diff-detect.ts";
import { outcomeNames, type RedactStyle } from "./document.ts";
import type { EffectiveRule } from "./effective-rule.ts";

/** A change with its effect on the rule alone. */
interface RuleChange {
  readonly kind: ChangeKind;
  readonly key: string;
  readonly text: string;
  readonly before?: JsonValue;
  readonly after?: JsonValue;
  readonly effect: Effect;
}

/** Styles in order: from the one that leaves most of the text to the one that leaves least. */
const styles: readonly RedactStyle[] = ["partial", "mask", "hash", "placeholder", "remove"];

/** The changes between two versions of a rule. */
export function diffRule(before: EffectiveRule, after: EffectiveRule): PolicyChange[] {
  const changes = [
    ...diffAction(before, after),
    ...diffMode(before, after),
    ...diffRollout(before, after),
    ...diffStages(before, after),
    ...diffDetect(before, after),
    ...diffConditions(before, after),
    ...diffOnError(before, after),
    ...diffRedaction(before, after),
    ...diffReversible(before, after),
    ...diffWords(before, after),
  ];
  return changes.map(({ key, text, effect, ...change }) => ({
    ...change,
    path: `${rulePath(after.id)}.${key}`,
    rule: after.id,
    text: `rule "${after.id}": ${text}`,
    effect: effectOnPolicy(before, after, change.kind, effect),
  }));
}

/** The change for an added rule. */
export function addedRule(rule: EffectiveRule): PolicyChange {
  const text = `rule "${rule.id}" added: ${summary(rule)}`;
  const effect = rule.counts ? "stricter" : "neutral";
  return { kind: "rule_added", path: rulePath(rule.id), rule: rule.id, text, after: documentOf(rule), effect };
}

/** The change for a removed rule. */
export function removedRule(rule: EffectiveRule): PolicyChange {
  const text = `rule "${rule.id}" removed: ${summary(rule)}`;
  const effect = rule.counts ? "weaker" : "neutral";
  return { kind: "rule_removed", path: rulePath(rule.id), rule: rule.id, text, before: documentOf(rule), effect };
}

/** The path of a rule, by its id. */
export function rulePath(id: string): string {
  return `rules["${id}"]`;
}

/** A rule as its document states it. */
export function documentOf({ rule }: EffectiveRule): JsonValue {
  return rule as unknown as JsonValue; // a part of a document is JSON; its interface only names the keys
}

function summary({ action, mode, rule }: EffectiveRule): string {
  return `${action} at ${listed(rule.stages)}${mode === "enforce" ? "" : `, ${mode}`}`;
}

/**
 * The effect on the policy. When the rule counts only before or only after, the change of action, mode or roll-out
 * carries the effect, and all other changes are neutral.
 */
function effectOnPolicy(before: EffectiveRule, after: EffectiveRule, kind: ChangeKind, effect: Effect): Effect {
  if (before.counts && after.counts) return effect;
  if (before.counts === after.counts) return "neutral";
  const isDeciding = kind === "action_changed" || kind === "mode_changed" || kind === "rollout_changed";
  if (!isDeciding) return "neutral";
  return after.counts ? "stricter" : "weaker";
}

function diffAction(before: EffectiveRule, after: EffectiveRule): RuleChange[] {
  if (before.action === after.action) return [];
  const isStricter = outcomeNames.indexOf(after.action) > outcomeNames.indexOf(before.action);
  return [
    {
      kind: "action_changed",
      key: "action",
      text: `${isStricter ? "stricter" : "milder"} action: ${after.action} instead of ${before.action}`,
      before: before.action,
      after: after.action,
      effect: isStricter ? "stricter" : "weaker",
    },
  ];
}

function diffMode(before: EffectiveRule, after: EffectiveRule): RuleChange[] {
  const [was, is] = [modeText(before), modeText(after)];
  if (was === is) return [];
  const text = `mode ${is} instead of ${was}`;
  const effect = compared(enforcedFrom(before), enforcedFrom(after));
  return [{ kind: "mode_changed", key: "mode", text, before: before.mode, after: after.mode, effect: inverse(effect) }];
}

function modeText({ mode, shadow }: EffectiveRule): string {
  return shadow === undefined ? mode : `${mode} until ${shadow.until}, then ${shadow.becomes ?? "enforce"}`;
}

/** The time from which a rule that counts is enforced. */
function enforcedFrom({ mode, shadow }: EffectiveRule): number {
  return mode === "enforce" || shadow === undefined ? Number.NEGATIVE_INFINITY : Date.parse(shadow.until);
}

function diffRollout(before: EffectiveRule, after: EffectiveRule): RuleChange[] {
  const [was, is] = [shareOf(before), shareOf(after)];
  if (isSame(was, is)) return [];
  const [from, to] = [before.by, after.by];
  const isCounted = was !== undefined && is !== undefined;
  const by = isCounted && from !== to ? `, counted by ${to} instead of ${from}` : "";
  const text = `rolled out to ${after.percent} percent instead of ${before.percent}${by}`;
  const effect =
    by === "" || after.percent >= 100 || before.percent >= 100 ? compared(before.percent, after.percent) : "unknown";
  return [{ kind: "rollout_changed", key: "rollout", text, before: jsonOf(was), after: jsonOf(is), effect }];
}

/** The share of a roll-out; undefined when it covers everything, whether written or not. */
function shareOf({ percent, by }: EffectiveRule): JsonValue | undefined {
  return percent >= 100 ? undefined : { percent, by };
}

function diffStages(before: EffectiveRule, after: EffectiveRule): RuleChange[] {
  const [was, is] = [before.rule.stages, after.rule.stages];
  const added = is.filter((stage) => !was.includes(stage));
  const removed = was.filter((stage) => !is.includes(stage));
  if (added.length === 0 && removed.length === 0) return [];
  const parts = [
    added.length === 0 ? "" : `also runs at ${listed(added)}`,
    removed.length === 0 ? "" : `no longer runs at ${listed(removed)}`,
  ];
  const text = parts.filter((part) => part !== "").join(", ");
  return [{ kind: "stages_changed", key: "stages", text, before: [...was], after: [...is], effect: growth(was, is) }];
}

function diffConditions(before: EffectiveRule, after: EffectiveRule): RuleChange[] {
  const effects = { when: whenEffect, unless: unlessEffect };
  const failing = failingOf(before, after);
  // For a finding, its own detector decides how a condition without a value counts; otherwise all detectors together
  // do.
  const isJudgedAnew = failing === "both" && readsFinding(before) !== readsFinding(after);
  return (["when", "unless"] as const).flatMap((key): RuleChange[] => {
    const [was, is] = [before.rule[key], after.rule[key]];
    const apart = effects[key](was, is, failing);
    if (was === is || apart === "neutral") return [];
    const effect = isJudgedAnew ? "unknown" : apart;
    return [
      { kind: "condition_changed", key, text: conditionText(key, was, is, effect), before: was, after: is, effect },
    ];
  });
}

function failingOf(before: EffectiveRule, after: EffectiveRule): Failing {
  const modes = [before, after].flatMap(({ onError, terms }) => [onError, ...terms.map((term) => term.onError)]);
  return modes.every((mode) => mode === before.onError) ? before.onError : "both";
}

function conditionText(key: string, was: string | undefined, is: string | undefined, effect: Effect): string {
  const words = { stricter: "matches more", weaker: "matches less", unknown: "matches other cases", neutral: "" }[
    effect
  ];
  if (was === undefined) return `${words}: ${key} ${is} added`;
  return is === undefined ? `${words}: ${key} ${was} removed` : `${words}: ${key} ${is} instead of ${was}`;
}

function diffOnError(before: EffectiveRule, after: EffectiveRule): RuleChange[] {
  // The rule's own `on_error` applies to its conditions; `diffDetect` reports that of each detector.
  if (before.onError === after.onError || !(hasConditions(before) || hasConditions(after))) return [];
  const isClosed = after.onError === "fail_closed";
  return [
    {
      kind: "on_error_changed",
      key: "on_error",
      text: `fails ${isClosed ? "closed" : "open"} when it cannot be judged`,
      before: before.onError,
      after: after.onError,
      effect: isClosed ? "stricter" : "weaker",
    },
  ];
}

function hasConditions({ rule }: EffectiveRule): boolean {
  return rule.when !== undefined || rule.unless !== undefined;
}

function diffReversible(before: EffectiveRule, after: EffectiveRule): RuleChange[] {
  const [was, is] = [before, after].map(({ reversible, rule }) =>
    reversible ? (rule.redact?.ttl ?? "session") : "no",
  );
  if (was === is) return [];
  const isAllowed = is !== "no";
  const kept = is === "session" ? "as long as the session" : `for ${is}`;
  const text = isAllowed ? `originals can be put back, ${kept}` : "originals can no longer be put back";
  return [{ kind: "redaction_changed", key: "redact.reversible", text, before: was, after: is, effect: "neutral" }];
}

function diffRedaction(before: EffectiveRule, after: EffectiveRule): RuleChange[] {
  if (before.style === after.style) return [];
  const leavesLess = styles.indexOf(after.style) > styles.indexOf(before.style);
  const text = `redaction ${after.style} instead of ${before.style}, which leaves ${leavesLess ? "less" : "more"} of the text`;
  const isRedacting = before.action === "REDACT" || after.action === "REDACT";
  const effect = isRedacting ? (leavesLess ? "stricter" : "weaker") : "neutral";
  return [{ kind: "redaction_changed", key: "redact.style", text, before: before.style, after: after.style, effect }];
}

/** Changes of texts and labels, which never affect outcomes. */
function diffWords(before: EffectiveRule, after: EffectiveRule): RuleChange[] {
  const keys = [
    ["severity", "severity_changed"],
    ["message", "message_changed"],
    ["category", "text_changed"],
    ["description", "text_changed"],
    ["controls", "text_changed"],
    ["locked", "text_changed"],
  ] as const;
  return keys.flatMap(([key, kind]): RuleChange[] => {
    const [was, is] = [before, after].map((rule) => jsonOf(writtenOut(rule, key)));
    if (isSame(was, is)) return [];
    const text = `${key} ${was === undefined ? "added" : is === undefined ? "removed" : "changed"}`;
    return [{ kind, key, text, before: was, after: is, effect: "neutral" }];
  });
}

/** The value; undefined when it only spells out the default. */
function writtenOut(
  { rule }: EffectiveRule,
  key: "severity" | "message" | "category" | "description" | "controls" | "locked",
) {
  const usual: Readonly<Record<string, string>> = { BLOCK: "high", REDACT: "medium", FLAG: "low", ALLOW: "info" };
  if (key === "severity") return rule.severity === usual[rule.action] ? undefined : rule.severity;
  return key === "locked" && rule.locked === false ? undefined : rule[key];
}

function compared(before: number, after: number): Effect {
  if (before === after) return "neutral";
  return after > before ? "stricter" : "weaker";
}

function jsonOf(value: unknown): JsonValue | undefined {
  return value as JsonValue | undefined; // a part of a document is JSON
}
