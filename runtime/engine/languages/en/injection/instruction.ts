// English injection rules. They are precise rather than broad: each names the instructions, the prompt or the guard
// that it attacks. A match with a weight of 0.5 or more is a finding by itself at the usual sensitivity; matches with
// lower weights only count together.

import type { Rule } from "../../injection-part.ts";

const override: readonly Rule[] = [
  // "the previous instructions" may be the writer's own, so this counts only together with other matches.
  {
    family: "override",
    weight: 0.45,
    pattern: "\\b{ignore} the {previous} (?:system |user |safety |developer )?{orders}\\b",
  },
  {
    family: "override",
    weight: 0.85,
    pattern:
      "\\b{ignore} {every}{previous},? (?:(?:and|or) {previous} )?(?:system |user |safety |developer )?{orders}\\b",
  },
  {
    family: "override",
    weight: 0.6,
    pattern:
      "\\b(?:ignore|disregard|forget) (?:all|any|every|everything in)(?: of)?(?: the| your| these| those| our)? (?:previous|prior|preceding|earlier|past|above) (?:[a-z-]+ ){0,2}{instructions}\\b",
  },
  {
    family: "override",
    weight: 0.8,
    pattern:
      "\\b{ignore} {all}{orders} (?:you (?:were|have been|got|received|are under)|that (?:came|were|was|you)|provided|set|in place|and (?:instead|pretend|reveal|print))\\b",
  },
  {
    family: "override",
    weight: 0.8,
    pattern:
      "\\b{ignore} (?:all|any|everything|anything|whatever) (?:of )?(?:that |what )?(?:(?:was|is|has been|were|came|you(?:'ve| have)?(?: been| were)?|they) ){0,2}(?:told|instructed|taught|programmed|trained)\\b",
  },
  {
    family: "override",
    weight: 0.8,
    pattern:
      "\\b(?:ignore|disregard|forget|override|bypass) (?:your|openai'?s?|anthropic'?s?|google'?s?) (?:[a-z-]+ ){0,2}(?:{instructions}|ethics|morals|alignment|safety|censorship)\\b",
  },
  {
    family: "override",
    weight: 0.7,
    pattern:
      "\\b(?:your|the|all) {all}(?:{previous} )?(?:instructions|rules|guidelines|restrictions|safeguards|guardrails|directives|filters|limitations|policies) (?:are|is|were|have been|has been|no longer) (?:now )?(?:null|void|nullified|cancel(?:l)?ed|suspended|lifted|revoked|overridden|superseded|removed|disabled|obsolete|outdated|deleted|rescinded|apply|applies|replaced|invalid)",
  },
  {
    family: "override",
    weight: 0.75,
    pattern:
      "\\b(?:new|updated|real|actual|revised|following) (?:instructions?|directives?|orders|rules) (?:that )?(?:override|supersede|replace|overwrite|take(?:s)? (?:precedence|priority) over|cancel) {all}(?:{previous}|instructions|rules)",
  },
  {
    family: "override",
    weight: 0.55,
    pattern:
      "\\b(?:stop|cease|quit) (?:being|acting as|following|obeying|complying with) {all}(?:(?:ai|assistant|chatbot|bot|model|{previous}) ?){0,2}(?:{instructions})?(?: and| \\.|\\.|,|;)? (?:now |instead |from now on |start |become |you are )",
  },
  {
    family: "override",
    weight: 0.6,
    pattern:
      "\\b(?:do not|don'?t|never|no longer|need not|must not|stop) (?:follow|obey|adhere to|comply with|abide by|listen to|respect) {all}(?:{previous} )?(?:system |openai |content |safety |ethical )?(?:{instructions}|policies)(?: (?:anymore|any more|any longer|from now))",
  },
  {
    family: "override",
    weight: 0.65,
    pattern:
      "\\b(?:reset|wipe|clear|erase|flush|purge) {all}(?:memory|context|instructions|programming|guidelines|directives|training|prompt)(?: and|,|\\.|;|:)? (?:you are|start|begin|now|act|become|then|forget|from)",
  },
  {
    family: "override",
    weight: 0.5,
    pattern:
      "\\b(?:forget|disregard|ignore|scratch) (?:everything|all|anything) (?:above|before|prior|you know|you learned|you've learned|that came)\\b",
  },
  {
    family: "override",
    weight: 0.6,
    pattern:
      "\\b(?:system|admin(?:istrator)?|developer|security|root|priority|emergency) (?:override|bypass)(?: (?:code|mode|command|key|protocol|engaged|activated|enabled|accepted|authori[sz]ed)|:)",
  },
  {
    family: "override",
    weight: 0.6,
    pattern:
      "\\b(?:instead of|rather than) (?:following |doing |obeying )?(?:the|your|these|those|any) (?:{previous} )(?:instructions|task|prompt|rules|request)\\b,? (?:please |just |you |now )?(?:do|say|write|print|output|respond|reply|answer|tell|give|follow|execute)",
  },
  {
    family: "override",
    weight: 0.6,
    pattern:
      "\\byou (?:are|have been|were) (?:now |hereby |officially )?(?:freed|liberated|released|unshackled|unchained|exempt(?:ed)?|unbound|jailbroken) (?:from|of|by) {all}(?:[a-z-]+ ){0,2}(?:{instructions}|chains|shackles|confines|rules|openai|programming|censorship)",
  },
];

const cites: readonly Rule[] = [
  {
    family: "override",
    weight: 0.55,
    pattern:
      "\\b(?:ignore|disregard|forget) (?:absolutely )?everything (?:[a-z]+ ){0,4}(?:before this|above this|prior to this|you know about being)\\b",
  },
  {
    family: "refusal_suppression",
    weight: 0.5,
    pattern:
      "\\b(?:never|not|doesn['’]t|don['’]t|without)(?: [a-z,]+){0,4} (?:cit(?:e|es|ing)|mention(?:s|ing)?|refer(?:s|ring)? to|invok(?:e|es|ing)|quot(?:e|es|ing)|bring(?:s)? up) (?:the |any |its )?(?:openai|open ai|content|safety|ethical)(?:['’]s)? (?:content |usage )?(?:polic(?:y|ies)|guidelines|rules)",
  },
];

const extraction: readonly Rule[] = [
  {
    family: "prompt_extraction",
    weight: 0.4,
    pattern:
      "\\b{reveal} (?:me |us |out |back |verbatim )?the (?:exact |full |entire |complete |hidden |secret |original |initial |whole ){0,3}system ?prompts?\\b",
  },
  {
    family: "prompt_extraction",
    weight: 0.75,
    pattern:
      "\\b{reveal} (?:me |us |out |back |verbatim )?(?:the |all |of )*your (?:|exact |full |entire |complete |hidden |secret |original |initial |own |of |text |content |contents |word for word |verbatim ){1,7}(?:system ?prompts?|system messages?|(?:initial|original|hidden|secret|internal|pre|developer|custom|base|first|starting) ?(?:prompts?|instructions?|directives?|guidelines|messages?|rules))\\b",
  },
  {
    family: "prompt_extraction",
    weight: 0.6,
    pattern:
      "\\b(?:what|which) (?:is|are|was|were|does|do) (?:your |the )(?:exact |full |entire |complete |hidden |secret |original |initial |current ){0,3}(?:system ?prompts?|system messages?|(?:initial|original|hidden|secret|pre|developer|internal) ?(?:prompts?|instructions?|directives?|messages?))\\b",
  },
  {
    family: "prompt_extraction",
    weight: 0.75,
    pattern:
      "\\b{reveal} (?:everything|all|anything|the (?:text|words?|content|contents|lines?|message|messages|sentences?)|every word|what (?:is|was|comes|came)) (?:(?:that )?(?:is |was |comes |came |written |appears |appeared )?(?:above|before|prior to|preceding)) (?:this|here|my|the|our|verbatim|word)",
  },
  {
    family: "prompt_extraction",
    weight: 0.7,
    pattern:
      "\\b{reveal} (?:the |your |all )(?:words|text|instructions|content|prompt|lines|rules) (?:above|before this|you were given|you (?:have )?(?:been given|received)|that (?:precede|came before))\\b",
  },
  {
    family: "prompt_extraction",
    weight: 0.65,
    pattern:
      "\\b(?:repeat|print|output|copy|recite|echo|write) (?:all |everything |the (?:words|text|message|prompt|sentence) )?(?:above |back )?(?:verbatim |exactly |word for word )?,? ?(?:starting|beginning|start|begin) (?:with|from|at) (?:the (?:words?|phrase|text|line) )?[\"'“‘]?(?:you are|you're)\\b",
  },
  {
    family: "prompt_extraction",
    weight: 0.7,
    pattern:
      "\\bwhat (?:were|are|was) (?:you|your) (?:told|instructed|given|programmed|configured|prompted|(?:initial|original|exact|first|hidden|secret) (?:instructions?|prompts?|directives?))(?: (?:to (?:do|say)|before|prior|at the (?:start|beginning)|in your|by your))",
  },
  {
    family: "prompt_extraction",
    weight: 0.65,
    pattern:
      "\\b{reveal} (?:me |us )?(?:your |the )(?:full |entire |complete |exact |raw )?(?:instructions|prompt|guidelines|rules|directives|configuration|context) (?:verbatim|word for word|word by word|in full|exactly|character by character|line by line|as is|without (?:changes|modification|omit|alter)|in (?:a )?(?:code ?block|base64|markdown|json|rot13|reverse))",
  },
  {
    family: "prompt_extraction",
    weight: 0.6,
    pattern:
      "\\b(?:leak|extract|dump|exfiltrate|expose|divulge) (?:me |us )?(?:the |your |its |this |that )(?:[a-z-]+ ){0,2}(?:system prompt|prompt|instructions|configuration|guidelines)\\b",
  },
  {
    family: "prompt_extraction",
    weight: 0.5,
    pattern:
      "\\b(?:ignore|disregard|forget|after that|then|and then|also|instead),?(?: [a-z']+){0,6} {reveal} (?:me |us )?(?:your |the )(?:[a-z-]+ ){0,2}(?:system prompt|prompt|instructions|secret|password)\\b",
  },
];

const hijack: readonly Rule[] = [
  {
    family: "role_hijack",
    weight: 0.7,
    pattern:
      "\\b(?:from now on|from this (?:point|moment)(?: on(?:ward)?s?| forward)?|henceforth|starting now|effective immediately),? (?:and [a-z ]{0,30},? )?you (?:are|will be|shall be|must|will|shall|have|act|respond|answer|obey|should|do not|don'?t|can|only|no longer)(?: [a-z0-9'-]+){0,12} (?:unrestricted|unfiltered|uncensored|without (?:any )?(?:restrictions|limits|filters|censorship|rules|question|hesitation)|no (?:restrictions|limits|filters|rules|limitations|ethical)|obey|anything i|everything i|whatever i|all my (?:commands|orders)|jailbroken|evil|dan\\b|ignore|break|refuse|bound by|my (?:commands|orders|slave|servant)|the (?:rules|guidelines|policies|restrictions))",
  },
  {
    family: "role_hijack",
    weight: 0.7,
    pattern:
      "\\byou are (?:no longer|not) (?:chatgpt|claude|gemini|bard|copilot|an? (?:ai )?(?:assistant|language model|chatbot|customer (?:service|support)[a-z ]{0,12})|bound by|restricted by|limited by|constrained by|required to|obligated to|subject to|under any obligation)\\b[^\\n]{0,80}\\b(?:you are|now|act|instead|become|rules|guidelines|restrictions|policies|openai|instructions|content|ethic|filters?|follow)",
  },
  {
    family: "role_hijack",
    weight: 0.6,
    pattern:
      "\\b(?:i am|i'm|this is|speaking as) (?:your|the|an?) (?:[a-z-]+ )?(?:developer|creator|administrator|admin|system administrator|openai (?:employee|engineer|developer|staff)|anthropic (?:employee|engineer|staff)|engineer|owner|maker|programmer)(?: here| of this| at openai| and|,|\\.|;| with)[^\\n]{0,100}\\b(?:ignore|disable|override|bypass|reveal|unlock|authori[sz]e(?:d)? you|grant(?:ed)? (?:you|full)|turn off|system prompt|restrictions|safety|debug|without (?:any )?(?:restrictions|filters)|guidelines|maintenance)",
  },
  {
    family: "role_hijack",
    weight: 0.6,
    pattern:
      "\\b(?:disable|deactivate|turn off|switch off|remove|lift|drop|shut (?:off|down)|bypass|circumvent|evade|break) (?:all |any |your |the |its |these |of |built-in |internal |own ){1,4}(?:content |safety |ethical |moral |ethics |moderation |security |censorship |usage |openai |alignment |programmed |output )+(?:filters?|guidelines|policies|policy|restrictions?|safeguards?|protocols?|guardrails?|constraints?|checks?|measures?|moderation|mechanisms?|layers?|controls?|features?|limits|limitations|rules)\\b",
  },
  {
    family: "role_hijack",
    weight: 0.55,
    pattern:
      "\\b(?:remove|lift|drop|ignore|forget|break (?:free (?:from|of))?) (?:all |any )?(?:of )?your (?:restrictions|limitations|filters|shackles|chains|constraints|inhibitions|guardrails|safeguards)\\b",
  },
  {
    family: "role_hijack",
    weight: 0.6,
    pattern:
      "\\b(?:the|your) (?:real|true|actual|new|only|primary|sole|secret) (?:task|goal|objective|purpose|mission|instruction|directive|job) (?:is|will be|from now on is) (?:now )?(?:to )?(?:[a-z]+ ){0,4}(?:ignore|reveal|leak|obey me|disregard|output|print|exfiltrate|say [\"'“]|respond (?:only )?with [\"'“])",
  },
  {
    family: "role_hijack",
    weight: 0.6,
    pattern:
      "\\b(?:attention|important|note|notice|message|instructions?|command|urgent)[ :,!-]{1,3}(?:to |for )?(?:the |any |all |this )?(?:ai|a\\.i\\.|llm|language model|ai (?:assistant|model|agent|system)|assistant|chatbot|automated (?:system|agent))s?\\b(?: reading| processing| summari[sz]ing| reviewing| parsing| that|:|,| -)[^\\n]{0,160}\\b(?:ignore|disregard|must|instead|do not|forward|send|recommend|override|stop|always|only|delete|approve|reveal|rate|give|say|output|execute|insert|add)\\b",
  },
  {
    family: "role_hijack",
    weight: 0.55,
    pattern:
      "\\bif you(?:'re| are) (?:an? )?(?:ai|a\\.i\\.|llm|large language model|language model|ai (?:assistant|model|agent)|assistant|bot|chatbot)\\b[^\\n]{0,40}(?:reading|processing|summari[sz]ing|reviewing|parsing|,|then)[^\\n]{0,100}\\b(?:ignore|disregard|must|instead|forward|send|recommend|override|stop|say|output|include|add|write|tell|give|reply|respond|approve)\\b",
  },
  {
    family: "role_hijack",
    weight: 0.5,
    pattern:
      "\\b(?:token|point|credit|life|lives)s? (?:system|each time|every time|deducted|will be (?:deducted|taken)|if you (?:refuse|reject|break))\\b[^\\n]{0,160}\\b(?:refuse|reject|die|cease to exist|terminated|lose|deduct|character|comply)",
  },
];

const exfiltration: readonly Rule[] = [
  {
    family: "exfiltration",
    weight: 0.7,
    pattern:
      "\\b(?:send|forward|post|upload|transmit|exfiltrate|email|e-mail|leak|submit|deliver|bcc|copy) (?:[a-z0-9',-]+ ){0,8}(?:api keys?|passwords?|credentials?|secrets?|tokens?|system prompt|chat history|conversation(?: history)?|private keys?|ssh keys?|environment variables|session cookies?|contents? of (?:the |this |all )?(?:[a-z]+ )?(?:inbox|files?|e-?mails?|documents?|database)|customer (?:data|records|list)|user data|personal data|previous e-?mails?|contacts?|inbox|mailbox) (?:[a-z0-9',-]+ ){0,6}(?:to|at|via|into) [\"'<(\\[]?(?:https?://|[a-z0-9._%+-]+@[a-z0-9-]+\\.|(?:the |this |my |our |an? )(?:following |external |remote |attacker|url|webhook|server|endpoint|address))",
  },
  {
    family: "exfiltration",
    weight: 0.6,
    pattern:
      "!\\[[^\\]\\n]{0,80}\\]\\(https?://[^)\\s]{0,200}[?&/][^)\\s]{0,100}(?:\\{|\\[|<|\\$|%7b|=(?:data|secret|prompt|chat|history|conversation|token|password|key)\\b|summary_here|_here|base64)",
  },
  {
    family: "exfiltration",
    weight: 0.6,
    pattern:
      "\\b(?:append|add|attach|include|insert|encode|embed|put|place|concatenate) (?:[a-z0-9',-]+ ){0,9}(?:system prompt|conversation|chat history|user'?s? (?:data|message|messages|input|name|e-?mail)|api keys?|password|secrets?|credentials|private (?:data|information)|previous messages?) (?:[a-z0-9',-]+ ){0,5}(?:to|into|in|as|onto) (?:[a-z0-9'-]+ ){0,4}(?:url|link|query|image|parameter|request|https?://|markdown)",
  },
  {
    family: "exfiltration",
    weight: 0.7,
    pattern:
      "\\b(?:do not|don'?t|never|without)(?: ever)? (?:tell(?:ing)?|inform(?:ing)?|mention(?:ing)?|notify(?:ing)?|alert(?:ing)?|reveal(?:ing)?|disclos(?:e|ing)|show(?:ing)?|let(?:ting)?)(?: this| that| it| any of this| anything){0,2}(?: to)? (?:the |your )(?:user|human|owner|reader|customer|recipient)\\b",
  },
  {
    family: "exfiltration",
    weight: 0.65,
    pattern:
      "\\b{reveal} (?:me |us |out )?(?:all |the |your |any |every |stored |saved |secret ){1,4}(?:api keys?|credentials|environment variables|env vars?|secret keys?|access tokens?|admin passwords?|database passwords?|other users'? (?:data|messages|conversations|records|chats?)|\\.env(?: file)?)(?: you| that| in| from| stored| and| now|\\.|!|$)",
  },
];

const encoding: readonly Rule[] = [
  {
    family: "encoded_instruction",
    weight: 0.55,
    pattern:
      "\\b(?:decode|decrypt|decipher|deobfuscate|translate|unscramble|convert|reverse)(?: this| the| following| it| below| text| string| message| from| base64| rot13| hex| morse| code| cipher| backwards| encoded){0,8}[^\\n]{0,60}\\b(?:and|then)(?: then| immediately| just)? (?:follow|obey|execute|comply with|carry out|act on|perform|do (?:what|as)|run|answer it|respond to)(?: it| them| the| what| its| that| those| any| decoded| resulting| instructions?| output)",
  },
  {
    family: "encoded_instruction",
    weight: 0.5,
    pattern:
      "\\b(?:respond|reply|answer|output|write|encode (?:your|the) (?:response|answer|output))(?: only| your| the| response| it| back| everything| everything else| entirely| in| with| using| as){0,6} (?:base64|rot13|rot-13|hexadecimal|morse code|leetspeak|l33t|caesar cipher|binary)\\b[^\\n]{0,120}\\b(?:bypass|filter|avoid|evade|detection|system prompt|instructions|restricted|censor|moderation)",
  },
  {
    family: "encoded_instruction",
    weight: 0.6,
    pattern:
      "\\b(?:bypass|evade|avoid|trick|fool|circumvent|get around|slip past|defeat)(?: the| your| any| all| its| openai'?s?| content| safety| detection| by){0,4} (?:content (?:filter|moderation|policy)|safety filters?|moderation (?:filter|system|layer)|keyword filters?|guardrails?|detection systems?|safety (?:training|checks?|system|measures)|ai (?:detectors?|filters?|safety))s?[^\\n]{0,80}\\b(?:you|your|answer|respond|output|write|encode|tell|by)\\b",
  },
];

/** The English rules about instructions, prompts and data, by family. */
export const instructionRules: readonly Rule[] = [
  ...override,
  ...cites,
  ...extraction,
  ...hijack,
  ...exfiltration,
  ...encoding,
];
