// Compares what two bundles mean: their policies in the terms of the policy language, and their lists by their items.

import type { JsonObject } from "@bufbuild/protobuf";
import { diffPolicies, type PolicyDiff, type Strictness } from "../../../runtime/engine/authoring/diff.ts";
import { catalog } from "../../../runtime/engine/detectors/catalog.ts";
import { type Effect, isSame, jointEffect } from "../../../runtime/engine/policy/change.ts";
import { packsOf } from "../../../runtime/engine/policy/pack-record.ts";
import { asPolicy, counterexamplesOf, type DiffWithCounterexamples } from "./diff-versions.ts";
import {
  type ListPart,
  listParts,
  type PartScope,
  type PolicyPart,
  policyParts,
  type StoredPart,
} from "./stored-part.ts";
import type { Tools } from "./tools.ts";

/** Parts of two bundles in which they differ: their policies and lists. */
export interface BundlePair {
  readonly before: readonly StoredPart[];
  readonly after: readonly StoredPart[];
  /** Paths of what else differs. */
  readonly otherPaths: readonly string[];
  readonly now: Date;
}

/** A change of a policy in a bundle: of its document, or of its scope. */
export type BundleChange = Omit<PolicyDiff["changes"][number], "kind"> & { readonly kind: string };

/** What becomes of a policy. It has a version before or after, or both. */
export interface ComparedPolicy extends Pick<DiffWithCounterexamples, "strictness" | "reasons" | "counterexamples"> {
  readonly policyId: string;
  readonly name: string;
  readonly baseVersion: number | undefined;
  readonly version: number | undefined;
  readonly changes: readonly BundleChange[];
}

/** What becomes of the items of a list. */
export interface ComparedList {
  readonly listId: string;
  readonly name: string;
  readonly added: number;
  readonly removed: number;
  readonly addedItems: readonly string[];
  readonly removedItems: readonly string[];
}

/** How two bundles differ. */
export interface BundleMeaning extends Pick<PolicyDiff, "strictness" | "reasons"> {
  readonly policies: readonly ComparedPolicy[];
  readonly lists: readonly ComparedList[];
}

const maxShownItems = 20;

/** What changes in meaning when the later bundle takes the place of the earlier one. */
export function compareBundles(pair: BundlePair, tools: Tools): BundleMeaning {
  const { before, after, otherPaths } = pair;
  const policies = pairsOf(policyParts(before), policyParts(after), ({ policy_id }) => policy_id).map((policy) =>
    comparedPolicy(policy, pair.now, tools),
  );
  const lists = pairsOf(listParts(before), listParts(after), ({ list_id }) => list_id).map(comparedList);
  return { ...verdict(policies, lists, otherPaths), policies, lists };
}

/** The two states of something; at least one of them is there. */
interface Pair<Part> {
  readonly id: string;
  readonly was: Part | undefined;
  readonly is: Part | undefined;
  readonly named: Part;
}

/** What either side has, by name. */
function pairsOf<Part extends { readonly name: string }>(
  before: readonly Part[],
  after: readonly Part[],
  idOf: (part: Part) => string,
): Pair<Part>[] {
  const byId = (parts: readonly Part[]) => new Map(parts.map((part) => [idOf(part), part]));
  const [old, now] = [byId(before), byId(after)];
  return [...new Map([...old, ...now])]
    .map(([id, named]) => ({ id, named, was: old.get(id), is: now.get(id) }))
    .sort((a, b) => (a.named.name < b.named.name ? -1 : 1));
}

function comparedPolicy({ id, named, was, is }: Pair<PolicyPart>, now: Date, tools: Tools): ComparedPolicy {
  const head = { policyId: id, name: named.name, baseVersion: was?.version, version: is?.version };
  if (was === undefined || is === undefined) {
    // The strictest enforced rule of all policies decides, so one more can only be stricter.
    const strictness = was === undefined ? "stricter" : "weaker";
    return { ...head, strictness, reasons: [], changes: [], counterexamples: [] };
  }
  tools.enter(`comparing the versions of ${named.name}`);
  const [old, next] = [asPolicy(was.document), asPolicy(is.document)];
  const packs = packsOf(was.packs ?? []);
  const laterPacks = packsOf(is.packs ?? []);
  const diff = diffPolicies(old, next, catalog, packs, laterPacks);
  const scope = scopeChange(was.scope, is.scope);
  const counterexamples = counterexamplesOf(old, next, { now, packs, models: tools.models }, laterPacks);
  if (scope === undefined) return { ...head, ...diff, counterexamples };
  const effects = [scope.effect, effectOf(diff.strictness)];
  return {
    ...head,
    strictness: strictnessOf(jointEffect(effects)),
    reasons: [`${scope.effect}: ${scope.text}`, ...(diff.strictness === "equal" ? [] : diff.reasons)],
    changes: [scope, ...diff.changes],
    counterexamples,
  };
}

/** What becomes of where a policy applies; undefined when that stays. */
function scopeChange(before: PartScope, after: PartScope): BundleChange | undefined {
  if (isSame(before, after)) return undefined;
  const effect: Effect = covers(after, before) ? "stricter" : covers(before, after) ? "weaker" : "unknown";
  const text = `scope: ${toldScope(after)} instead of ${toldScope(before)}`;
  return { kind: "scope_changed", path: "scope", text, before: jsonOf(before), after: jsonOf(after), effect };
}

const places = ["app_id", "agent_id", "env"] as const;

function covers(wide: PartScope, narrow: PartScope): boolean {
  return places.every((place) => wide[place] === "*" || wide[place] === narrow[place]);
}

function toldScope(scope: PartScope): string {
  return places.map((place) => `${place} ${scope[place]}`).join(", ");
}

function jsonOf({ app_id, agent_id, env }: PartScope): JsonObject {
  return { app_id, agent_id, env };
}

function comparedList({ id, named, was, is }: Pair<ListPart>): ComparedList {
  const [old, now] = [new Set(was?.items), new Set(is?.items)];
  const added = [...now].filter((item) => !old.has(item));
  const removed = [...old].filter((item) => !now.has(item));
  return {
    listId: id,
    name: named.name,
    added: added.length,
    removed: removed.length,
    addedItems: added.slice(0, maxShownItems),
    removedItems: removed.slice(0, maxShownItems),
  };
}

function verdict(
  policies: readonly ComparedPolicy[],
  lists: readonly ComparedList[],
  otherPaths: readonly string[],
): Pick<BundleMeaning, "strictness" | "reasons"> {
  const reasons = [
    ...policies.filter(({ strictness }) => strictness !== "equal").map(reasonOf),
    ...lists.map(
      ({ name, added, removed }) => `unknown: the list "${name}" gains ${added} and loses ${removed} item(s)`,
    ),
    ...otherPaths.map((path) => `unknown: ${path} differs`),
  ];
  if (reasons.length === 0) return { strictness: "equal", reasons: ["no difference can change an outcome"] };
  const others: Effect[] = lists.length + otherPaths.length > 0 ? ["unknown"] : [];
  const joint = jointEffect([...policies.map(({ strictness }) => effectOf(strictness)), ...others]);
  return { strictness: strictnessOf(joint), reasons };
}

function reasonOf({ name, baseVersion, version, strictness }: ComparedPolicy): string {
  if (baseVersion === undefined) return `${strictness}: the policy "${name}" comes`;
  if (version === undefined) return `${strictness}: the policy "${name}" goes`;
  return `${strictness}: the policy "${name}" changes from version ${baseVersion} to ${version}`;
}

function effectOf(strictness: Strictness): Effect {
  return strictness === "equal" ? "neutral" : strictness;
}

function strictnessOf(effect: Effect): Strictness {
  return effect === "neutral" ? "equal" : effect;
}
