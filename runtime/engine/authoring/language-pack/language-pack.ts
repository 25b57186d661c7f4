// A language pack: a file of `packs/languages/` with the vocabulary of one language and its own tests. The overlay that
// bundles carry is made from it.

import type { JsonObject } from "@bufbuild/protobuf";
import type { Overlay, OverlayMatching, OverlayPattern, OverlayTerm, TermMatch } from "../../languages/overlay.ts";
import { cueCategory } from "../../overlay/cue.ts";
import { compilePattern } from "../../pattern/compile-pattern.ts";
import { PatternError } from "../../pattern/pattern-error.ts";
import { checkSchema } from "../../policy/json-schema.ts";
import { type PolicyProblem, Problems } from "../../policy/problem.ts";
import { treeFromText, treeToJson } from "../../policy/source-tree.ts";
import { languagePackSchema } from "./schema.ts";
import { foldedTerm, termProblem, unlessProblem } from "./term-rule.ts";

/** How well a pack is known to work. */
export type LanguageTrustLevel = "draft" | "measured" | "verified";

/** What was measured for one category, with the pack and the built-in detectors. */
export interface LanguageMeasure {
  readonly recall: number;
  readonly false_positive_rate: number;
  readonly positives: number;
  readonly negatives: number;
}

/** The tests of a pack, by another look at the language than its terms. */
export interface LanguageTests {
  readonly found: readonly { readonly text: string; readonly category: string }[];
  /** Texts in which the pack finds nothing. */
  readonly not_found: readonly string[];
}

/** A pack. */
export interface LanguagePack {
  readonly name: string;
  readonly nativeName: string;
  readonly description: string;
  readonly changelog: readonly string[];
  readonly trustLevel: LanguageTrustLevel;
  readonly coverage: Readonly<Record<string, LanguageMeasure>>;
  readonly tests: LanguageTests;
  /** The most frequent words of the language: as keywords they would be found nearly everywhere. */
  readonly common: readonly string[];
  readonly overlay: Overlay;
}

/** A file with a pack. */
export interface LanguagePackFile {
  /** Path of the file, for messages. */
  readonly path: string;
  readonly text: string;
}

/** The file after its shape was checked. */
interface Source {
  readonly language: string;
  readonly name: string;
  readonly native_name: string;
  readonly description: string;
  readonly version: string;
  readonly changelog: readonly string[];
  readonly scripts: readonly string[];
  readonly trust_level: LanguageTrustLevel;
  readonly matching?: Partial<OverlayMatching>;
  readonly lists?: Readonly<Record<string, string>>;
  readonly terms: Readonly<Record<string, readonly (string | SourceTerm)[]>>;
  readonly patterns?: readonly OverlayPattern[];
  readonly allow?: readonly string[];
  readonly coverage?: LanguagePack["coverage"];
  readonly tests: LanguageTests;
  readonly common?: readonly string[];
}

interface SourceTerm {
  readonly term: string;
  readonly match?: TermMatch;
  readonly score?: number;
  readonly unless?: readonly string[];
  readonly entity?: string;
}

const defaultScore = 0.8;

/**
 * Reads packs, ordered by their tags. Throws for a file that is no pack, and for two packs of one language. The
 * patterns of packs that are `checked` are not compiled again: that of all shipped packs takes two seconds.
 */
export function readLanguagePacks(
  files: Iterable<LanguagePackFile>,
  { checked = false }: { readonly checked?: boolean } = {},
): readonly LanguagePack[] {
  const packs = new Map<string, LanguagePack>();
  for (const { path, text } of files) {
    const problems = new Problems();
    const tree = treeFromText(text, problems);
    if (tree !== undefined) checkSchema(tree, languagePackSchema, "", problems);
    if (tree === undefined || problems.hasErrors)
      throw new Error(
        problems
          .list()
          .map((each) => messageOf(path, each))
          .join("\n"),
      );
    // The schema, which was just checked, describes the same as the type.
    const pack = packOf(treeToJson(tree) as JsonObject as unknown as Source);
    const { language } = pack.overlay;
    const wrong = [...problemsOf(pack), ...(checked ? [] : patternProblemsOf(pack))].map(
      (message) => `${path}: ${message}`,
    );
    if (wrong.length > 0) throw new Error(wrong.join("\n"));
    if (packs.has(language)) throw new Error(`${path}: there are two packs of ${language}`);
    packs.set(language, pack);
  }
  return [...packs].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, pack]) => pack);
}

/** The overlay with the terms and patterns of these categories only. */
export function overlayOfCategories(overlay: Overlay, categories: readonly string[]): Overlay {
  return {
    ...overlay,
    terms: Object.fromEntries(Object.entries(overlay.terms).filter(([name]) => categories.includes(name))),
    patterns: overlay.patterns.filter(({ category }) => categories.includes(category)),
  };
}

/** The categories of a pack, sorted. */
export function categoriesOf({ terms, patterns }: Overlay): string[] {
  return [...new Set([...Object.keys(terms), ...patterns.map(({ category }) => category)])].sort();
}

function packOf(source: Source): LanguagePack {
  const {
    language,
    version,
    scripts,
    matching,
    lists = {},
    terms,
    patterns = [],
    allow = [],
    coverage = {},
    tests,
    common = [],
  } = source;
  return {
    name: source.name,
    nativeName: source.native_name,
    description: source.description,
    changelog: source.changelog,
    trustLevel: source.trust_level,
    coverage,
    ...{ tests, common },
    overlay: {
      ...{ api_version: "policyguard/v1", kind: "LanguageOverlay", language, version, scripts },
      matching: {
        boundary: matching?.boundary ?? "word",
        suffixes: matching?.suffixes ?? [],
        prefixes: matching?.prefixes ?? [],
      },
      terms: Object.fromEntries(Object.entries(terms).map(([name, list]) => [name, list.map(termOf)])),
      ...{ patterns: patterns.map((each) => ({ ...each, pattern: withLists(each.pattern, lists) })), allow },
    },
  };
}

// A name in angle brackets stands for the list; one that is no list is left, and no pattern can be compiled with it.
function withLists(pattern: string, lists: Readonly<Record<string, string>>): string {
  return pattern.replace(/<([a-z]+)>/g, (name, key: string) => lists[key] ?? name);
}

function termOf(given: string | SourceTerm): OverlayTerm {
  const {
    term,
    match = "word",
    score = defaultScore,
    unless = [],
    entity,
  } = typeof given === "string" ? { term: given } : given;
  return { term, match, score, unless, layer: "pack", ...(entity !== undefined && { entity }) };
}

/** What is wrong with a pack whose shape is right. */
function problemsOf({ overlay, coverage, trustLevel }: LanguagePack): string[] {
  const { language, terms } = overlay;
  const problems: string[] = [];
  if (Intl.getCanonicalLocales(language)[0] !== language) problems.push(`${language} is no canonical tag`);
  for (const [category, list] of Object.entries(terms)) {
    const seen = new Set<string>();
    for (const each of list) {
      const wrong = termProblem(each) ?? (seen.has(foldedTerm(each.term)) ? "occurs twice" : undefined);
      if (wrong !== undefined) problems.push(`terms.${category}: "${each.term}" ${wrong}`);
      for (const phrase of each.unless) {
        const amiss = unlessProblem(phrase, each.term);
        if (amiss !== undefined) problems.push(`terms.${category}: "${each.term}": the exception "${phrase}" ${amiss}`);
      }
      if ((each.entity === undefined) === (category === cueCategory))
        problems.push(`terms.${category}: "${each.term}" ${each.entity === undefined ? "needs" : "has no"} entity`);
      seen.add(foldedTerm(each.term));
    }
  }
  if (trustLevel === "measured" && Object.keys(coverage).length === 0)
    problems.push("is measured, but says nothing of what was measured");
  return problems;
}

function patternProblemsOf({ overlay: { language, patterns } }: LanguagePack): string[] {
  return patterns.flatMap(({ id, pattern }) => {
    const unknown = /<[a-z]+>/.exec(pattern)?.[0];
    const wrong = patternProblem(pattern);
    return [
      ...(unknown === undefined ? [] : [`the pattern ${id} names ${unknown}, which is no list`]),
      ...(id.startsWith(`${language}.`) ? [] : [`the pattern ${id} does not begin with ${language}.`]),
      ...(wrong === undefined ? [] : [`the pattern ${id} ${wrong}`]),
    ];
  });
}

function patternProblem(source: string): string | undefined {
  try {
    const { requiredLiterals, minLength } = compilePattern(source, { ignoreCase: true });
    if (minLength === 0) return "matches the empty text";
    return requiredLiterals.length === 0 ? "has no literal that every match contains" : undefined;
  } catch (error) {
    if (error instanceof PatternError) return error.message;
    throw error;
  }
}

function messageOf(file: string, { line, column, path, message }: PolicyProblem): string {
  return `${file}:${line}:${column}: ${path === "" ? "" : `${path}: `}${message}`;
}
