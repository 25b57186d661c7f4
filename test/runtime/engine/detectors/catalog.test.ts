import type { JsonObject } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { catalog } from "../../../../runtime/engine/detectors/catalog.ts";
import { unknownKeywords } from "../../../../runtime/engine/policy/json-schema.ts";
import { parsePolicy } from "../../../../runtime/engine/policy/parse.ts";
import { compileDetectors } from "../../../../runtime/engine/scan/scanner.ts";
import { withCpuMs } from "../../../harness/cpu-time.ts";
import { scan } from "./scan.ts";

/** Parameters for detectors that need some, with everything that they can look for. */
function wideParameters(id: string, entities: readonly string[]): JsonObject {
  if (entities.length > 0) return { entities: [...entities] };
  const needed: Readonly<Record<string, JsonObject>> = {
    canary: { canaries: ["Q7ZK-2XVB9M-KD83"] },
    code: { find: ["danger", "language"] },
    keywords: { keywords: ["blue bird"] },
    language: { deny: ["de"] },
    length: { max_words: 5_000_000, max_tokens: 9_000_000 },
    regex: { patterns: ["\\bABC-[0-9]{4}\\b"] },
    topics: { topics: ["adult", "drugs", "weapons"] },
  };
  return needed[id] ?? {};
}

const length = 100_000;
const fill = (text: string) => text.repeat(Math.ceil(length / text.length)).slice(0, length);

const hostile: readonly (readonly [string, string])[] = [
  ["digits", fill("4")],
  ["groups of digits", fill("4111 ")],
  ["near misses of cards", fill("4111 1111 1111 1112 ")],
  ["dotted digits", fill("1.2.3.4.5.")],
  ["near misses of tokens", fill("ghp_x AKIA sk-ant- eyJ xoxb- ")],
  ["beginnings of keys", fill("-----BEGIN PRIVATE KEY-----\n")],
  ["assignments", fill("password = ")],
  ["addresses", fill("http://a@b:c ")],
  ["at signs", fill("@")],
  ["letters", fill("a")],
  ["Base64", fill("QWxhZGRpbjpvcGVuIHNlc2FtZQ")],
  ["invisible characters", fill("a\u200b")],
  ["directions", fill("\u202e\u2066אב")],
  ["combining marks", fill("e\u0301\u0302\u0303\u0304")],
  ["pictures", fill("👩‍👩‍👧‍👦🏴󠁧󠁢󠁳󠁣󠁴󠁿")],
  ["mixed scripts", fill("p\u0430y ра\u0443l ")],
  ["white space", fill(" \n\t")],
  ["brackets", fill("((((![[<{")],
  ["percents", fill("%4a%")],
];

describe("the catalog", () => {
  it("is in the order of ids, each of which is there once", () => {
    const ids = catalog.map(({ id }) => id);
    expect(ids).toEqual([...new Set(ids)].toSorted());
  });

  it.each(catalog.map((definition) => [definition.id, definition] as const))("%s says all about itself", (_, entry) => {
    expect(entry.description.length).toBeGreaterThan(40);
    expect(entry.tags.length).toBeGreaterThan(0);
    expect(entry.categories.length).toBeGreaterThan(0);
    expect(entry.references.every((reference) => reference.startsWith("https://"))).toBe(true);
    expect(entry.references.length).toBeGreaterThan(0);
    // What weights decide cannot be shown without them.
    const isModel = entry.costClass === "model" || entry.costClass === "backend";
    expect(isModel || entry.examples.some(({ categories }) => categories.length > 0)).toBe(true);
    expect(entry.examples.some(({ categories }) => categories.length === 0)).toBe(true);
    expect(entry.measures.every(({ value }) => value >= 0 && value <= 1)).toBe(true);
    expect(unknownKeywords(entry.parameters)).toEqual([]);
  });

  it.each(
    catalog.flatMap(({ id, examples }) => examples.map((example) => [id, example.text.slice(0, 60), example] as const)),
  )("%s finds in %j what its example says", (id, _, { text, categories, parameters = {} }) => {
    const threshold = catalog.find((entry) => entry.id === id)?.defaultThreshold ?? 0.5;
    const found = scan(id, text, parameters).filter(({ score }) => score >= threshold);
    expect(found.map(({ category }) => category)).toEqual(categories);
    // The attribute that says what a finding goes by; of attacks it is the kind of evidence.
    for (const { attributes = {} } of found) expect(attributes.basis ?? attributes.evidence ?? "").not.toBe("");
  });

  it.each(catalog.map((definition) => [definition.id, definition] as const))(
    "%s takes the parameters of its examples in a policy",
    (id, { costClass, examples }) => {
      // A policy that uses one names whose it is.
      const named: JsonObject = costClass === "backend" ? { backend: "mine" } : {};
      for (const { parameters = {} } of examples) {
        const { problems } = parsePolicy({
          apiVersion: "policyguard/v1",
          kind: "Policy",
          metadata: { name: "any" },
          detectors: { mine: { use: id, ...named, ...parameters } },
          rules: [{ id: "r.one", stages: ["input"], detect: "mine", action: "FLAG" }],
        });
        expect(problems.filter(({ severity }) => severity === "error")).toEqual([]);
      }
    },
  );
});

describe("every detector", () => {
  const scanners = catalog
    .filter(({ id }) => id !== "injection")
    .map(({ id, entities }) => {
      const spec = { key: id, use: id, parameters: wideParameters(id, entities) };
      return [id, compileDetectors([spec])] as const;
    });

  it.each(scanners)("%s finds nothing in empty texts and white space", (id, scanner) => {
    for (const text of ["", " ", "\n\n", "\u00a0", "\ufeff"]) expect(scanner.scan(text).get(id) ?? []).toEqual([]);
  });

  it.each(scanners)("%s needs linear time for hostile texts, and its spans lie within them", (id, scanner) => {
    for (const [name, text] of hostile) {
      const small = text.slice(0, length / 10);
      const { cpuMs: smallMs } = withCpuMs(() => scanner.scan(small));
      const { cpuMs: largeMs, result } = withCpuMs(() => scanner.scan(text));
      const found = result.get(id) ?? [];
      // Ten times the text may take ten times as long; quadratic time would be a hundred times.
      expect(largeMs, name).toBeLessThan(Math.max(1_500, smallMs * 40));
      for (const { start, end } of found) {
        expect(start).toBeGreaterThanOrEqual(0);
        expect(end).toBeGreaterThan(start);
        expect(end).toBeLessThanOrEqual(text.length);
      }
    }
  });
});
