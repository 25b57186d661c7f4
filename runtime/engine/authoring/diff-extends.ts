// The changes of the guard packs that a policy extends. Their rules are compared one by one like the policy's own; this
// file reports added and removed packs, and changes of a pack that cannot be traced to its rules.

import type { JsonValue } from "@bufbuild/protobuf";
import { isSame, type PolicyChange } from "../policy/change.ts";
import type { PackUse, PolicyDocument } from "../policy/document.ts";
import { type PackLayer, referenceOf, withSettings } from "../policy/extend.ts";

/** A version of a policy with its packs. */
interface Extending {
  readonly document: PolicyDocument;
  readonly packs: readonly PackLayer[];
}

/** The changes of the packs of two versions. */
export function diffExtends(old: Extending, now: Extending): PolicyChange[] {
  const [was, is] = [old, now].map(({ document }) => usesById(document)) as [Uses, Uses]; // two in, two out
  const changes = [...new Set([...was.keys(), ...is.keys()])].flatMap((id): PolicyChange[] => {
    const [before, after] = [was.get(id), is.get(id)];
    if (isSame(before, after)) return [];
    const isKnown = isAtHand(before, id, old) && isAtHand(after, id, now);
    const text = `pack ${id}: ${reported(before, after)}`;
    // When the pack is available, its rules are reported one by one.
    const effect = isKnown ? "neutral" : "unknown";
    return [
      { kind: "extends_changed", path: `extends["${id}"]`, text, before: jsonOf(before), after: jsonOf(after), effect },
    ];
  });
  return [...changes, ...diffInside(old, now)];
}

function isAtHand(use: PackUse | undefined, id: string, { packs }: Extending): boolean {
  return use === undefined || packs.some(({ prefix }) => prefix === `${id}/`);
}

type Uses = ReadonlyMap<string, PackUse>;

function usesById({ extends: uses = [] }: PolicyDocument): Uses {
  return new Map(uses.map((use) => [referenceOf(withSettings(use))?.id ?? "", use]));
}

function reported(before: PackUse | undefined, after: PackUse | undefined): string {
  if (before === undefined || after === undefined) {
    return before === undefined ? `extended as ${referred(after)}` : `no longer extended (was ${referred(before)})`;
  }
  const [from, to] = [referred(before), referred(after)];
  return from === to ? "extended with other settings" : `extended as ${to} instead of ${from}`;
}

function referred(use: PackUse | undefined): string {
  return use === undefined ? "nothing" : withSettings(use).pack;
}

/** The changes of lists and exemptions in packs that both versions extend. */
function diffInside(old: Extending, now: Extending): PolicyChange[] {
  return now.packs.flatMap((layer): PolicyChange[] => {
    const previous = old.packs.find(({ prefix }) => prefix === layer.prefix);
    if (previous === undefined) return [];
    const [was, is] = [previous.document, layer.document];
    if (isSame([was.lists ?? {}, was.exemptions ?? []], [is.lists ?? {}, is.exemptions ?? []])) return [];
    const name = layer.prefix.slice(0, -1);
    const text = `pack ${name}: other lists or exemptions of its own`;
    return [{ kind: "extends_changed", path: `extends["${name}"]`, text, effect: "unknown" }];
  });
}

function jsonOf(use: PackUse | undefined): JsonValue | undefined {
  return use as JsonValue | undefined; // a part of a document is JSON
}
