// Parameters that all word packs share: languages and exemptions.

import type { JsonObject } from "@bufbuild/protobuf";
import { textsParameter } from "../parameter.ts";
import { plain } from "./term.ts";

/** The schema of the parameters of a pack. */
export function packParameters(languages: readonly string[], more: JsonObject = {}): JsonObject {
  return {
    type: "object",
    additionalProperties: false,
    properties: {
      ...more,
      languages: {
        type: "array",
        description: "Languages to look for.",
        minItems: 1,
        uniqueItems: true,
        items: { enum: [...languages] },
        default: [...languages],
      },
      exempt: {
        type: "array",
        description: "Words and phrases that are no findings.",
        maxItems: 1_000,
        items: { type: "string", minLength: 1, maxLength: 256 },
      },
    },
  };
}

/** The exempt words, in the form in which they are compared. */
export function exemptionsOf(parameters: JsonObject): ReadonlySet<string> {
  return new Set((textsParameter(parameters, "exempt") ?? []).map(plain));
}
