// The pack document as JSON Schema 2020-12. The policy that a pack makes is checked by the schema of policies.

import type { JsonObject } from "@bufbuild/protobuf";

const text = (maxLength: number): JsonObject => ({ type: "string", minLength: 1, maxLength });
const texts: JsonObject = { type: "array", items: text(128), maxItems: 100, uniqueItems: true };
const anything: JsonObject = { type: "object", additionalProperties: true };
const idPattern = "^[a-z][a-z0-9-]{0,63}$";
const namePattern = "^[a-z][a-z0-9_]{0,63}$";

/** JSON Schema (2020-12) of a pack document. */
export const packSchema: JsonObject = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  title: "Policy Guard pack",
  type: "object",
  additionalProperties: false,
  required: ["apiVersion", "kind", "metadata", "parameters", "policy", "tests"],
  properties: {
    apiVersion: { type: "string", const: "policyguard/v1" },
    kind: { type: "string", const: "Pack" },
    metadata: {
      type: "object",
      additionalProperties: false,
      required: ["id", "version", "display_name", "description", "category", "tags", "author", "controls"],
      properties: {
        id: { type: "string", pattern: idPattern },
        version: { type: "string", pattern: "^\\d{1,6}\\.\\d{1,6}\\.\\d{1,6}$" },
        display_name: text(128),
        description: text(2000),
        category: text(64),
        tags: texts,
        author: text(128),
        controls: texts,
      },
    },
    parameters: {
      type: "object",
      additionalProperties: false,
      required: ["type", "properties", "additionalProperties"],
      properties: {
        type: { type: "string", const: "object" },
        additionalProperties: { type: "boolean", const: false },
        properties: {
          type: "object",
          propertyNames: { pattern: namePattern },
          additionalProperties: {
            type: "object",
            required: ["description", "default"],
            properties: { description: text(2000) },
            additionalProperties: true,
          },
        },
      },
    },
    policy: {
      type: "object",
      additionalProperties: false,
      required: ["rules"],
      properties: {
        match: anything,
        defaults: anything,
        lists: anything,
        detectors: anything,
        rules: { type: "array", items: anything, minItems: 1, maxItems: 500 },
        exemptions: { type: "array", items: anything, maxItems: 100 },
      },
    },
    tests: {
      type: "array",
      minItems: 1,
      maxItems: 500,
      items: {
        type: "object",
        required: ["name", "expect"],
        properties: {
          name: text(200),
          expect: anything,
          parameters: anything,
          depends_on: { type: "array", items: { type: "string", pattern: namePattern }, maxItems: 100 },
        },
        additionalProperties: true,
      },
    },
  },
};
