// Compares two versions of a policy: lists the changes in terms of the policy language, and decides whether the new
// version is at least as strict. A change is "stricter" when no request can get a milder outcome from it, time limits
// aside. This is decided rule by rule and holds for all rules together, since the strictest enforced rule decides. A
// change whose effect cannot be derived from the documents is "unknown"; nothing is guessed.

import type { JsonValue } from "@bufbuild/protobuf";
import { catalog } from "../detectors/catalog.ts";
import type { DetectorDefinition } from "../detectors/detector.ts";
import { type Effect, growth, inverse, isSame, jointEffect, listed, type PolicyChange } from "../policy/change.ts";
import { directionOf } from "../policy/condition-part.ts";
import { entanglements } from "../policy/diff-entangled.ts";
import { addedRule, diffRule, removedRule, rulePath } from "../policy/diff-rule.ts";
import type { PolicyDocument } from "../policy/document.ts";
import { type EffectiveRule, type EffectiveTerm, effectiveRule } from "../policy/effective-rule.ts";
import { noPacks, type PackLayer, type PackSource } from "../policy/extend.ts";
import { globGrowth } from "../policy/glob-cover.ts";
import { isNamed } from "../policy/list.ts";
import { layersOf } from "../policy/parse.ts";
import { diffExemptions } from "./diff-exemption.ts";
import { diffExtends } from "./diff-extends.ts";

/** The strictness of the new version relative to the old one. */
export type Strictness = "stricter" | "weaker" | "equal" | "unknown";

/** The changes between two versions of a policy. */
export interface PolicyDiff {
  readonly changes: readonly PolicyChange[];
  /** "stricter": no outcome can become milder. "weaker": no outcome can become stricter. "equal": both hold. */
  readonly strictness: Strictness;
  /** The reasons for the strictness. */
  readonly reasons: readonly string[];
}

interface Version {
  readonly document: PolicyDocument;
  /** Includes the rules of packs. */
  readonly rules: ReadonlyMap<string, EffectiveRule>;
  readonly packs: readonly PackLayer[];
}

/** Compares two versions. Both must be valid. The later one may have packs of its own, as in another bundle. */
export function diffPolicies(
  before: PolicyDocument,
  after: PolicyDocument,
  definitions: readonly DetectorDefinition[] = catalog,
  packs: PackSource = noPacks,
  laterPacks: PackSource = packs,
): PolicyDiff {
  const byId = new Map(definitions.map((definition) => [definition.id, definition]));
  const versions = [
    [before, packs],
    [after, laterPacks],
  ] as const;
  const [old, now] = versions.map(([document, source]): Version => {
    const layers = layersOf(document, definitions, source);
    const rules = [
      ...document.rules.map((rule) => effectiveRule(rule, document, byId)),
      ...layers.flatMap((layer) =>
        layer.document.rules.map((rule) => effectiveRule(rule, layer.document, byId, layer, document)),
      ),
    ];
    return { document, rules: new Map(rules.map((rule) => [rule.id, rule])), packs: layers };
  }) as [Version, Version]; // two in, two out
  const counting = [...old.rules.values(), ...now.rules.values()].filter((rule) => rule.counts).map(({ id }) => id);
  const changes = [
    ...diffExtends(old, now),
    ...diffRules(old, now),
    ...diffExemptions(before.exemptions ?? [], after.exemptions ?? [], counting),
    ...diffLists(old, now),
    ...diffMatch(before, after),
    ...diffUnlisted(old, now),
    ...diffRest(before, after),
  ];
  return { changes, ...verdict(changes, entanglements(changes, [old, now])) };
}

function diffRules(old: Version, now: Version): PolicyChange[] {
  const renames = renamesOf(old, now);
  const added = [...now.rules.values()].filter(({ id }) => !old.rules.has(id) && !renames.has(id));
  const renamed = new Set(renames.values());
  const removed = [...old.rules.values()].filter(({ id }) => !now.rules.has(id) && !renamed.has(id));
  const kept = [...now.rules.values()].flatMap((rule) => {
    const previous = old.rules.get(rule.id);
    return previous === undefined ? [] : diffRule(previous, rule);
  });
  const names = [...renames].map(([to, from]): PolicyChange => {
    const text = `rule "${from}" renamed to "${to}"`;
    return { kind: "rule_renamed", path: rulePath(to), rule: to, text, before: from, after: to, effect: "neutral" };
  });
  return [...removed.map(removedRule), ...added.map(addedRule), ...names, ...kept, ...diffOrder(old, now)];
}

/** New id by old id, for rules that are otherwise equal and whose id decides nothing. */
function renamesOf(old: Version, now: Version): Map<string, string> {
  const renames = new Map<string, string>();
  const hasExemptions = [old, now].some(({ document }) => (document.exemptions ?? []).length > 0);
  if (hasExemptions) return renames;
  const taken = new Set<string>();
  for (const rule of now.rules.values()) {
    if (old.rules.has(rule.id) || rule.rule.rollout !== undefined) continue;
    const removed = [...old.rules.values()].filter(({ id }) => !now.rules.has(id) && !taken.has(id));
    const previous = removed.find((each) => isSame(withoutId(each), withoutId(rule)));
    if (previous === undefined) continue;
    taken.add(previous.id);
    renames.set(rule.id, previous.id);
  }
  return renames;
}

function withoutId(rule: EffectiveRule) {
  const { terms, mode, onError } = rule;
  return [{ ...rule.rule, id: "" }, terms.map(shapeOf), mode, onError];
}

function shapeOf({ definition, ...term }: EffectiveTerm) {
  return { ...term, definition: definition?.id };
}

function diffOrder(old: Version, now: Version): PolicyChange[] {
  const was = [...old.rules.keys()].filter((id) => now.rules.has(id));
  const is = [...now.rules.keys()].filter((id) => old.rules.has(id));
  if (isSame(was, is)) return [];
  const text = "rules in another order, which decides whose message is given";
  return [{ kind: "rules_reordered", path: "rules", text, before: was, after: is, effect: "neutral" }];
}

function diffLists(old: Version, now: Version): PolicyChange[] {
  const [was, is] = [old.document.lists ?? {}, now.document.lists ?? {}];
  const names = [...new Set([...Object.keys(was), ...Object.keys(is)])].sort();
  return names.flatMap((name): PolicyChange[] => {
    const [mine, theirs] = [was[name], is[name]];
    if (isSame(mine, theirs)) return [];
    if ([mine, theirs].some((list) => list !== undefined && isNamed(list))) return [keptElsewhere(name, [old, now])];
    const [before, after] = [mine ?? [], theirs ?? []].map((list) => (isNamed(list) ? [] : list)) as [
      string[],
      string[],
    ];
    const change = growth(before, after);
    const isArranged = change === "neutral" && name in was === name in is;
    if (isArranged && !isReadByPlace(name, [old, now])) return [];
    const added = after.filter((item) => !before.includes(item));
    const removed = before.filter((item) => !after.includes(item));
    const parts = [
      name in was ? "" : "added",
      name in is ? "" : "removed",
      added.length === 0 ? "" : `${added.length} more: ${few(added)}`,
      removed.length === 0 ? "" : `${removed.length} less: ${few(removed)}`,
      isArranged ? "in another order, or with other repetitions" : "",
    ];
    return [
      {
        kind: "list_changed",
        path: `lists.${name}`,
        text: `list "${name}": ${parts.filter((part) => part !== "").join(", ")}`,
        before: name in was ? [...before] : undefined,
        after: name in is ? [...after] : undefined,
        effect: change === "neutral" ? arrangementEffect(name, [old, now]) : listEffect(name, change, [old, now]),
      },
    ];
  });
}

/**
 * The change of a list that moved into or out of the document; the effect is unknown, since a named list is not part of
 * the document.
 */
function keptElsewhere(name: string, versions: readonly [Version, Version]): PolicyChange {
  const [was, is] = versions.map(({ document }) => document.lists?.[name]);
  const text = `list "${name}": ${is === undefined ? "removed" : isNamed(is) ? "stored separately, under this name" : "written in the policy"}`;
  const effect = listEffect(name, "unknown", versions);
  return { kind: "list_changed", path: `lists.${name}`, text, before: jsonOf(was), after: jsonOf(is), effect };
}

/** Whether a condition of either version depends on more than membership in a list: on an index or on its length. */
function isReadByPlace(name: string, versions: readonly [Version, Version]): boolean {
  return versions.some(({ rules, document }) =>
    [
      ...[...rules.values()].flatMap(({ rule }) => [rule.when, rule.unless]),
      ...(document.exemptions ?? []).map(({ when }) => when),
    ].some((source) => dependence(source, name) === "unknown"),
  );
}

/** The effect of reordering the entries of a list. */
function arrangementEffect(name: string, versions: readonly [Version, Version]): Effect {
  return dependences(name, versions).includes("unknown") ? "unknown" : "neutral";
}

/** The effect of a change of entries, by how the conditions of either version depend on the list. */
function listEffect(name: string, change: Effect, versions: readonly Version[]): Effect {
  const ofMore = jointEffect(dependences(name, versions));
  if (ofMore === "neutral") return "neutral";
  if (change === "unknown") return "unknown";
  return change === "stricter" ? ofMore : inverse(ofMore);
}

/** The effect of additional entries on each condition that can change an outcome. */
function dependences(name: string, versions: readonly Version[]): Effect[] {
  return versions.flatMap(({ rules, document }) => {
    const counting = [...rules.values()].filter((rule) => rule.counts);
    return [
      ...counting.map(({ rule }) => dependence(rule.when, name)),
      ...counting.map(({ rule }) => inverse(dependence(rule.unless, name))),
      ...(document.exemptions ?? []).map(({ when }) => inverse(dependence(when, name))),
    ];
  });
}

/** "stricter" when additional entries can only make the condition true. */
function dependence(source: string | undefined, list: string): Effect {
  const direction = source === undefined ? undefined : directionOf(source, list);
  if (direction === undefined) return "neutral";
  return ({ rises: "stricter", falls: "weaker", unknown: "unknown" } as const)[direction];
}

function diffMatch(before: PolicyDocument, after: PolicyDocument): PolicyChange[] {
  return (["agents", "envs"] as const).flatMap((key): PolicyChange[] => {
    const [was, is] = [before.match?.[key], after.match?.[key]];
    const effect = globGrowth(was, is);
    if (isSame(was, is) || effect === "neutral") return [];
    const text = `applies to ${key === "agents" ? "agents" : "environments"} ${was === undefined ? "*" : listed(was)} before, ${is === undefined ? "*" : listed(is)} now`;
    return [{ kind: "match_changed", path: `match.${key}`, text, before: jsonOf(was), after: jsonOf(is), effect }];
  });
}

/** What becomes of texts in languages that the detectors of kept rules do not know. */
function diffUnlisted(old: Version, now: Version): PolicyChange[] {
  const effects = [...now.rules.values()].flatMap((rule): Effect[] => {
    const previous = old.rules.get(rule.id);
    if (previous === undefined || !(rule.counts || previous.counts)) return [];
    const [was, is] = [previous, rule].map(({ onUnlisted }) => onUnlisted === "fail_closed");
    if (was !== is) return [is ? "stricter" : "weaker"];
    // A detector that finds less leaves more texts to the rule's failing closed.
    return is && !isSame(previous.terms.map(shapeOf), rule.terms.map(shapeOf)) ? ["unknown"] : [];
  });
  const [was, is] = [old, now].map(({ document }) => document.defaults?.unsupported_language ?? "ignore");
  if (effects.length === 0 && was === is) return [];
  const path = "defaults.unsupported_language";
  const text = was === is ? `${path} concerns other texts` : `${path}: ${is} instead of ${was}`;
  const effect = effects.length === 0 ? "neutral" : jointEffect(effects);
  return [{ kind: "defaults_changed", path, text, before: jsonOf(was), after: jsonOf(is), effect }];
}

/** Changes of parts that never affect outcomes. */
function diffRest(before: PolicyDocument, after: PolicyDocument): PolicyChange[] {
  const parts = [
    ["metadata.name", "text_changed", before.metadata.name, after.metadata.name],
    ["metadata.description", "text_changed", before.metadata.description, after.metadata.description],
    ["metadata.controls", "text_changed", before.metadata.controls, after.metadata.controls],
    [
      "defaults.timeout_ms",
      "defaults_changed",
      before.defaults?.timeout_ms ?? 1000,
      after.defaults?.timeout_ms ?? 1000,
    ],
    ["defaults.record", "defaults_changed", before.defaults?.record ?? "full", after.defaults?.record ?? "full"],
  ] as const;
  const changes = parts.flatMap(([path, kind, was, is]): PolicyChange[] => {
    if (isSame(was, is)) return [];
    const text = `${path}: ${toldOf(is)} instead of ${toldOf(was)}`;
    return [{ kind, path, text, before: jsonOf(was), after: jsonOf(is), effect: "neutral" }];
  });
  return [...changes, ...diffTests(before, after)];
}

function diffTests(before: PolicyDocument, after: PolicyDocument): PolicyChange[] {
  const [was, is] = [before.tests ?? [], after.tests ?? []];
  if (isSame(was, is)) return [];
  const old = new Map(was.map((test) => [test.name, test]));
  const added = is.filter(({ name }) => !old.has(name)).map(({ name }) => name);
  const removed = was.filter(({ name }) => !is.some((test) => test.name === name)).map(({ name }) => name);
  const changed = is.filter((test) => old.has(test.name) && !isSame(old.get(test.name), test)).map(({ name }) => name);
  const parts = (
    [
      ["added", added],
      ["removed", removed],
      ["changed", changed],
    ] as const
  )
    .filter(([, names]) => names.length > 0)
    .map(([verb, names]) => `${names.length} ${verb} (${few(names)})`);
  const text = `tests: ${parts.length === 0 ? "in another order" : parts.join(", ")}`;
  return [{ kind: "tests_changed", path: "tests", text, effect: "neutral" }];
}

function verdict(
  changes: readonly PolicyChange[],
  entangled: readonly string[],
): Pick<PolicyDiff, "strictness" | "reasons"> {
  const moving = changes.filter(({ effect }) => effect !== "neutral");
  const unknown = entangled.map((): Effect => "unknown");
  const joint = jointEffect([...moving.map(({ effect }) => effect), ...unknown]);
  const reasons = [
    ...moving.map(({ effect, text }) => `${effect}: ${text}`),
    ...entangled.map((reason) => `unknown: ${reason}`),
  ];
  if (joint === "neutral") return { strictness: "equal", reasons: ["no change can change an outcome"] };
  return { strictness: joint, reasons };
}

function few(items: readonly string[]): string {
  return items.length > 3 ? `${listed(items.slice(0, 3))}, …` : listed(items);
}

function toldOf(value: unknown): string {
  return value === undefined ? "nothing" : typeof value === "string" ? value : JSON.stringify(value);
}

function jsonOf(value: unknown): JsonValue | undefined {
  return value as JsonValue | undefined; // a part of a document is JSON
}
