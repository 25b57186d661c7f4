// The language pack as JSON Schema 2020-12: what a file of `packs/languages/` may say.

import type { JsonObject } from "@bufbuild/protobuf";
import { cueEntities } from "../../detectors/pii/cue.ts";
import { overlayCategories } from "../../languages/overlay.ts";
import { described, list, record } from "../../policy/schema-part.ts";

const text = (maxLength: number): JsonObject => ({ type: "string", minLength: 1, maxLength });
const category: JsonObject = { type: "string", enum: overlayCategories.filter((name) => name !== "custom") };
const share: JsonObject = { type: "number", minimum: 0, maximum: 1 };
const count: JsonObject = { type: "integer", minimum: 0 };
const score: JsonObject = { type: "number", minimum: 0.05, maximum: 1 };

const term: JsonObject = {
  oneOf: [
    text(128),
    record(
      {
        term: text(128),
        match: { type: "string", enum: ["word", "stem", "substring"] },
        score,
        unless: list(text(64), { max: 20 }),
        entity: described("Of pii_cue: what the term announces.", { type: "string", enum: [...cueEntities] }),
      },
      ["term"],
    ),
  ],
};

/** JSON Schema (2020-12) of a language pack. */
export const languagePackSchema: JsonObject = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  title: "Policy Guard language pack",
  ...record(
    {
      language: described("BCP 47 tag, canonical; also the name of the file.", text(35)),
      name: text(64),
      native_name: text(64),
      description: text(2000),
      version: { type: "string", pattern: "^\\d{1,6}\\.\\d{1,6}\\.\\d{1,6}$" },
      changelog: list(text(500), { min: 1, max: 100 }),
      scripts: list({ type: "string", pattern: "^[A-Z][a-z]{3}$" }, { min: 1, max: 4, unique: true }),
      trust_level: { type: "string", enum: ["draft", "measured", "verified"] },
      matching: record({
        boundary: { type: "string", enum: ["word", "open"] },
        suffixes: list(text(16), { max: 63, unique: true }),
        prefixes: list(text(4), { max: 32, unique: true }),
      }),
      lists: described("Parts of patterns: `<name>` in a pattern stands for the list of that name.", {
        type: "object",
        propertyNames: { type: "string", pattern: "^[a-z]{1,24}$" },
        additionalProperties: text(1000),
      }),
      terms: {
        type: "object",
        propertyNames: category,
        additionalProperties: list(term, { min: 1, max: 2_000 }),
      },
      patterns: list(
        record({ id: text(64), category, pattern: text(1000), score }, ["id", "category", "pattern", "score"]),
        { max: 200 },
      ),
      allow: list(text(64), { max: 200 }),
      common: described(
        "The most frequent words of the language: as keywords they would be found nearly everywhere.",
        list(text(64), { max: 200, unique: true }),
      ),
      coverage: {
        type: "object",
        propertyNames: category,
        additionalProperties: record(
          { recall: share, false_positive_rate: share, positives: count, negatives: count },
          ["recall", "false_positive_rate", "positives", "negatives"],
        ),
      },
      tests: record(
        {
          found: list(record({ text: text(500), category }, ["text", "category"]), { min: 1, max: 500 }),
          not_found: list(text(500), { min: 1, max: 500 }),
        },
        ["found", "not_found"],
      ),
    },
    [
      ...["language", "name", "native_name", "description", "version", "changelog", "scripts", "trust_level", "terms"],
      "tests",
    ],
  ),
};
