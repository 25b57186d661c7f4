// The names that values of a policy may be: of detectors, lists and rules of the document, and of the catalogue.

import type { Completion } from "@codemirror/autocomplete";
import type { EditorState } from "@codemirror/state";
import { en } from "../text/en.ts";
import { namesIn, usedBy, valueAround } from "./document-names.ts";
import type { Place, Schema } from "./schema-path.ts";

/** A detector that every policy may use. */
interface CatalogDetector {
  readonly name: string;
  readonly description?: string | undefined;
  readonly categories: readonly string[];
  readonly entities: readonly string[];
}

/** A guard pack. Parameters and rules are there for the packs that the document names. */
export interface CatalogPack {
  readonly name: string;
  readonly description: string;
  /** The newest first. */
  readonly versions: readonly string[];
  readonly parameters?: Schema | undefined;
  readonly rules?: readonly string[] | undefined;
}

/** What the catalogue offers. */
export interface Catalog {
  readonly detectors: readonly CatalogDetector[];
  readonly packs: readonly CatalogPack[];
}

/** What the value at a place names. */
type Kind = "detector" | "entity" | "category" | "rule" | "unjudged" | "pack" | "list";

/** Paths as one text, such as "rules/[]/detect/any/[]". */
const kinds: readonly (readonly [RegExp, Kind])[] = [
  [/^rules\/\[\]\/detect(?:\/(?:any|all|quorum\/of)\/\[\])?(?:\/ref)?$/, "detector"],
  [/^rules\/\[\]\/detect(?:\/.+)?\/entities\/\[\]$/, "entity"],
  [/^rules\/\[\]\/detect(?:\/.+)?\/categories\/\[\]$/, "category"],
  [/^exemptions\/\[\]\/rules\/\[\]$/, "rule"],
  [/^tests\/\[\]\/(?:turns\/\[\]\/)?expect\/(?:rules|not_rules)\/\[\]$/, "rule"],
  [/^tests\/\[\]\/(?:turns\/\[\]\/)?expect\/unjudged\/\[\]$/, "unjudged"],
  [/^extends\/\[\](?:\/pack)?$/, "pack"],
  [/^tests\/\[\]\/lists$/, "list"],
];

/** The names that may stand at a place. */
export function namesAt(
  catalog: Catalog | undefined,
  state: EditorState,
  pos: number,
  { path, kind: role }: Pick<Place, "path" | "kind">,
): readonly Completion[] {
  const at = path.join("/");
  const kind = kinds.find(([pattern]) => pattern.test(at))?.[1];
  // Lists are keys, all others are values; an entry of a list may begin with either.
  const isPossible = kind === "list" ? role === "key" : role === "value" || path.at(-1) === "[]";
  if (kind === undefined || !isPossible) return [];
  const { detectors = [], packs = [] } = catalog ?? {};
  const own = namesIn(state);
  const catalogued = detectors.map(({ name, description }) => ({
    ...{
      label: name,
      type: "class",
      detail: en.edit.ofCatalog,
      ...(description !== undefined && { info: description }),
    },
  }));
  const named = own.detectors.map((label) => ({ label, type: "class", detail: en.edit.ofDocument, boost: 1 }));
  const rules = [
    ...own.rules.map((label) => ({ label, type: "constant", detail: en.edit.ofDocument, boost: 1 })),
    ...packs.flatMap((pack) => (pack.rules ?? []).map((rule) => ({ label: `${pack.name}/${rule}`, type: "constant" }))),
  ];
  const found = detectorAround(detectors, state, pos);
  const options: Readonly<Record<Kind, () => readonly Completion[]>> = {
    detector: () => [...named, ...catalogued],
    entity: () => labels(found.flatMap(({ entities }) => entities)),
    category: () => labels(found.flatMap(({ categories }) => categories)),
    rule: () => rules,
    unjudged: () => [...rules, ...named, ...catalogued],
    pack: () => packs.flatMap(referencesOf),
    list: () => own.lists.map((label) => ({ label, apply: `${label}: `, type: "property" })),
  };
  return options[kind]();
}

/** What the catalogue says about a name at a place. */
export function describeName(
  catalog: Catalog | undefined,
  state: EditorState,
  pos: number,
  place: Pick<Place, "path" | "kind">,
  word: string,
): string | undefined {
  const { path } = place;
  const pack = /^pack:([\w-]+)/.exec(word)?.[1];
  if (pack !== undefined && path[0] === "extends") return catalog?.packs.find(({ name }) => name === pack)?.description;
  const isUse = path[0] === "detectors" && path.at(-1) === "use";
  const isDetector = namesAt(catalog, state, pos, place).some(({ label, type }) => label === word && type === "class");
  if (!isUse && !isDetector) return undefined;
  const used = isUse ? word : (usedBy(state, word) ?? word);
  const description = catalog?.detectors.find(({ name }) => name === used)?.description;
  return used === word ? description : [used, description].filter((part) => part !== undefined).join(": ");
}

/** The detector that the term around the position refers to; all of them where it is not known. */
function detectorAround(
  detectors: readonly CatalogDetector[],
  state: EditorState,
  pos: number,
): readonly CatalogDetector[] {
  const ref = valueAround(state, pos, "ref");
  const used = ref === undefined ? undefined : (usedBy(state, ref) ?? ref);
  return used === undefined ? detectors : detectors.filter(({ name }) => name === used);
}

function labels(names: readonly string[]): readonly Completion[] {
  return [...new Set(names)].map((label) => ({ label, type: "enum" }));
}

/** References to a pack: to the newest of a major version, of a minor one, and to exactly one. */
function referencesOf({ name, description, versions }: CatalogPack): readonly Completion[] {
  const parts = versions.flatMap((version) => {
    const [major = "", minor = ""] = version.split(".");
    return [major, `${major}.${minor}`, version];
  });
  return [...new Set(parts)].map((version) => ({
    ...{ label: `pack:${name}@${version}`, type: "namespace", info: description },
    // The newest of a major version is the usual one.
    boost: version.includes(".") ? 0 : 1,
  }));
}
