// Conditions that depend on other rules: `findings` contains the findings of all detectors of the policy, and a session
// records what earlier evaluations found and let through. When a condition reads them, a change elsewhere in the policy
// may change its value either way.

import type { ChangeKind, PolicyChange } from "./change.ts";
import { namesIn } from "./condition-part.ts";
import type { PolicyDocument } from "./document.ts";
import type { EffectiveRule } from "./effective-rule.ts";
import type { PackLayer } from "./extend.ts";

/** A version of a policy with its packs. */
interface Version {
  readonly document: PolicyDocument;
  readonly rules: ReadonlyMap<string, EffectiveRule>;
  readonly packs: readonly PackLayer[];
}

/** Changes that affect what is found, whatever happens with it. */
const findingKinds: ReadonlySet<ChangeKind> = new Set([
  "rule_added",
  "rule_removed",
  "detect_changed",
  "threshold_changed",
  "detector_changed",
  "mode_changed",
]);

/**
 * Changes that affect neither what a session counts nor what passes. Sessions also count findings of rules without
 * effect.
 */
const silentKinds: ReadonlySet<ChangeKind> = new Set([
  "rule_renamed",
  "rules_reordered",
  "redaction_changed",
  "severity_changed",
  "message_changed",
  "text_changed",
  "defaults_changed",
  "tests_changed",
]);

/** Reasons why the joint effect of the changes cannot be determined from their single effects. */
export function entanglements(changes: readonly PolicyChange[], versions: readonly Version[]): string[] {
  const asks = new Set(versions.flatMap(decidingSources).flatMap((source) => [...namesIn(source)]));
  const found = asks.has("findings") && changes.some(({ kind }) => findingKinds.has(kind));
  const seen = asks.has("session") && changes.some(reachesSessions);
  return [
    ...(found ? ["a condition reads findings, and what is found has changed"] : []),
    ...(seen ? ["a condition reads the session, and what sessions have seen has changed"] : []),
  ];
}

function reachesSessions({ kind, path }: PolicyChange): boolean {
  // Sessions count findings by the category that the rule gives them.
  return !silentKinds.has(kind) || (kind === "text_changed" && path.endsWith("].category"));
}

/** The conditions that can change an outcome. */
function decidingSources({ document, rules, packs }: Version): string[] {
  const counting = [...rules.values()].filter((rule) => rule.counts);
  const exemptions = [document, ...packs.map((layer) => layer.document)].flatMap((each) => each.exemptions ?? []);
  return [
    ...counting.flatMap(({ rule }) => [rule.when, rule.unless]).filter((source) => source !== undefined),
    ...exemptions.map(({ when }) => when),
  ];
}
