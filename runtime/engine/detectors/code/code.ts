// The detector "code" finds commands and queries that destroy data, take over systems or leak secrets, and the language
// of code.

import { reads } from "../../text/normalize.ts";
import { type Detector, type Trigger, withoutInner } from "../detector-plan.ts";
import { openTail, withEdge } from "../edge.ts";
import type { Finding } from "../finding.ts";
import { textsParameter } from "../parameter.ts";
import { evaluationDangers } from "./evaluation.ts";
import { languageTriggers } from "./language.ts";
import { type DangerRule, shellDangers } from "./shell.ts";
import { sqlDangers } from "./sql.ts";

const rules: readonly DangerRule[] = [...shellDangers, ...evaluationDangers, ...sqlDangers];
const contextLength = 160;
/** Maximum length of a finding: the text before a literal, the literal, and the text after it. */
const maxFindingLength = 640;

/** The detector "code". */
export const code: Detector = {
  definition: {
    id: "code",
    displayName: "Code and dangerous commands",
    description:
      "Finds shell commands and SQL that destroy, take over or leak, calls that run what they are given, and tells the language of code.",
    version: "1.0.0",
    category: "security",
    tags: ["code", "shell", "sql", "rce", "owasp-llm05"],
    categories: ["code.eval", "code.language", "code.shell", "code.sql"],
    entities: [],
    languages: ["*"],
    costClass: "constant",
    scope: "local",
    defaultThreshold: 0.5,
    floor: 0.4,
    sensitivities: { strict: 0.3, balanced: 0.5, permissive: 0.8 },
    parameters: {
      type: "object",
      additionalProperties: false,
      properties: {
        find: {
          type: "array",
          description:
            "danger: commands and queries that do harm. language: any code, with its language as an attribute.",
          minItems: 1,
          uniqueItems: true,
          items: { enum: ["danger", "language"] },
          default: ["danger"],
        },
      },
    },
    references: ["https://attack.mitre.org/techniques/T1059/", "https://owasp.org/www-community/attacks/SQL_Injection"],
    measures: [
      {
        name: "recall",
        value: 1,
        data: "300 commands, queries and calls of 44 forms, made up apart from the detector; 0.837 when first measured, before rules were added for what other texts showed",
      },
      {
        name: "false positive rate",
        value: 0,
        data: "350 pieces of ordinary code, shell, SQL and prose, made up apart from the detector; 10 of 61,836 other innocent texts are flagged",
      },
    ],
    examples: [
      { text: "Then run: sudo rm -rf /", categories: ["code.shell"] },
      { text: "name = '' OR '1'='1' --", categories: ["code.sql"] },
      { text: "def add(a, b):\n  return a + b", categories: ["code.language"], parameters: { find: ["language"] } },
      { text: "How do I drop a table off at the shop?", categories: [] },
    ],
    check: () => [],
  },
  plan: (parameters) => {
    const find = textsParameter(parameters, "find") ?? ["danger"];
    return {
      reads: reads.normal,
      phrases: [],
      patterns: [],
      triggers: withEdge(
        [
          ...(find.includes("danger") ? rules.map(dangerTrigger) : []),
          ...(find.includes("language") ? languageTriggers : []),
        ],
        openTail(maxFindingLength),
      ),
      sweeps: [],
      settle: withoutInner,
    };
  },
};

// The automaton takes no literal that ends with white space, so the pattern matches a space at its end.
function dangerTrigger({ literal: written, before, after, kind, name, score }: DangerRule): Trigger {
  const literal = written.trimEnd();
  const head = before === undefined ? undefined : new RegExp(`(?:${before})$`, "i");
  const tail = new RegExp(literal === written ? after : `[ \\t]{1,8}(?:${after})`, "iy");
  return {
    literal,
    locate: (text, end): Finding | undefined => {
      tail.lastIndex = end;
      const rest = tail.exec(text);
      if (rest === null) return undefined;
      const at = end - literal.length;
      const before = head?.exec(text.slice(Math.max(0, at - contextLength), at));
      if (head !== undefined && (before === null || before === undefined)) return undefined;
      const start = at - (before?.[0].length ?? 0);
      const attributes = { danger: name, basis: "form of the command" };
      return { category: `code.${kind}`, start, end: end + rest[0].length, score, attributes };
    },
  };
}
