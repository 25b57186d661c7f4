// The published JSON Schemas as files, for editors without a server at hand.

import { catalog } from "../../runtime/engine/detectors/catalog.ts";
import { publishedSchema } from "../../runtime/engine/policy/published-schema.ts";

const text = (schema: unknown): string => `${JSON.stringify(schema, null, 2)}\n`;

/** What each file holds, by its path in the repository. */
export const schemaFiles: Readonly<Record<string, () => string>> = {
  "schemas/policy.schema.json": () => text(publishedSchema("policy", catalog)),
  "schemas/policy-tests.schema.json": () => text(publishedSchema("tests", catalog)),
};
