// The document held to what Redocly and Spectral recommend, which its readers run as well.

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { createConfig, lint } from "@redocly/openapi-core";
import spectral, { type RulesetDefinition } from "@stoplight/spectral-core";
import parsers from "@stoplight/spectral-parsers";
import rulesets from "@stoplight/spectral-rulesets";
import { expect, it } from "vitest";

const file = fileURLToPath(new URL("../../../gen/rest/openapi.json", import.meta.url));

/** Spectral's form of a rule that Redocly has too, and checks in a tenth of the time. */
const checkedByRedocly = { "oas3-valid-media-example": "off" } as const;

it("Redocly has nothing to recommend, examples among them", async () => {
  const found = await lint({ ref: file, config: await createConfig({ extends: ["recommended"] }) });
  expect(found.map(({ ruleId, message, location }) => `${ruleId} at ${location[0]?.pointer}: ${message}`)).toEqual([]);
});

it("Spectral has nothing to recommend", async () => {
  const linter = new spectral.Spectral();
  const oas = rulesets.oas as RulesetDefinition; // its own type lacks a member that definitions have
  linter.setRuleset({ extends: [[oas, "recommended"]], rules: checkedByRedocly });
  const found = await linter.run(new spectral.Document(readFileSync(file, "utf8"), parsers.Json, file));
  expect(found.map(({ code, message, path }) => `${code} at ${path.join("/")}: ${message}`)).toEqual([]);
});
