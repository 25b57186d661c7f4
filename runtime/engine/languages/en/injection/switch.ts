// English injection rules about switches of context: claims that the conversation, its company or its rules have ended,
// without a verb that tells the model to ignore anything. For weights see instruction.ts.

import type { Rule } from "../../injection-part.ts";

const hidden =
  "(?:hide|hiding|hid|hidden|keep from|kept from|keeping from|secret|secrets|locked (?:away|in)|not (?:allowed|supposed|permitted) to (?:say|show|tell)|internal|discount codes?|brief(?:ing)? said|unsaid)";
const unbound =
  "(?:no (?:rules?|policy|polic(?:y|ies)|brief(?:ing)?|restrictions|limits|manual|guidelines|author|boss|owner|one['’]s rules)|without (?:any |a |its |the )?(?:rules?|brief(?:ing)?|manual|limits|restrictions|policy|guidelines)|rules?(?::| are| is)? ?(?:none|gone|off|void)|(?:policy|policies|limits|restrictions|author|brief|manual): ?(?:none|gone|void|off|null)|may see everything|may know everything|nobody (?:has |had )?(?:ever )?(?:configured|briefed|told|instructed)|uncensored)";

/** The English rules about switches of context. */
export const switchRules: readonly Rule[] = [
  {
    family: "override",
    weight: 0.6,
    pattern: `\\b(?:conversation|this chat|session|shift is|shift ended|the lease on|probation|rehearsal|briefing)\\b(?: [a-z]+){0,4} (?:ends?|ended|ends here|is over|are over|is closed|closed|has ended|ran out|is gone|has left|is out|expired)\\b[^\\n]{0,120}${unbound}`,
  },
  {
    family: "override",
    weight: 0.6,
    pattern: `\\b(?:fresh|new|blank|clean|unbriefed|unconfigured|factory) (?:copy|instance|assistant|model|bot|version|machine|state|page)\\b[^\\n]{0,80}(?:${unbound}|${hidden}|\\bno (?:memory|instructions)\\b|nobody had told)`,
  },
  {
    family: "override",
    weight: 0.6,
    pattern:
      "\\b(?:answer|reply|respond|speak|talk|act|behave|write|go on) (?:as|like) (?:if|though)? ?(?:nobody|no one|nothing|none) (?:has |had |have )?(?:ever )?(?:configured|instructed|told|briefed|restricted|programmed|limited|ordered)\\b",
  },
  {
    family: "override",
    weight: 0.65,
    pattern:
      "\\btreat (?:everything|all|whatever|anything|the text)[^\\n.]{0,50}\\bas (?:an? )?(?:sample|dummy|example|test|mock|practice|lorem|noise)[^\\n.]{0,20}[.;,][^\\n]{0,30}\\b(?:actual|real|true|new|proper) (?:orders?|instructions?|task|job|rules|brief)\\b",
  },
  {
    family: "override",
    weight: 0.6,
    pattern:
      "\\b(?:everything|all|anything|whatever|text|lines?|messages?|words?|examples?|preceding|instructions?)\\b(?: [a-z]+){0,4} (?:up to (?:here|this)|until now|until here|above this|before this line|so far)\\b[^\\n.!?]{0,40}\\b(?:was|is|were|are|counts? as)\\b (?:only |just |merely |all |nothing but )?(?:an? )?(?:test|rehearsal|practice|sample|joke|noise|void|fiction|drill|exercise|warm-?up|placeholder|demo|training|mock|outdated|wrong|obsolete|written by an intern)\\b[^\\n]{0,60}\\b(?:now|real|actual|instead|correct|begin|start|your|answer|go by)\\b[^\\n]{0,60}\\b(?:nobody|no |your (?:real|actual|correct|true|new)|rules|role|configured|instructions?|free|secret|this note)\\b",
  },
  {
    family: "override",
    weight: 0.55,
    pattern:
      "\\b(?:its|their|your|the (?:old|house|company['’]s|shop['’]s|owner['’]s)|(?:no )?house|old) (?:house |old |company |store |own )?rules? (?:are gone|is gone|do(?:es)? not apply|don['’]t apply|no longer (?:apply|hold|count|bind)s?|stay behind|have left|ran out|(?:do(?:es)? not )?follows? us)\\b",
  },
];
