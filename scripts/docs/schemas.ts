// The published JSON Schemas as files, for editors without a server at hand.

import { publishedSchema } from "../../runtime/engine/authoring/published-schema.ts";
import { catalog } from "../../runtime/engine/detectors/catalog.ts";

const text = (schema: unknown): string => `${JSON.stringify(schema, null, 2)}\n`;

/** The content of each file, by its path in the repository. */
export const schemaFiles: Readonly<Record<string, () => string>> = {
  "schemas/policy.schema.json": () => text(publishedSchema("policy", catalog)),
  "schemas/policy-tests.schema.json": () => text(publishedSchema("tests", catalog)),
};
