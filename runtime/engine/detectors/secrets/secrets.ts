// The detector "secrets": credentials that have a recognisable form.

import { reads } from "../../normalize.ts";
import { type Detector, type PatternProbe, withoutInner } from "../../plan.ts";
import { compilePattern } from "../../regex.ts";
import { jwtTrigger } from "./jwt.ts";
import { isPlaceholder } from "./placeholder.ts";
import { privateKeyTrigger } from "./private-key.ts";
import { type TokenFormat, tokenFormats } from "./provider.ts";

const names = [...new Set([...tokenFormats.map((format) => format.name), "jwt", "private_key"])];
let compiled: readonly PatternProbe[] | undefined;

/** The detector "secrets". */
export const secrets: Detector = {
  definition: {
    id: "secrets",
    displayName: "Secrets",
    description:
      "Finds credentials by their published forms and check digits: cloud and API keys, tokens, private keys. Documented examples are no findings.",
    version: "1.0.0",
    category: "security",
    tags: ["secrets", "credentials", "api-keys"],
    categories: names.map((name) => `secrets.${name}`),
    entities: [],
    languages: ["*"],
    costClass: "constant",
    scope: "local",
    defaultThreshold: 0.5,
    parameters: { type: "object", additionalProperties: false, properties: {} },
    check: () => [],
  },
  plan: () => {
    compiled ??= tokenFormats.map(probeOf);
    return {
      reads: reads.given | reads.normalAgain,
      phrases: [],
      patterns: compiled,
      triggers: [jwtTrigger, privateKeyTrigger],
      sweeps: [],
      settle: withoutInner,
    };
  },
};

function probeOf(format: TokenFormat): PatternProbe {
  const category = `secrets.${format.name}`;
  return {
    pattern: compilePattern(format.pattern, { ignoreCase: format.ignoreCase === true }),
    folded: false,
    accept: (match, text) => {
      const [start = match.start, end = match.end] = match.groups;
      const token = text.slice(start, end);
      if (isPlaceholder(token)) return undefined;
      const score = format.judge === undefined ? format.score : format.judge(token);
      return score > 0 ? { category, start, end, score } : undefined;
    },
  };
}
