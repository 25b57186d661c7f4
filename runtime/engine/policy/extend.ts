// Guard packs that a policy extends. Their rules run in addition to the policy's own, with ids "<pack>/<rule>"; each
// pack has its own detectors, lists, conditions and exemptions. The policy's exemptions, mode and roll-out apply to
// them, but weaken no locked rule.

import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import type {
  ModeName,
  PackUse,
  PackUseWithSettings,
  PolicyDocument,
  PolicyRule,
  Rollout,
  ShadowEnd,
} from "./document.ts";

/** A pack as a policy refers to it. */
export interface PackReference {
  readonly id: string;
  /** "2" or "2.1" for the newest version with that prefix, or exactly "2.1.0". */
  readonly version: string;
  readonly parameters: JsonObject;
}

/** A pack with its parameters filled in. */
export interface ResolvedPack {
  /** The exact version, such as "2.1.0". */
  readonly version: string;
  /** "sha256:…" over the pack before its parameters are filled in. */
  readonly digest: string;
  readonly document: JsonValue;
}

/** Why a pack cannot be used. `path` is within its parameters. */
export interface PackFailure {
  readonly problem: string;
  readonly suggestion?: string;
  readonly path?: readonly (string | number)[];
}

/** Finds packs. Pure: the same reference always gives the same pack. */
export type PackSource = (reference: PackReference) => ResolvedPack | PackFailure;

/** A source without packs. */
export const noPacks: PackSource = ({ id, version }) => ({
  problem: `the pack ${id}@${version} is not available here`,
});

/** The rules of one pack as a policy runs them. */
export interface PackLayer {
  /** Prefix of the ids of its rules and exemptions, such as "pii-eu/". */
  readonly prefix: string;
  /** The exact version. */
  readonly version: string;
  readonly digest: string;
  readonly document: PolicyDocument;
  /** The documents that extend it, the nearest first, with their settings. */
  readonly extendedBy: readonly Extender[];
}

/** A document that extends a pack. */
export interface Extender {
  readonly prefix: string;
  readonly document: PolicyDocument;
  readonly settings: PackUseWithSettings;
}

/** A problem with an entry of `extends`. */
export interface ExtendProblem {
  readonly index: number;
  readonly message: string;
  readonly suggestion?: string;
  /** Within the entry's parameters. */
  readonly path?: readonly (string | number)[];
}

/** The packs of a policy. */
export interface Extension {
  readonly layers: readonly PackLayer[];
  readonly problems: readonly ExtendProblem[];
}

/** Reads the document of a pack. `trail` lists the packs on the way to it. */
export type ReadPack = (
  document: JsonValue,
  trail: readonly string[],
) => { readonly policy?: PolicyDocument; readonly layers: readonly PackLayer[]; readonly problem?: string };

const deepest = 4;
const maxLayers = 32;

/** Finds the packs of a document, including the packs that those extend. */
export function resolveExtends(
  document: PolicyDocument,
  packs: PackSource,
  trail: readonly string[],
  read: ReadPack,
): Extension {
  const layers: PackLayer[] = [];
  const problems: ExtendProblem[] = [];
  const seen = new Set<string>();
  for (const [index, use] of (document.extends ?? []).entries()) {
    const settings = withSettings(use);
    const reference = referenceOf(settings);
    // The schema check reported entries without this shape.
    if (reference === undefined) continue;
    const found = seen.has(reference.id)
      ? { problem: `the pack ${reference.id} is extended twice` }
      : findLayers(document, settings, reference, { packs, trail, read });
    seen.add(reference.id);
    if ("problem" in found) problems.push({ index, ...withoutName(found) });
    else layers.push(...found);
    if (layers.length <= maxLayers) continue;
    problems.push({ index, message: `more than ${maxLayers} packs are extended, with those that they extend` });
    break;
  }
  return { layers: layers.slice(0, maxLayers), problems };
}

function findLayers(
  document: PolicyDocument,
  settings: PackUseWithSettings,
  reference: PackReference,
  { packs, trail, read }: { packs: PackSource; trail: readonly string[]; read: ReadPack },
): PackLayer[] | PackFailure {
  const { id } = reference;
  if (trail.includes(id)) return { problem: `the packs extend each other in a circle: ${[...trail, id].join(" → ")}` };
  if (trail.length >= deepest) return { problem: `packs extend packs deeper than ${deepest} levels` };
  const pack = packs(reference);
  if ("problem" in pack) return pack;
  const { policy, layers, problem } = read(pack.document, [...trail, id]);
  if (policy === undefined)
    return { problem: `the pack ${id} ${pack.version} is not valid: ${problem ?? "no policy"}` };
  if (policy.match !== undefined) return { problem: `the pack ${id} has "match", which only a policy may have` };
  const prefix = `${id}/`;
  const extender = { prefix: "", document, settings };
  const outer = (prefixes: readonly Extender[]) => [
    ...prefixes.map((each) => ({ ...each, prefix: prefix + each.prefix })),
    extender,
  ];
  return [
    { prefix, version: pack.version, digest: pack.digest, document: policy, extendedBy: [extender] },
    ...layers.map((layer) => ({ ...layer, prefix: prefix + layer.prefix, extendedBy: outer(layer.extendedBy) })),
  ];
}

function withoutName({ problem, ...rest }: PackFailure): Omit<ExtendProblem, "index"> {
  return { message: problem, ...rest };
}

/** An entry of `extends` in its long form. */
export function withSettings(use: PackUse): PackUseWithSettings {
  if (typeof use === "string") return { pack: use };
  return typeof use === "object" && use !== null ? use : { pack: "" };
}

/** The pack that an entry refers to; undefined when it is not a reference. */
export function referenceOf({ pack, parameters = {} }: PackUseWithSettings): PackReference | undefined {
  const [, id, version = ""] = /^pack:([a-z0-9-]+)@([\d.]+)$/.exec(String(pack)) ?? [];
  const isObject = typeof parameters === "object" && parameters !== null && !Array.isArray(parameters);
  return id === undefined || !isObject ? undefined : { id, version, parameters };
}

/**
 * Mode, end of shadow and roll-out of a rule, after applying the settings of its policy and of the documents that
 * extend it.
 */
export interface RuleEffect {
  readonly mode: ModeName;
  readonly shadow: ShadowEnd | undefined;
  readonly rollout: Rollout | undefined;
}

const modeOrder: readonly ModeName[] = ["off", "shadow", "enforce"];

/** The effect that a rule's own document gives it. */
export function ownEffect(rule: PolicyRule, document: PolicyDocument): RuleEffect {
  const mode = rule.mode ?? document.defaults?.mode ?? "enforce";
  const shadow = rule.shadow ?? (rule.mode === undefined ? document.defaults?.shadow : undefined);
  return { mode, shadow: mode === "shadow" ? shadow : undefined, rollout: rule.rollout };
}

/** The effect of a rule of a pack as a policy runs it. */
export function effectInLayer(rule: PolicyRule, { document, extendedBy }: PackLayer): RuleEffect {
  const own = ownEffect(rule, document);
  let explicit = rule.mode === undefined ? undefined : own;
  let inherited: RuleEffect = own;
  let rollout = rule.rollout;
  for (const { settings, document: outer } of extendedBy) {
    rollout ??= settings.rollout;
    const { mode } = settings;
    if (mode !== undefined) explicit = { mode, shadow: mode === "shadow" ? settings.shadow : undefined, rollout };
    else if (settings.shadow !== undefined && (explicit ?? inherited).mode === "shadow")
      explicit = { ...(explicit ?? inherited), shadow: settings.shadow };
    const usual = outer.defaults?.mode;
    if (usual !== undefined)
      inherited = { mode: usual, shadow: usual === "shadow" ? outer.defaults?.shadow : undefined, rollout };
  }
  const wanted = { ...(explicit ?? inherited), rollout };
  if (rule.locked !== true) return wanted;
  // A document that extends a pack cannot weaken a locked rule.
  const isWeaker = modeOrder.indexOf(wanted.mode) < modeOrder.indexOf(own.mode);
  const isSame = wanted.mode === own.mode;
  return isWeaker || isSame ? own : { ...wanted, rollout: own.rollout };
}
