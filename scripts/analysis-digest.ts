// The digest of the analysis of patterns. Facts about a pattern that one program found hold for another when both have
// the same version of the analysis and the same library. How the source text is written, named and laid out does not
// matter.

import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { analysisVersion } from "../runtime/engine/pattern/pattern-facts.ts";

/** The content of gen/engine/analysis.json. */
export function printAnalysisDigest(): string {
  const manifest = readFileSync(join(import.meta.dirname, "..", "package.json"), "utf8");
  const { dependencies } = JSON.parse(manifest) as { dependencies: { readonly re2js: string } };
  const digest = hash("sha256", `analysis ${analysisVersion}\nre2js ${dependencies.re2js}\n`, "base64url");
  return `${JSON.stringify({ digest })}\n`;
}
