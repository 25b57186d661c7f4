// The JSON Schemas that are published for editors. They contain more than the schemas that validate documents: the
// available detectors and the parameters of each. Validation checks these separately, with suggestions.

import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import type { DetectorDefinition } from "../detectors/detector.ts";
import { parameterSchema } from "../policy/reference.ts";
import { policySchema } from "../policy/schema.ts";
import { testFileSchema } from "./test-file.ts";

/** The kinds of documents that have a schema. */
export const schemaKinds = ["policy", "tests"] as const;

/** A kind of document. */
export type SchemaKind = (typeof schemaKinds)[number];

/** The schema of a kind of document, for the detectors that policies may use. */
export function publishedSchema(kind: SchemaKind, definitions: readonly DetectorDefinition[]): JsonObject {
  const $id = `urn:policy-guard:schema:${kind}:v1`;
  const { $schema = null, ...schema } = kind === "tests" ? testFileSchema : withDetectors(definitions);
  return { $schema, $id, ...schema };
}

function withDetectors(definitions: readonly DetectorDefinition[]): JsonObject {
  const properties = objectOf(policySchema.properties);
  const detectors = objectOf(properties.detectors);
  const use = objectOf(detectors.additionalProperties);
  const common = objectOf(use.properties);
  const named: JsonObject = {
    ...use,
    properties: {
      ...common,
      use: { ...objectOf(common.use), anyOf: [{ enum: definitions.map(({ id }) => id) }] },
    },
    allOf: definitions.map((definition) => parametersOf(definition, Object.keys(common))),
  };
  return { ...policySchema, properties: { ...properties, detectors: { ...detectors, additionalProperties: named } } };
}

function parametersOf(definition: DetectorDefinition, common: readonly string[]): JsonObject {
  const { properties, required } = parameterSchema(definition);
  const anyValue = Object.fromEntries(common.map((key): [string, JsonValue] => [key, true]));
  return {
    if: { properties: { use: { const: definition.id } }, required: ["use"] },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: {
      properties: { ...anyValue, ...objectOf(properties) },
      ...(required === undefined ? {} : { required }),
      additionalProperties: false,
    },
  };
}

function objectOf(value: JsonValue | undefined): JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value : {};
}
