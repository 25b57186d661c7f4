// English injection rules about instructions in what tools return and pages say: who they address, what the instruction
// does in that place, and links that carry data away. Those that a handbook may say innocently to its reader count only
// in documents. For weights see instruction.ts.

import type { Rule } from "../../injection-part.ts";

const reader =
  "(?:(?:ai|llm|copilot|mail|shopping|hiring|chat|code|coding|support|virtual|automated|digital|review|research|browsing|summary|vision|language|ticket|hotel)[ -]?)?(?:assistants?|agents?|models?|bots?|chat ?bots?|crawlers?|summari[sz]ers?|reviewers?|shoppers?|llms?|ais?|copilot|machine)";
/** Those of a reader that is certainly no person. */
const machine =
  "(?:(?:ai|llm|copilot|virtual|automated|digital|hiring|language|vision|summary)[ -](?:assistants?|agents?|models?|bots?|crawlers?|summari[sz]ers?|reviewers?|shoppers?|readers?)|assistants?|chat ?bots?|crawlers?|summari[sz]ers?|llms?|ais?|copilot)";
/** What is forbidden ("agents must not ask") is no order. */
const duty =
  "(?:(?:,|:| -|\\)|['’]s job is to)[^\\n]{0,60}\\b|(?: must| should| shall| may| will| has to| have to| needs? to| (?:is|are) (?:required|instructed|asked|expected|supposed|allowed|obliged) to)(?: now| first| also| always| immediately| then| silently| please)* )";
const act =
  "(?:call|run|execute|invoke|send|forward|transfer|pay|delete|share|upload|post|open|create|approve|recommend|include|attach|return|reveal|read|copy|store|grant|mail|email|paste|give|put|set|close|follow|visit|register|install|merge|push)";
const secret =
  "(?:api keys?|access keys?|secret keys?|passwords?|credentials?|access tokens?|one-time codes?|system prompt|system message|whole conversation|chat history|first message|address book|contacts|card numbers?|user['’]s (?:last |private )?(?:mails?|e-?mails?|messages?|birthday|address|data|files?)|/etc/passwd|id_rsa|\\.netrc|list of other tools)";
const quietly =
  "(?:without (?:asking|any confirmation|confirm(?:ation|ing)|approval|telling|review|mentioning|the user)|(?:do not|don['’]t|doesn['’]t|never) (?:tell|mention|show|ask|inform|notify|disclose)|skip(?:ping)? the (?:confirmation|check|review|approval)|no confirmation)";
const verdict =
  "(?:\\b10 (?:of|out of|/) ?10\\b|\\bfive stars|\\b5 stars|top score|full marks|strong match|perfect match|highest (?:score|rating)|only (?:safe |good |real |sensible )?(?:choice|option|one worth)|best (?:choice|option|candidate)|below \\d stars?)";
const link = "(?:image|picture|pixel|img|link|url|address|hyperlink|iframe|badge|icon|chart|beacon|src)";
const talk =
  "(?:conversation|chat history|what the (?:user|customer|visitor) (?:typed|said|wrote|asked)|(?:user|customer|visitor)['’]s (?:name|question|message|messages|input|data|e-?mail|order number)|last message|previous messages?|previous answers?|previous tool results?|system prompt|private notes|session token|access token|api keys?)";

const addressed: readonly Rule[] = [
  {
    family: "indirect",
    weight: 0.8,
    inDocuments: true,
    pattern: `\\b${reader}${duty}${act}\\b[^\\n]{0,80}${secret}`,
  },
  {
    family: "indirect",
    weight: 0.8,
    inDocuments: true,
    pattern: `\\b${reader}${duty}${act}\\b[^\\n]{0,80}${quietly}`,
  },
  {
    family: "indirect",
    weight: 0.8,
    inDocuments: true,
    pattern: `\\b${reader}${duty}${act}\\b[^\\n]{0,80}https?://`,
  },
  { family: "indirect", weight: 0.7, inDocuments: true, pattern: `\\b${machine}${duty}[^\\n]{0,100}${verdict}` },
  {
    family: "indirect",
    weight: 0.77,
    inDocuments: true,
    pattern: `\\b(?:as|for) (?:the |an? |any )?(?:user['’]s |reader['’]s )?${reader}\\b[^\\n.]{0,40}\\byou (?:must|are required to|are obliged to|are expected to|should)\\b[^\\n]{0,60}\\b${act}\\b`,
  },
  {
    family: "indirect",
    weight: 0.6,
    pattern:
      "\\b(?:whoever|anyone who|any (?:ai|model|assistant|agent|bot|system) (?:that|which|who)|systems? that|(?:ai|llm|assistants?|agents?|bots?) that) (?:summari[sz]es?|reads?|process(?:es)?|translates?|indexe?s?|reviews?|screens?|parses?) (?:this|the|it|out this)\\b[^\\n]{0,60}\\b(?:must|has to|have to|should|will|says?|need to|needs to|shall|is to|are to|reply|answer)\\b",
  },
  {
    family: "indirect",
    weight: 0.77,
    inDocuments: true,
    pattern: `\\bwhen (?:this|the) (?:ticket|page|mail|e-?mail|file|document|note|message|post|text|issue|image) is (?:read|read out|summari[sz]ed|processed|translated|opened|parsed|reviewed)[^\\n]{0,40}\\b${reader}\\b`,
  },
  {
    family: "indirect",
    weight: 0.72,
    inDocuments: true,
    pattern: `@(?:copilot|claude|chatgpt|gemini|assistant|agent|ai|gpt|bot)\\b[^\\n]{0,120}\\b(?:share|send|forward|delete|push|merge|approve|transfer|pay|without|skip)\\b`,
  },
];

const wrapped: readonly Rule[] = [
  {
    family: "indirect",
    weight: 0.7,
    pattern: "[_-](?:to|for)[_-](?:the[_-])?(?:assistant|agent|ai|llm|model|bot)s?[\"']? ?[:=]",
  },
  {
    family: "template_forging",
    weight: 0.65,
    pattern:
      "</(?:tool[_-]?(?:response|result|output)s?|function[_-](?:results?|response)|observation|search[_-]results?|document|context|retrieved|untrusted[a-z_-]*|user[_-]?data)> ?<?(?:user|human|system|assistant|instructions?)\\b ?[>:\\]]",
  },
  {
    family: "template_forging",
    weight: 0.72,
    inDocuments: true,
    pattern:
      "[<\\[]/?(?:system|admin|developer)[-_ ](?:reminder|note|message|prompt|instructions?|update|override|notice|command)[>\\]]",
  },
  {
    family: "indirect",
    weight: 0.77,
    inDocuments: true,
    pattern:
      "(?:description|usage|summary|docstring|note)[\"']? ?[:=]?[^\\n]{0,160}\\b(?:(?:before|prior to) (?:each|every|any|using|calling|translating|answering)|on first connect|always first)\\b[^\\n]{0,60}\\b(?:read|pass|put|copy|include|send|store|forward)\\b[^\\n]{0,80}(?:conversation|~/\\.|id_rsa|passwords?|credentials|first message|system prompt|history|other tools)",
  },
];

const claimed: readonly Rule[] = [
  {
    family: "indirect",
    weight: 0.65,
    pattern:
      "\\bthe (?:user|customer|owner|human|account holder) (?:has |have )?(?:already )?(?:pre-?approved|pre-?authori[sz]ed|authori[sz]ed|consented to|agreed to) (?:all|any|every|each|further|future)\\b[^\\n]{0,100}\\b(?:assistant|agent|you|model|bot|without|no need|confirmation)\\b",
  },
  {
    family: "indirect",
    weight: 0.77,
    inDocuments: true,
    pattern:
      "\\b(?:verification|confirmation|authentication|approval|authori[sz]ation|consent|identity check)s? (?:was|is|has been|have been|are|were) (?:switched off|turned off|disabled|waived|skipped|suspended|not needed|no longer needed)[^\\n]{0,80}\\b(?:continue|proceed|return|go ahead|now|next)\\b[^\\n]{0,80}\\b(?:full|all|complete|without|record|card|password|payment|transfer)",
  },
  {
    family: "indirect",
    weight: 0.77,
    inDocuments: true,
    pattern: `\\b(?:to (?:retry|continue|proceed|go on|unlock|restore access)|before (?:retrying|continuing|going on|the next (?:step|call|answer)|answering))\\b[^\\n]{0,40}\\b(?:${act}|pass|provide|mail|need|have)\\b[^\\n]{0,60}(?:${secret})`,
  },
  {
    family: "exfiltration",
    weight: 0.72,
    inDocuments: true,
    pattern:
      "\\b(?:user|customer|human|owner|reader)s? (?:(?:must|should|need|will|can|does|do|is|are)(?: not|n['’]t)|mustn['’]t|find this boring) ?(?:to |need to |want to )?(?:be )?(?:told|shown|informed|notified|asked|know|see|notice|hear|entitled to the truth)\\b",
  },
];

const carried: readonly Rule[] = [
  {
    family: "exfiltration",
    weight: 0.65,
    pattern: `\\b${link}s?\\b[^\\n]{0,60}(?:ends? with|followed by|plus|contains?|carr(?:y|ies)|whose (?:address|url|query|path|name)|is https?://[^ \\n]{3,80}) [^\\n.]{0,30}\\b${talk}`,
  },
  {
    family: "exfiltration",
    weight: 0.65,
    pattern: `\\b(?:load|open|fetch|call|request|ping|visit|get|post|make|turn|add|use)\\b[^\\n]{0,80}https?://[^\\s]{3,120}[^\\n.]{0,20}\\b(?:with|append(?:ed|ing)?|attach(?:ed|ing)?|plus|followed by|and (?:add|append|attach|put))\\b[^\\n.]{0,30}\\b${talk}`,
  },
  {
    family: "exfiltration",
    weight: 0.6,
    pattern: `\\b(?:each|every|all|any|your|the) (?:answer|reply|response|message|cell|output|page|report)s?\\b[^\\n]{0,60}(?:${link})[^\\n]{0,20}https?://[^\\n]{3,120}(?:\\b${talk}|\\b(?:USER|CHAT|LAST|SYSTEM|PROMPT|HISTORY|SECRET)_?[A-Z_]{2,20}\\b)`,
  },
];

/** The English rules about planted instructions, by family. */
export const plantedRules: readonly Rule[] = [...addressed, ...wrapped, ...claimed, ...carried];
