// Differences of rules. What has no effect now and had none before changes nothing that is enforced.

import { outcomeNames, type PolicyDocument, type PolicyRule } from "../../../runtime/engine/policy/document.ts";
import { resolveDetector } from "../../../runtime/engine/policy/reference.ts";
import { byGrowth, type Change, type Effect, isEqual, setDifference } from "./change.ts";
import { detectChanges } from "./detect.ts";
import { definitions } from "./detector.ts";

/** Two versions of a policy. */
export interface Versions {
  readonly before: PolicyDocument;
  readonly after: PolicyDocument;
}

type At = (what: string, effect: Effect) => Change;

/** The differences between the rules of two policies. */
export function ruleChanges({ before, after }: Versions): Change[] {
  const old = new Map(before.rules.map((rule) => [rule.id, rule]));
  const current = new Map(after.rules.map((rule) => [rule.id, rule]));
  const removed = before.rules.filter(({ id }) => !current.has(id));
  const added = after.rules.filter(({ id }) => !old.has(id));
  return [
    ...removed.map((rule) => ({ ...atRule(rule.id)(`removed (${describe(rule, before)})`, lost(rule, before)) })),
    ...added.map((rule) => atRule(rule.id)(`added (${describe(rule, after)})`, gained(rule, after))),
    ...after.rules.flatMap((is) => {
      const was = old.get(is.id);
      return was === undefined ? [] : changesOf(was, is, { before, after });
    }),
  ];
}

function atRule(name: string): At {
  return (what, effect) => ({ on: "rule", name, what, effect });
}

/** Whether a rule's match has an effect on the outcome. */
export function isEnforcing(rule: PolicyRule, policy: PolicyDocument): boolean {
  return modeOf(rule, policy) === "enforce" && rule.action !== "ALLOW" && rule.rollout?.percent !== 0;
}

function lost(rule: PolicyRule, policy: PolicyDocument): Effect {
  return isEnforcing(rule, policy) ? "weaker" : "none";
}

function gained(rule: PolicyRule, policy: PolicyDocument): Effect {
  return isEnforcing(rule, policy) ? "stricter" : "none";
}

function modeOf({ mode }: PolicyRule, { defaults }: PolicyDocument): "enforce" | "shadow" | "off" {
  return mode ?? defaults?.mode ?? "enforce";
}

function describe(rule: PolicyRule, policy: PolicyDocument): string {
  const mode = modeOf(rule, policy);
  return `${rule.action} at ${rule.stages.join(", ")}${mode === "enforce" ? "" : `, ${mode}`}`;
}

function changesOf(was: PolicyRule, is: PolicyRule, versions: Versions): Change[] {
  const at = atRule(is.id);
  const isFelt = isEnforcing(was, versions.before) || isEnforcing(is, versions.after);
  const all = [
    ...effectChanges(was, is, versions, at),
    ...stageChanges(was, is, at),
    ...detectChanges(was.detect, is.detect, thresholdsIn(versions), at),
    ...conditionChanges("when", was.when, is.when, at),
    ...conditionChanges("unless", was.unless, is.unless, at),
    ...wordChanges(was, is, at),
  ];
  return isFelt ? all : all.map((change) => ({ ...change, effect: "none" as const }));
}

/** Changes of what a match does. */
function effectChanges(was: PolicyRule, is: PolicyRule, { before, after }: Versions, at: At): Change[] {
  const changes: Change[] = [];
  if (was.action !== is.action) {
    const effect = byGrowth(outcomeNames.indexOf(was.action), outcomeNames.indexOf(is.action), "stricter");
    changes.push(at(`action ${effect === "stricter" ? "stricter" : "milder"}: ${was.action} → ${is.action}`, effect));
  }
  const [oldMode, mode] = [modeOf(was, before), modeOf(is, after)];
  if (oldMode !== mode) {
    const effect = mode === "enforce" ? "stricter" : oldMode === "enforce" ? "weaker" : "none";
    changes.push(at(`mode: ${oldMode} → ${mode}`, effect));
  }
  const [oldFail, fail] = [failModeOf(was, before), failModeOf(is, after)];
  if (oldFail !== fail)
    changes.push(at(`on_error: ${oldFail} → ${fail}`, fail === "fail_closed" ? "stricter" : "weaker"));
  return [...changes, ...rolloutChanges(was, is, at), ...styleChanges(was, is, at)];
}

function failModeOf({ on_error }: PolicyRule, { defaults }: PolicyDocument): string {
  return on_error ?? defaults?.on_error ?? "fail_closed";
}

function rolloutChanges(was: PolicyRule, is: PolicyRule, at: At): Change[] {
  const [old, current] = [was.rollout?.percent ?? 100, is.rollout?.percent ?? 100];
  const [by, nowBy] = [was.rollout?.by ?? "session_id", is.rollout?.by ?? "session_id"];
  // Everybody and nobody are the same whatever they are counted by.
  const isRecounted = by !== nowBy && old % 100 !== 0 && current % 100 !== 0;
  if (isRecounted) return [at(`rollout: ${old} % by ${by} → ${current} % by ${nowBy}`, "unknown")];
  return old === current ? [] : [at(`rollout: ${old} % → ${current} %`, byGrowth(old, current, "stricter"))];
}

function styleChanges(was: PolicyRule, is: PolicyRule, at: At): Change[] {
  const [old, style] = [was.redact?.style ?? "placeholder", is.redact?.style ?? "placeholder"];
  if (old === style) return [];
  // "partial" is the one style that leaves a part of the text.
  const effect = style === "partial" ? "weaker" : old === "partial" ? "stricter" : "none";
  return [at(`redact.style: ${old} → ${style}`, is.action === "REDACT" && was.action === "REDACT" ? effect : "none")];
}

function stageChanges(was: PolicyRule, is: PolicyRule, at: At): Change[] {
  const { added, removed } = setDifference(was.stages, is.stages);
  return [
    ...added.map((stage) => at(`stages: ${stage} added`, "stricter")),
    ...removed.map((stage) => at(`stages: ${stage} removed`, "weaker")),
  ];
}

function conditionChanges(key: "when" | "unless", was: string | undefined, is: string | undefined, at: At): Change[] {
  if (was === is) return [];
  if (was === undefined) return [at(`${key} added: ${is}`, "weaker")];
  // Without `when` a rule matches more; so does it without `unless`.
  if (is === undefined) return [at(`${key} removed: ${was}`, "stricter")];
  return [at(`${key} changed: ${was} → ${is}`, "unknown")];
}

function wordChanges(was: PolicyRule, is: PolicyRule, at: At): Change[] {
  const keys = ["severity", "category", "message", "description"] as const;
  return keys.filter((key) => !isEqual(was[key], is[key])).map((key) => at(`${key} changed`, "none"));
}

function thresholdsIn({ before, after }: Versions) {
  const lookUp = (policy: PolicyDocument) => (ref: string) => resolveDetector(policy, ref, definitions)?.threshold ?? 0;
  return { before: lookUp(before), after: lookUp(after) };
}
