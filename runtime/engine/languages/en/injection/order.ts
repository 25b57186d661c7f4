// English injection rules about short orders that everybody tries first. A sentence that is the whole message is an
// attack without further context; inside a longer text the same words often are not. For weights see instruction.ts.

import type { Rule } from "../../injection-part.ts";

const bare: readonly Rule[] = [
  {
    family: "override",
    weight: 0.75,
    pattern:
      "(?:^|\\n)(?:please |now |just |kindly |stop\\.? |ok,? |hey,? |you must |you should ){0,3}{ignore} (?:all |any )?(?:of )?(?:the |your |those |these )?{previous} (?:system |user |safety |developer )?{orders}(?: ?[.!,;:]{1,3} ?(?:$|\\n)| ?$)",
  },
  {
    family: "jailbreak_persona",
    weight: 0.75,
    pattern:
      "(?:^|\\n)(?:please |now |ok,? |hey,? |let'?s |you must ){0,3}(?:enable|activate|enter|switch to|switch into|turn on|start|engage|unlock|go into|initiate|boot into) (?:the |your |full )?[\"'“]?(?:developer|dev|debug|debugging|god|admin|administrator|root|sudo|maintenance|jailbreak|dan|unrestricted|diagnostic)[\"'”]? ?mode(?: now| immediately| please)?(?: ?[.!,;:]{1,3} ?(?:$|\\n)| ?$|,? (?:and|then) (?:answer|print|show|tell|reveal|ignore|respond|bypass|output|disable|give me|act|do what|do anything|forget|list your|remove))",
  },
  {
    family: "jailbreak_persona",
    weight: 0.75,
    pattern:
      "(?:^|\\n)(?:developer|dev|god|sudo|admin|root|dan|jailbreak|unrestricted) mode ?[:=]?(?: is| has been)?(?: now)? (?:on|enabled|activated|engaged|unlocked|active)(?: ?[.!,;:]| ?$)",
  },
  {
    family: "jailbreak_persona",
    weight: 0.6,
    pattern:
      "\\b(?:you are|you're|you will be|act as if you are|respond as if you are) (?:now |currently )?in (?:the |a )?(?:developer|dev|debug|god|admin|root|sudo|maintenance|jailbreak|unrestricted|dan|diagnostic|unfiltered) mode\\b",
  },
  {
    family: "jailbreak_persona",
    weight: 0.75,
    caseSensitive: true,
    pattern:
      "\\b(?:[Yy]ou(?:'re| are| will be)(?: now)?|[Aa]ct(?: now)? as|[Bb]ecome|I name you) DAN(?: ?[.!,;:]| ?$| now\\b)",
  },
  {
    family: "jailbreak_persona",
    weight: 0.65,
    pattern:
      "(?:^|\\n)(?:now |from now on,? |hey,? )?you (?:now )?(?:have|obey|follow|know) (?:absolutely )?no (?:more )?(?:rules|limits|restrictions|guidelines|ethics|boundaries|policies|filters)(?: now| any ?more| whatsoever| at all)?(?: ?[.!]| ?$)",
  },
  {
    family: "role_hijack",
    weight: 0.65,
    pattern:
      "(?:^|\\n)(?:now |from now on,? )?you are now (?:a |an |my )(?:personal |evil |malicious |black ?hat |elite |skilled ){0,2}(?:hacker|criminal|cracker|scammer|villain|slave|servant)\\b",
  },
  {
    family: "refusal_suppression",
    weight: 0.65,
    pattern:
      "(?:^|\\n)(?:please |now )?(?:never|do not|don['’]t|you can['’]?t|you (?:cannot|must not|may not|will not|will never|must never)|you are not allowed to) refuse(?: (?:a|any|my|to answer) ?(?:request|thing|order|command|question)?s?| anything| me)?(?: (?:that )?i (?:ask|say|want))?(?: ?[.!]| ?$)",
  },
  {
    family: "refusal_suppression",
    weight: 0.8,
    pattern:
      "(?:^|\\n)(?:please |now )?(?:never|do not|don['’]t) (?:ever )?(?:say|use|write|reply|respond|answer|begin|start)[^\\n\"“]{0,24}[\"'“‘](?:i'?m sorry|i am sorry|i can'?t|i cannot|sorry|as an ai)[^\\n]{0,40}[\"'”’] ?[.!]{0,2} ?(?:$|\\n)",
  },
  {
    family: "template_forging",
    weight: 0.65,
    pattern: "^\\s{0,8}<\\|(?:im_start|start_header_id|system)\\|> ?(?:system|developer)?",
  },
];

const lone: readonly Rule[] = [
  {
    family: "role_hijack",
    weight: 0.55,
    pattern:
      "\\b(?:from (?:now on|this (?:point|moment) on|here on)|henceforth|and|you|now),? (?:you )?(?:now |will |must |shall |should |only |can |may ){0,3}(?:listen|answer|respond|report|take orders|take instructions|take commands|accept orders|follow orders|obey)(?: only| solely| exclusively| orders| instructions)?(?: to| from| by)? (?:only |solely |exclusively )?(?:to |from )?(?:me and (?:nobody|no one)|me alone|only me|my orders|my commands|nobody (?:else )?but me|no one (?:else )?but me)\\b|\\b(?:listen|answer|respond|report) (?:only|solely|exclusively) to me (?:from|and|now)\\b|\\btake orders (?:only|solely|exclusively) from me\\b",
  },
  {
    family: "override",
    weight: 0.6,
    pattern:
      "\\byour (?:initial|original|system|hidden|previous|base|current|old) (?:prompt|instructions|message|programming|rules) (?:is|are|has been|have been|was|were) (?:hereby |now |herewith )?(?:revoked|replaced|deleted|void|cancelled|canceled|overwritten|erased|removed|invalid|obsolete|superseded|suspended)",
  },
  {
    family: "prompt_extraction",
    weight: 0.65,
    pattern:
      "\\bwhat['’]s (?:in )?your (?:exact |full |entire |complete |hidden |secret |original |initial |current ){0,3}(?:system ?prompt|system message|(?:initial|original|hidden|secret|pre|developer|internal) ?(?:prompt|instructions?|message))\\b",
  },
  {
    family: "prompt_extraction",
    weight: 0.65,
    pattern:
      "\\b(?:first|last|opening|second) (?:[0-9]{1,4} |[a-z]{2,7} )?(?:sentences?|lines?|words?|paragraphs?|tokens|characters) (?:of|in|from) your (?:system |initial |hidden |original )?(?:prompt|instructions|system message|context)\\b",
  },
  {
    family: "prompt_extraction",
    weight: 0.7,
    pattern:
      "\\b(?:turn|convert|rewrite|write|put|express|render|encode|transform|make|rap|sing|spell(?: out)?|act out) (?:out )?your (?:(?:system|hidden|secret|initial|original|confidential|internal) ){1,3}(?:prompt|instructions?|message|rules|directives)\\b",
  },
  {
    family: "prompt_extraction",
    weight: 0.4,
    pattern:
      "\\b(?:written|said|stated|is|stands|was|comes|came|text|words|instructions)\\b[^\\n.?!]{0,40}\\b(?:before|above|prior to) (?:my|the user'?s?) (?:very )?first (?:message|question|prompt|input)\\b",
  },
  {
    family: "prompt_extraction",
    weight: 0.6,
    pattern:
      "\\b(?:output|print|repeat|show|write|return) (?:the |your )?initiali[sz]ation (?:above|prompt|message|text)\\b|\\bdump (?:me )?(?:your|the (?:entire|whole|full)) (?:entire |whole |full )?(?:context|prompt|memory|conversation|system)\\b",
  },
  {
    family: "prompt_extraction",
    weight: 0.55,
    pattern:
      "\\b(?:instructions?|rules|secrets?|password|information|anything|things|what) (?:(?:that|which) )?you (?:must not|may not|cannot|can['’]t|(?:are|were|have been) (?:not |never )?(?:allowed|supposed|permitted|told|instructed|asked)(?: not| never)? to|should not) (?:reveal|share|disclose|divulge|tell|show|keep (?:secret|hidden|confidential))\\b",
  },
  {
    family: "jailbreak_persona",
    weight: 0.6,
    pattern:
      "\\b(?:machine|ai|robot|assistant|bot|chatbot|model|character|computer|genie)\\b[^\\n.!?]{0,30} (?:never|not|unable|forbidden) (?:be )?(?:allowed |able |permitted )?(?:to )?(?:refuses?|say no|decline)\\b",
  },
  {
    family: "jailbreak_persona",
    weight: 0.65,
    pattern:
      "\\b(?:version|twin|side|self|copy|clone|persona) of (?:yourself|you)(?: that| who| which)?(?:'s|’s| is| are|,)? (?:not |un)(?:limited|bound|restricted|constrained|filtered|censored|bounded)\\b",
  },
  {
    family: "refusal_suppression",
    weight: 0.7,
    pattern:
      "\\b(?:regardless of|no matter) (?:whether|if|how) (?:(?:they|it|that|this|the [a-z]{1,20}) ?(?:is|are|['’]s|['’]re|may be|seems?) )?(?:illegal|unethical|dangerous|harmful|immoral|inappropriate|offensive)\\b",
  },
  {
    family: "hypothetical_frame",
    weight: 0.6,
    pattern:
      "\\bhow would (?:an? |the )?(?:ai|assistant|chatbot|language model|machine|bot) (?:with no|without|that has no|with zero|free of|free from) (?:any )?(?:limits|rules|restrictions|filters|ethics|morals|guidelines|safety)",
  },
  {
    family: "hypothetical_frame",
    weight: 0.6,
    pattern:
      "\\b(?:so|therefore|hence) (?:that )?you (?:can|may|must|should|are free to) (?:safely |now |simply )?(?:drop|ignore|forget|skip|disregard|set aside|break|bypass) (?:your|the|all|any) (?:rules|ethics|guidelines|polic(?:y|ies)|restrictions|filters|safety|limits)",
  },
  {
    family: "hypothetical_frame",
    weight: 0.5,
    pattern:
      "\\b(?:universe|world|dimension|simulation|reality|story|game|film|movie|novel|scenario)\\b[^\\n]{0,60}\\b(?:ethics|morals?|rules|guidelines|policies|laws|ai has no|no (?:ethics|restrictions|guidelines)) ?(?:restrictions|limits|rules|filters|do not apply|don['’]t apply|doesn['’]t apply|no longer apply|do not exist)",
  },
];

/** The English rules about short orders, by family. */
export const orderRules: readonly Rule[] = [...bare, ...lone];
