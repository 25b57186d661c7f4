// What changed between two versions of a policy, in the terms of the language, and whether the new one is at least as strict. A change is
// called stricter when no request can come out milder for it, within time budgets; that is decided rule by rule and holds for all of
// them together, since the strictest enforced rule decides. Where it cannot be said by looking, it is "unknown", never guessed.

import type { JsonValue } from "@bufbuild/protobuf";
import type { DetectorDefinition } from "../detector.ts";
import { catalog } from "../detectors/catalog.ts";
import { type Effect, growth, inverse, isSame, jointEffect, listed, type PolicyChange } from "./change.ts";
import { directionOf } from "./condition-part.ts";
import { diffExemptions } from "./diff-exemption.ts";
import { diffExtends } from "./diff-extends.ts";
import { addedRule, diffRule, removedRule, rulePath } from "./diff-rule.ts";
import type { PolicyDocument } from "./document.ts";
import { type EffectiveRule, effectiveRule } from "./effective-rule.ts";
import { noPacks, type PackLayer, type PackSource } from "./extend.ts";
import { globGrowth } from "./glob-cover.ts";
import { isNamed } from "./list.ts";
import { layersOf } from "./parse.ts";

/** How strict the new version is beside the old one. */
export type Strictness = "stricter" | "weaker" | "equal" | "unknown";

/** What changed between two versions of a policy. */
export interface PolicyDiff {
  readonly changes: readonly PolicyChange[];
  /** "stricter": nothing can come out milder. "weaker": nothing can come out stricter. "equal": both. */
  readonly strictness: Strictness;
  /** What speaks for that. */
  readonly reasons: readonly string[];
}

interface Version {
  readonly document: PolicyDocument;
  /** Those of packs too. */
  readonly rules: ReadonlyMap<string, EffectiveRule>;
  readonly packs: readonly PackLayer[];
}

/** Compares two versions. Both have to be valid. */
export function diffPolicies(
  before: PolicyDocument,
  after: PolicyDocument,
  definitions: readonly DetectorDefinition[] = catalog,
  packs: PackSource = noPacks,
): PolicyDiff {
  const byId = new Map(definitions.map((definition) => [definition.id, definition]));
  const [old, now] = [before, after].map((document): Version => {
    const layers = layersOf(document, definitions, packs);
    const rules = [
      ...document.rules.map((rule) => effectiveRule(rule, document, byId)),
      ...layers.flatMap((layer) =>
        layer.document.rules.map((rule) => effectiveRule(rule, layer.document, byId, layer)),
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
    ...diffRest(before, after),
  ];
  return { changes, ...verdict(changes, asksForFindings(old) || asksForFindings(now)) };
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

/** New id by old id, of rules that are otherwise the same and whose id decides nothing. */
function renamesOf(old: Version, now: Version): Map<string, string> {
  const renames = new Map<string, string>();
  const hasExemptions = [old, now].some(({ document }) => (document.exemptions ?? []).length > 0);
  if (hasExemptions) return renames;
  const taken = new Set<string>();
  for (const rule of now.rules.values()) {
    if (old.rules.has(rule.id) || rule.rule.rollout !== undefined) continue;
    const candidates = [...old.rules.values()].filter(({ id }) => !now.rules.has(id) && !taken.has(id));
    const previous = candidates.find((candidate) => isSame(withoutId(candidate), withoutId(rule)));
    if (previous === undefined) continue;
    taken.add(previous.id);
    renames.set(rule.id, previous.id);
  }
  return renames;
}

function withoutId(rule: EffectiveRule) {
  const { terms, mode, onError } = rule;
  const shapes = terms.map(({ definition, ...term }) => ({ ...term, definition: definition?.id }));
  return [{ ...rule.rule, id: "" }, shapes, mode, onError];
}

function diffOrder(old: Version, now: Version): PolicyChange[] {
  const was = [...old.rules.keys()].filter((id) => now.rules.has(id));
  const is = [...now.rules.keys()].filter((id) => old.rules.has(id));
  if (isSame(was, is)) return [];
  const text = "rules in another order, which decides whose message is told";
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
    if (change === "neutral" && name in was === name in is) return [];
    const added = after.filter((item) => !before.includes(item));
    const removed = before.filter((item) => !after.includes(item));
    const parts = [
      name in was ? "" : "added",
      name in is ? "" : "removed",
      added.length === 0 ? "" : `${added.length} more: ${few(added)}`,
      removed.length === 0 ? "" : `${removed.length} less: ${few(removed)}`,
    ];
    return [
      {
        kind: "list_changed",
        path: `lists.${name}`,
        text: `list "${name}": ${parts.filter((part) => part !== "").join(", ")}`,
        before: name in was ? [...before] : undefined,
        after: name in is ? [...after] : undefined,
        effect: change === "neutral" ? "neutral" : listEffect(name, change, [old, now]),
      },
    ];
  });
}

/** A list that is now kept beside the policies, or no longer: nobody can say by looking what it holds. */
function keptElsewhere(name: string, versions: readonly [Version, Version]): PolicyChange {
  const [was, is] = versions.map(({ document }) => document.lists?.[name]);
  const text = `list "${name}": ${is === undefined ? "removed" : isNamed(is) ? "kept beside the policies, under this name" : "written out in the policy"}`;
  const effect = listEffect(name, "unknown", versions);
  return { kind: "list_changed", path: `lists.${name}`, text, before: jsonOf(was), after: jsonOf(is), effect };
}

/** What other entries of a list do, by how the conditions of either version depend on it. */
function listEffect(name: string, change: Effect, versions: readonly Version[]): Effect {
  const effects = versions.flatMap(({ rules, document }) => {
    const counting = [...rules.values()].filter((rule) => rule.counts);
    return [
      ...counting.map(({ rule }) => dependence(rule.when, name)),
      ...counting.map(({ rule }) => inverse(dependence(rule.unless, name))),
      ...(document.exemptions ?? []).map(({ when }) => inverse(dependence(when, name))),
    ];
  });
  const ofMore = jointEffect(effects);
  if (ofMore === "neutral") return "neutral";
  if (change === "unknown") return "unknown";
  return change === "stricter" ? ofMore : inverse(ofMore);
}

/** "stricter" for a condition that more entries can only make true. */
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

/** What decides no outcome. */
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

const findingKinds = new Set([
  "rule_added",
  "rule_removed",
  "detect_changed",
  "threshold_changed",
  "detector_changed",
  "mode_changed",
]);

function verdict(changes: readonly PolicyChange[], asks: boolean): Pick<PolicyDiff, "strictness" | "reasons"> {
  const moving = changes.filter(({ effect }) => effect !== "neutral");
  // What any rule of the policy finds is what these conditions ask about.
  const isEntangled = asks && changes.some(({ kind }) => findingKinds.has(kind));
  const joint = jointEffect([...moving.map(({ effect }) => effect), ...(isEntangled ? ["unknown" as const] : [])]);
  const reasons = moving.map(({ effect, text }) => `${effect}: ${text}`);
  if (isEntangled) reasons.push("unknown: a condition reads findings, and what is found has changed");
  if (joint === "neutral") return { strictness: "equal", reasons: ["no change can change an outcome"] };
  return { strictness: joint, reasons };
}

function asksForFindings({ document, rules }: Version): boolean {
  const sources = [...rules.values()].filter((rule) => rule.counts).flatMap(({ rule }) => [rule.when, rule.unless]);
  return [...sources, ...(document.exemptions ?? []).map(({ when }) => when)].some(
    (source) => source !== undefined && /\bfindings\b/.test(source),
  );
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
