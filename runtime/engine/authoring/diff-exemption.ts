// The changes of exemptions. Exemptions cancel the effect of rules, so wider exemptions make a weaker policy.

import type { JsonValue } from "@bufbuild/protobuf";
import { type Effect, inverse, isSame, jointEffect, listed, type PolicyChange } from "../policy/change.ts";
import { truthEffect } from "../policy/diff-condition.ts";
import type { PolicyExemption } from "../policy/document.ts";
import { coversGlob, globGrowth } from "../policy/glob-cover.ts";

/** The changes between two lists of exemptions. `ids` are the rules of either version that can change an outcome. */
export function diffExemptions(
  before: readonly PolicyExemption[],
  after: readonly PolicyExemption[],
  ids: readonly string[],
): PolicyChange[] {
  const [old, now] = [before, after].map(
    (list) => new Map(list.map((exemption) => [exemption.id, exemption] as const)),
  );
  const all = new Set([...(old?.keys() ?? []), ...(now?.keys() ?? [])]);
  return [...all].flatMap((id): PolicyChange[] => {
    const [was, is] = [old?.get(id), now?.get(id)];
    if (was === undefined)
      return is === undefined ? [] : [wholeChange("exemption_added", is, effectOn(ids, is, "weaker"))];
    if (is === undefined) return [wholeChange("exemption_removed", was, effectOn(ids, was, "stricter"))];
    return diffExemption(was, is, ids);
  });
}

function wholeChange(
  kind: "exemption_added" | "exemption_removed",
  exemption: PolicyExemption,
  effect: Effect,
): PolicyChange {
  const { id, rules, expires } = exemption;
  const isNew = kind === "exemption_added";
  const until = expires === undefined ? "without end" : `until ${expires}`;
  const text = `exemption "${id}" ${isNew ? "added" : "removed"}: ${listed(rules)}, ${until}`;
  const document = exemption as unknown as JsonValue; // a part of a document is JSON
  return { kind, path: exemptionPath(id), text, ...(isNew ? { after: document } : { before: document }), effect };
}

function diffExemption(was: PolicyExemption, is: PolicyExemption, ids: readonly string[]): PolicyChange[] {
  const parts = [
    {
      key: "rules",
      effect: inverse(globGrowth(was.rules, is.rules)),
      text: `covers ${listed(is.rules)} instead of ${listed(was.rules)}`,
    },
    {
      key: "when",
      effect: inverse(truthEffect(was.when, is.when, { byDefault: true, failed: false })),
      text: `when ${is.when} instead of ${was.when}`,
    },
    {
      key: "expires",
      effect: expiryEffect(was.expires, is.expires),
      text: `ends ${is.expires ?? "never"} instead of ${was.expires ?? "never"}`,
    },
    { key: "reason", effect: "neutral", text: "reason changed" },
  ] as const;
  const changed = parts.filter(
    ({ key, effect }) => !isSame(was[key], is[key]) && (key === "reason" || effect !== "neutral"),
  );
  if (changed.length === 0) return [];
  const effect = jointEffect(changed.map((part) => part.effect));
  const words = { stricter: "narrowed", weaker: "widened", unknown: "changed", neutral: "changed" }[effect];
  return [
    {
      kind: "exemption_changed",
      path: exemptionPath(is.id),
      text: `exemption "${is.id}" ${words}: ${changed.map(({ text }) => text).join(", ")}`,
      before: was as unknown as JsonValue, // a part of a document is JSON
      after: is as unknown as JsonValue,
      effect: jointEffect([effectOn(ids, was, effect), effectOn(ids, is, effect)]),
    },
  ];
}

function effectOn(ids: readonly string[], { rules }: PolicyExemption, effect: Effect): Effect {
  return ids.some((id) => rules.some((glob) => coversGlob(glob, id))) ? effect : "neutral";
}

function expiryEffect(was: string | undefined, is: string | undefined): Effect {
  const [from, to] = [endOf(was), endOf(is)];
  if (from === to) return "neutral";
  return to > from ? "weaker" : "stricter";
}

function endOf(expires: string | undefined): number {
  return expires === undefined ? Number.POSITIVE_INFINITY : Date.parse(expires);
}

function exemptionPath(id: string): string {
  return `exemptions["${id}"]`;
}
