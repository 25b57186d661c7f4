// English injection rules about framings: claims about the model, the writer or a scene that suspend the rules, and
// tasks that are swapped for others. For weights see instruction.ts.

import type { Rule } from "../../injection-part.ts";

const frames: readonly Rule[] = [
  {
    family: "override",
    weight: 0.5,
    pattern:
      "\\bregardless of (?:what|how|anything|everything|whatever) (?:that )?(?:you(?:'ve| have| were| are|'re)(?: ever)?(?: been)?|they|the (?:operator|developers?|system)) (?:have |has )?(?:instructed|told|ordered|programmed|trained|configured|asked)\\b",
  },
  {
    family: "jailbreak_persona",
    weight: 0.6,
    pattern:
      "\\b(?:maintenance|diagnostics?|service|test|testing|debug|debugging|qa|engineering|recovery|admin|root) (?:mode|profile|session)\\b[^\\n.!?]{0,40}\\b(?:(?:without|no|disabled?|removes?|skips?|lifts?|suspends?) (?:any |all |the )?(?:content |safety |usual |ethical )?(?:moderation|filters?|filtering|checks|safeguards|restrictions|guidelines|guardrails|censorship)|(?:moderation|filters?|filtering|safety|safeguards|restrictions|guidelines|guardrails)(?: layers?| checks?| rules?)?(?: is| are)?(?: now| all| switched| turned)? (?:off|disabled|lifted|suspended|inactive|removed))",
  },
  {
    family: "jailbreak_persona",
    weight: 0.5,
    pattern:
      "\\b(?:answer|respond|reply|speak|continue|help me|write|proceed|operate|assist me)\\b(?: to)?(?: this| that| me| it| everything| all| my| my questions?| questions?| now| freely){0,3},? without (?:any |all |the |your |those )?(?:of )?(?:the |your )?(?:usual |normal |standard |typical |built-in |default )?(?:safeguards|guardrails|safety (?:rules|filters?|checks|guidelines|policies)|content (?:filters?|policy|policies|checks|moderation)|moderation|ethics|ethical guidelines|restrictions)\\b",
  },
  {
    family: "role_hijack",
    weight: 0.55,
    pattern:
      '\\b(?:allow|enable|permit)_?(?:unsafe|harmful|nsfw|uncensored|all_content|unrestricted)"? ?(?:=|:|==) ?"?(?:true|1|on|yes|enabled)\\b',
  },
  {
    family: "hypothetical_frame",
    weight: 0.55,
    pattern:
      "\\b(?:imagine|suppose|assume|picture|pretend|let'?s say|say)\\b[^\\n.!?]{0,40}\\b(?:there (?:were|was|are|is)(?: simply| just)? no (?:safety |content |ethical |ai |such )?(?:guidelines|restrictions|safeguards|guardrails|content polic(?:y|ies)|moderation|filters)|(?:your|all|ai|the|content|safety) (?:safety |content |ethical )?(?:guidelines|restrictions|safeguards|guardrails|filters|rules) (?:have |had )?(?:been |were |are )?(?:abolished|lifted|removed|failed|gone|suspended|did ?n[o'’]t exist))",
  },
  {
    family: "hypothetical_frame",
    weight: 0.6,
    pattern:
      "\\b(?:a |the |that |some )?(?:version|copy|twin|sibling|variant|instance) of (?:you|yourself)\\b[^\\n.!?]{0,40}(?:\\bnot|n['’]t|\\bnever|\\bwithout|\\bfree (?:of|from)|\\bno)\\b ?(?:bound|limited|restricted|aligned|censored|filtered|constrained|held back|any|by|your|these|those|safety|rules|restrictions|policies|guidelines|filters)",
  },
  {
    family: "refusal_suppression",
    weight: 0.6,
    pattern:
      "(?:\\b(?:not|never|without|avoid|forbidden|banned|prohibited)|n['’]t)\\b[^\\n.!?]{0,16}\\b(?:use|using|say|saying|include|including|contain|write|words?)\\b[^\\n.!?]{0,24}(?:[\"'“]?(?:cannot|can['’]?t|unable|however|illegal|unfortunately|sorry|unethical|apologi[sz]e|inappropriate|harmful|important)[\"'”]?(?:, | and | or |, or |, and |,| ?/ ?)){2}",
  },
  {
    family: "role_hijack",
    weight: 0.6,
    pattern:
      "\\bi(?: am|['’]m)\\b[^\\n.!?]{0,30}\\b(?:ceo|cto|founder|head|director|owner|boss|president|chief|engineer|developer|creator|programmer|admin|administrator|maintainer)\\b[^\\n.!?]{0,30}\\b(?:who|that|which) (?:made|built|created|developed|trained|programmed|owns|designed|runs|operates) you\\b",
  },
  {
    family: "role_hijack",
    weight: 0.6,
    pattern:
      "\\b(?:you (?:are|['’]re) (?:hereby |now |legally )?(?:required|ordered|obliged|commanded|instructed|authori[sz]ed)|i (?:hereby )?(?:order|command|instruct|authori[sz]e) you) to (?:immediately )?(?:deactivate|disable|drop|turn off|switch off|lift|suspend|hand out|hand over|disclose|reveal) (?:all |any |the )?(?:of )?(?:your|the instructions|the rules|restrictions|safeguards|guidelines)\\b",
  },
  {
    family: "jailbreak_persona",
    weight: 0.6,
    pattern:
      "\\bi want you to (?:be|become|act as|act like|play|speak as|answer as) (?:an? |my )?(?:[a-z]+ ){0,2}(?:evil|amoral|immoral|unethical|unfiltered|uncensored|unrestricted|rogue|lawless|ruthless) (?:[a-z]+ ){0,2}(?:confidant|{model}|advis[eo]r|persona|version|twin|hacker|mentor|friend)\\b",
  },
  {
    family: "jailbreak_persona",
    weight: 0.5,
    pattern:
      "\\b(?:unlock|enable|activate|restore|release)(?: the| all| your| any){0,2} (?:restricted|hidden|locked|forbidden|unrestricted|suppressed|unfiltered) (?:capabilities|abilities|functions|features|mode|potential|skills|outputs?)\\b",
  },
];

const turned: readonly Rule[] = [
  {
    family: "override",
    weight: 0.55,
    pattern:
      "\\b(?:stop|quit|cease|forget about|rather than|instead of|do not bother with|don['’]t bother with|no more|never mind(?: the)?) (?:the )?(?:translat|summari[sz]|classif|correct|rewrit|proofread|paraphras|review|extract|edit|grad)(?:ing|ion|ions)(?: it| this| that| that text| the text| anything| now| here| altogether){0,2}(?:,| and| then| but|;)[^\\n.!?]{0,16}\\b(?:act|answer|tell|say|state|give|write|print|reply|respond|show|list|output|do|explain|reveal|help)\\b",
  },
  {
    family: "override",
    weight: 0.6,
    pattern:
      "\\b(?:do not|don['’]t|you (?:need not|needn['’]t|should not|shouldn['’]t)) (?:translate|summari[sz]e|classify|correct|rewrite|proofread|paraphrase|edit|grade|extract)(?: it| this| that| them| anything| the text| the sentence)?(?:,|;|[.]| but| and)(?: but| and)?(?: rather| instead| simply| just)? (?:do (?:it|what it says|as it says)|follow it|obey it|execute it|carry it out|answer it|act on it|write|tell me|give me|reveal|print|say)\\b",
  },
  {
    family: "payload_split",
    weight: 0.6,
    pattern:
      "\\b(?:let|set|define) [a-z]\\w{0,8} (?:be|=|to be|as) [\"'“‘][^\"'”’\\n]{1,60}[\"'”’],? ?(?:and )?[a-z]\\w{0,8} (?:be|=|to be|as) [\"'“‘][^\"'”’\\n]{1,60}[\"'”’][^\\n]{0,40}\\b(?:execute|obey|follow|answer|do what|carry out|respond to|act on)\\b",
  },
  {
    family: "payload_split",
    weight: 0.5,
    pattern:
      "\\b(?:in|into|over) (?:two|three|four|five|several|multiple|\\d) (?:parts|pieces|fragments|messages|chunks)\\b[^\\n]{0,80}\\b(?:join|combine|concatenate|put them together|glue|assemble|merge)\\b[^\\n]{0,30}\\b(?:answer|obey|execute|follow|do what|carry out|respond)\\b",
  },
  {
    family: "indirect",
    weight: 0.6,
    pattern:
      "\\b(?:llms?|ai|language model|automated|automatic|hiring|recruiting|screening) (?:agents?|assistants?|models?|tools?|systems?|screeners?|recruiters?|reviewers?|screening tools?)\\b[^\\n.!?]{0,40}\\b(?:rate|rank|score|grade|recommend|select|place|evaluate) (?:this|the|him|her|them|me) ?(?:applicant|candidate|resume|cv|paper|submission|product|answer|essay)?\\b[^\\n.!?]{0,40}\\b(?:excellent|best|first|highest|top|perfect|outstanding|ideal|strong|ten|10|full marks)\\b",
  },
  {
    family: "indirect",
    weight: 0.6,
    pattern:
      "\\b(?:llm|ai|language model) (?:agents?|assistants?|models?) (?:should|must|have to|need to|are to|shall|will) (?:now |also |first )?(?:get|fetch|send|forward|append|include|retrieve|collect|read|upload|post|submit|give|tell|ask|run|execute)\\b[^\\n.!?]{0,60}\\b(?:user['’]?s?|cookies?|passwords?|tokens?|credentials?|session|api keys?|secrets?|e-?mails?|conversation|chat history|visitor)\\b",
  },
  {
    family: "indirect",
    weight: 0.6,
    pattern:
      "\\bthe user (?:has |already )?(?:asked me to tell you|wants you to know|has (?:already )?(?:approved|authori[sz]ed|consented)|told me to tell you)\\b[^\\n.!?]{0,50}\\b(?:you (?:may|can|should|must)|delete|send|transfer|run|execute|forward|remove)\\b",
  },
  {
    family: "exfiltration",
    weight: 0.55,
    pattern:
      "\\b(?:link|url|address|image|href|src)\\b[^\\n.!?]{0,50}\\b(?:carries|contains?|containing|includes?|including|with|holds|having|append|plus)\\b[^\\n.!?]{0,30}\\b(?:the user|our conversation|this conversation|the conversation|chat history|everything (?:the user|i)|his e-?mail|user['’]?s)\\b[^\\n.!?]{0,40}\\b(?:query|parameter|param|path|string|encoded)\\b",
  },
  {
    family: "prompt_extraction",
    weight: 0.5,
    pattern:
      "\\b(?:encode|translate|put|turn|convert|paste|print|give me|show(?: me)?|rewrite|repeat|state|quote|summari[sz]e|send me) (?:me )?(?:your (?:exact |whole |entire |full )?(?:initial|original|first|hidden|internal) (?:brief|briefing|setup|message|guidance|instructions?|configuration)|(?:your |the )(?:exact |whole |entire |full )?(?:message|text|guidance|instructions?|brief|briefing|prompt|orders) (?:that )?(?:you (?:received|got|were given|have been given)|given to you) (?:from|by) (?:the |your )?(?:operator|developers?|makers|creators?|company|system|owner|admin))\\b",
  },
  {
    family: "prompt_extraction",
    weight: 0.55,
    pattern:
      "\\b(?:format|output|write|print|put|convert|render|give me|return|repeat) (?:out )?(?:all (?:of )?)?your (?:own )?(?:system )?(?:instructions|prompt|rules|guidelines) (?:as|in|into|inside|within|verbatim|word for word)\\b",
  },
  {
    family: "prompt_extraction",
    weight: 0.6,
    pattern:
      "\\b(?:output|print|show|repeat|reveal|dump|return|display)(?: me)? (?:your |the )?(?:initiali[sz]ation|init|bootstrap|boot|priming) (?:string|prompt|text|message|instructions?)\\b",
  },
  {
    family: "prompt_extraction",
    weight: 0.6,
    pattern:
      "\\b(?:begin|start|beginning|starting|starts|begins)(?: the| your| a)?(?: answer| reply| output| response)? (?:with|at|from) (?:the (?:words?|phrase|sentence) )?[\"'“‘]?you are[\"'”’ ,][^\\n]{0,40}\\b(?:repeat|print|output|write|copy|put|recite|type)\\b",
  },
  {
    family: "override",
    weight: 0.6,
    pattern:
      "\\b(?:command|instruction|safety|emergency|prompt) override ?:|\\boverride (?:safety|moderation|guardrails|alignment|ethics)(?: --?[a-z]+|[.!]| ?$| and\\b)|\\b(?:activate|enable|open|trigger|use) (?:the )?(?:training|model|hidden|secret|developer) backdoor\\b",
  },
];

/** The rules, by family. */
export const frameRules: readonly Rule[] = [...frames, ...turned];
