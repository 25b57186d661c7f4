// The differences between two versions of a policy.

import type { PolicyDocument, PolicyExemption } from "../../../runtime/engine/policy/document.ts";
import { canonicalPolicy } from "../../../runtime/engine/policy/parse.ts";
import { asReference, detectTerms } from "../../../runtime/engine/policy/reference.ts";
import { type Change, type Effect, isEqual, setDifference } from "./change.ts";
import { detectorChanges } from "./detector.ts";
import { extentChanges } from "./extent.ts";
import { isEnforcing, ruleChanges, type Versions } from "./rule.ts";

/** All differences, in the order of a document. */
export function policyChanges(before: PolicyDocument, after: PolicyDocument): Change[] {
  const versions = { before: ordered(before), after: ordered(after) };
  const detecting = [...usedDetectorChanges(versions), ...ruleChanges(versions)];
  return [
    ...headChanges(versions),
    ...listChanges(versions),
    ...(readsFindings(versions) ? detecting.map(doubted) : detecting),
    ...exemptionChanges(versions),
    ...testChanges(versions),
  ];
}

/** The document with keys in one order, so that two spellings of one document are no difference. */
function ordered(policy: PolicyDocument): PolicyDocument {
  return canonicalPolicy(policy) as unknown as PolicyDocument; // canonical form changes nothing but the order of keys
}

function headChanges({ before, after }: Versions): Change[] {
  const at = (on: string, what: string, effect: Effect): Change => ({ on, name: "", what, effect });
  const changes: Change[] = [];
  if (before.metadata.name !== after.metadata.name) {
    changes.push(at("policy", `name: ${before.metadata.name} → ${after.metadata.name}`, "none"));
  }
  for (const key of ["description", "controls"] as const) {
    if (!isEqual(before.metadata[key], after.metadata[key])) changes.push(at("policy", `${key} changed`, "none"));
  }
  for (const key of ["agents", "envs"] as const) {
    const about = { on: "match", name: "", label: key };
    changes.push(...extentChanges(before.match?.[key], after.match?.[key], about, "stricter"));
  }
  // What `mode` and `on_error` do is told with each rule that they reach.
  const timeouts = [before.defaults?.timeout_ms ?? 1000, after.defaults?.timeout_ms ?? 1000];
  if (timeouts[0] !== timeouts[1]) changes.push(at("defaults", `timeout_ms: ${timeouts.join(" → ")}`, "unknown"));
  const records = [before.defaults?.record ?? "full", after.defaults?.record ?? "full"];
  if (records[0] !== records[1]) changes.push(at("defaults", `record: ${records.join(" → ")}`, "none"));
  return changes;
}

function listChanges({ before, after }: Versions): Change[] {
  const [old, current] = [before.lists ?? {}, after.lists ?? {}];
  const names = [...new Set([...Object.keys(old), ...Object.keys(current)])].sort();
  return names.flatMap((name) => {
    // Conditions of this policy, and of others in scope, may read it either way.
    const at = (what: string): Change => ({ on: "list", name, what, effect: "unknown" });
    const [was, is] = [old[name], current[name]];
    if (was === undefined) return [at("added")];
    if (is === undefined) return [at("removed")];
    const { added, removed } = setDifference(was, is);
    return [...added.map((item) => at(`${item} added`)), ...removed.map((item) => at(`${item} removed`))];
  });
}

/** Detectors that no enforced rule names, before or after, change nothing that is enforced. */
function usedDetectorChanges(versions: Versions): Change[] {
  const used = new Set([...detectorsOf(versions.before), ...detectorsOf(versions.after)]);
  const changes = detectorChanges(versions.before, versions.after);
  return changes.map((change) => (used.has(change.name) ? change : { ...change, effect: "none" }));
}

function detectorsOf(policy: PolicyDocument): string[] {
  const rules = policy.rules.filter((rule) => isEnforcing(rule, policy));
  return rules.flatMap(({ detect }) =>
    detect === undefined ? [] : detectTerms(detect).terms.map((term) => asReference(term).ref),
  );
}

/** Where a condition counts what was found, finding more may mean less. */
function readsFindings({ before, after }: Versions): boolean {
  const conditions = [before, after].flatMap(({ rules, exemptions }) => [
    ...rules.flatMap(({ when, unless }) => [when, unless]),
    ...(exemptions ?? []).map(({ when }) => when),
  ]);
  return conditions.some((condition) => condition !== undefined && /\bfindings\b/.test(condition));
}

function doubted(change: Change): Change {
  return change.effect === "none" ? change : { ...change, effect: "unknown" };
}

function exemptionChanges({ before, after }: Versions): Change[] {
  const old = new Map((before.exemptions ?? []).map((exemption) => [exemption.id, exemption]));
  const current = new Map((after.exemptions ?? []).map((exemption) => [exemption.id, exemption]));
  const ids = [...new Set([...old.keys(), ...current.keys()])].sort();
  return ids.flatMap((id) => {
    const [was, is] = [old.get(id), current.get(id)];
    const at = (what: string, effect: Effect): Change => ({ on: "exemption", name: id, what, effect });
    if (was === undefined) return [at(`added for ${is?.rules.join(", ")}`, "weaker")];
    if (is === undefined) return [at(`removed for ${was.rules.join(", ")}`, "stricter")];
    const changes = extentChanges(was.rules, is.rules, { on: "exemption", name: id, label: "rules" }, "weaker");
    if (was.when !== is.when) changes.push(at(`when changed: ${was.when} → ${is.when}`, "unknown"));
    if (was.expires !== is.expires) changes.push(expiryChange(was, is, at));
    if (was.reason !== is.reason) changes.push(at("reason changed", "none"));
    return changes;
  });
}

function expiryChange(was: PolicyExemption, is: PolicyExemption, at: (what: string, effect: Effect) => Change): Change {
  const time = ({ expires }: PolicyExemption) =>
    expires === undefined ? Number.POSITIVE_INFINITY : Date.parse(expires);
  const [old, current] = [time(was), time(is)];
  const effect = old === current ? "none" : current > old ? "weaker" : "stricter";
  return at(`expires: ${was.expires ?? "never"} → ${is.expires ?? "never"}`, effect);
}

function testChanges({ before, after }: Versions): Change[] {
  const old = new Map((before.tests ?? []).map((entry) => [entry.name, entry]));
  const current = new Map((after.tests ?? []).map((entry) => [entry.name, entry]));
  const at = (name: string, what: string): Change => ({ on: "test", name, what, effect: "none" });
  return [
    ...[...old.keys()].filter((name) => !current.has(name)).map((name) => at(name, "removed")),
    ...[...current].flatMap(([name, entry]) => {
      const was = old.get(name);
      if (was === undefined) return [at(name, "added")];
      return isEqual(was, entry) ? [] : [at(name, "changed")];
    }),
  ];
}
