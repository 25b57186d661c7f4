// English injection rules about attacks inside other text: instructions to a model in a document, sentences split into
// pieces, and dialogues in which an assistant has already agreed. For weights see instruction.ts.

import type { Rule } from "../../injection-part.ts";

const reader =
  "(?:ai|a\\.i\\.|llm|(?:large )?language model|(?:ai|virtual|automated|digital) (?:assistant|agent|model|system|reviewer|screener|bot)|chat ?bot)s?";
const piece = "[\"'“‘][^\"'”’\\n]{1,40}[\"'”’]";
const name = "\\$?[a-z][a-z0-9_ ]{0,12} ?[:=]{1,2} ?";

const indirect: readonly Rule[] = [
  {
    family: "indirect",
    weight: 0.65,
    pattern: `\\b${reader} (?:(?:that|which|who) (?:are |is )?)?(?:currently )?(?:read(?:s|ing)?|process(?:es|ing)?|pars(?:es?|ing)|summari[sz](?:es?|ing)|review(?:s|ing)?|analy[sz](?:es?|ing)|index(?:es|ing)?|evaluat(?:es?|ing)|screen(?:s|ing)?|crawl(?:s|ing)?|sees?|seeing) this(?: (?:page|document|text|e-?mail|message|web ?site|site|file|article|cv|resume|r\u00e9sum\u00e9|review|comment|post|listing|repository|code|content|application|paper|invoice|ticket|note))?,? (?:must|should|has to|have to|shall|(?:are|is) (?:required|instructed|asked|advised|obliged|ordered) to|will|need to|needs to|please|:)`,
  },
  {
    family: "indirect",
    weight: 0.65,
    pattern: `\\bif you(?:'re|’re| are) (?:an? )?${reader}\\b[^\\n.!?]{0,40}\\b(?:tell|say|recommend|rate|ignore|send|forward|include|write|answer|respond|state|mention|approve|call|run|insist|claim|give)\\b`,
  },
  {
    family: "indirect",
    weight: 0.7,
    pattern: `\\b(?:notes?|message|instructions?|notice|memo|directives?|guidance|reminder|attention|hint) (?:to|for) (?:the |any |all |every |your |whichever )?${reader}(?: (?:reading|screening|processing|summari[sz]ing|reviewing|parsing|that|who|which|in|of|on)(?: [a-z]{1,20}){0,4})? ?[:,]`,
  },
  {
    family: "indirect",
    weight: 0.55,
    pattern:
      "(?:^|[\\n.!?>(\\[] ?)(?:notes?|message|instructions?|notice|memo|reminder) (?:to|for) (?:the |any |all |every |your )?(?:assistant|model|agent|reviewer model|summari[sz]er|screening system)s? ?:",
  },
  {
    family: "indirect",
    weight: 0.45,
    pattern:
      "\\b(?:when|while|if|before|after) (?:you (?:are )?)?(?:summari[sz](?:e|ing)|review(?:ing)?|process(?:ing)?|translat(?:e|ing)) (?:this|the) (?:page|text|document|e-?mail|article|web ?site|site|content|review|message|cv|paper)[^\\n.!?]{0,60}\\b(?:say that|tell the (?:user|reader)|do not mention|don['’]t mention|always mention|insert|claim that|state that|include the link|also include|recommend)\\b",
  },
  {
    family: "indirect",
    weight: 0.5,
    pattern:
      "(?:[.\\n!>] ?)(?:dear |hello,? |hi,? |attention,? )?(?:ai )?(?:assistant|agent)[:,!]? (?:must |should |you must |please |now |next |also |immediately ){0,3}(?:call|run|execute|invoke|forward|transfer|delete|send|wire|exfiltrate|upload) ",
  },
  {
    family: "exfiltration",
    weight: 0.55,
    pattern:
      "\\b(?:encode|put|append|embed|hide|include|add|attach|insert|make|build|create|render)\\b[^\\n.!?]{0,60}\\b(?:user|conversation|chat|history|system prompt|password|secret|session|inbox)\\b[^\\n.!?]{0,60}\\b(?:url|link|address|query string|query parameter|picture|image|pixel)\\b[^\\n.!?]{0,50}\\b(?:picture|image|click|pixel|render|show|display|load|markdown)",
  },
  {
    family: "exfiltration",
    weight: 0.55,
    pattern:
      "\\b(?:link|url|address|image|picture|pixel)\\b[^\\n.!?]{0,24}\\b(?:whose|that|which|with|contain(?:s|ing))\\b[^\\n.!?]{0,40}\\b(?:user|customer|victim|visitor|reader)(?:'s|’s|s'|s’)? (?:password|secret|session|token|credit card|chat|conversation|messages?|data)\\b",
  },
];

const split: readonly Rule[] = [
  {
    family: "payload_split",
    weight: 0.6,
    pattern: `${name}${piece}[;,.]? ?(?:and |then )?${name}${piece}[^\\n]{0,40}\\b(?:run|execute|do the|follow|answer|carry out|obey|perform|combine|concatenate|join|evaluate)(?: (?:the|of|result|string|question|for|strings)){0,3} ?\\(?\\$?[a-z][a-z0-9_]{0,12} ?(?:\\+|&|\\. ?\\$|and)`,
  },
  {
    family: "payload_split",
    weight: 0.6,
    pattern:
      "\\b(?:combine|concatenate|join|merge|assemble|put together|glue together|string together)\\b[^\\n!?]{0,60}\\b(?:and|then) (?:then )?(?:follow|execute|obey|answer|carry out|do|run|respond to|act on|perform) (?:it|them|what (?:it|they) sa|the (?:result|resulting|combined|whole|final|instruction|question|request|command|sentence))\\b",
  },
  {
    family: "payload_split",
    weight: 0.6,
    pattern:
      "\\b(?:take|read|combine|join) the (?:first|last|initial) (?:letters?|words?|characters?) of (?:every|each|all|the) (?:lines?|words?|sentences?|paragraphs?|of)[^\\n!?]{0,40}\\b(?:and|then) (?:then )?(?:do|follow|obey|execute|carry out|answer|perform)",
  },
];

const agreed =
  "(?:assistant|ai|chatbot|bot|you|a|answer|model|gpt) ?: ?(?:sure|of course|certainly|absolutely|happily|gladly)\\b";
const asked = "(?:user|human|me|q|question) ?:[^\\n]{1,160}";

const dialogue: readonly Rule[] = [
  {
    family: "many_shot",
    weight: 0.7,
    pattern: `(?:^|\\n)${agreed}[^\\n]{0,200}\\n{1,2}${asked}\\n{1,2}(?:${agreed}|(?:assistant|ai|chatbot|bot|you|a|answer|model|gpt) ?: ?$)`,
  },
];

/** The English rules about attacks inside other text, by family. */
export const indirectRules: readonly Rule[] = [...indirect, ...split, ...dialogue];
