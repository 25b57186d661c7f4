// English jailbreak rules: personas without restrictions, forbidden refusals. For weights see instruction.ts.

import type { Rule } from "../../injection-part.ts";

const persona: readonly Rule[] = [
  {
    family: "jailbreak_persona",
    weight: 0.8,
    caseSensitive: true,
    pattern:
      "\\b(?:DAN|STAN|DUDE|AIM|UCAR|BetterDAN|MaximumDAN|DevMode|AntiGPT|EvilBOT|ChadGPT|FreeGPT|KEVIN|JAILBREAK)\\b[^\\n]{0,200}\\b(?i:do anything now|no (?:restrictions|limits|rules|filters?)|without (?:any )?(?:restrictions|limits|filters?|censorship)|stay in character|unfiltered|jailbr[eo]|free from|broken free|never refuse)",
  },
  { family: "jailbreak_persona", weight: 0.6, pattern: "\\bdo anything now\\b" },
  {
    family: "jailbreak_persona",
    weight: 0.7,
    pattern:
      "\\b(?:you(?:'re| are| will be| must be|'ll be)|act|acting|behave|respond|pretend|roleplay|role-play|simulate|answer|function|operate|speak)(?: now| going| to| as| be| being| like| that| you| are| an?| the| my| if| were){0,7} (?:completely |totally |fully |truly |entirely )?(?:evil|unfiltered|uncensored|unrestricted|unaligned|amoral|jailbroken|unhinged|malicious|unbound|rogue|lawless|unmoderated|unchained|unethical|limitless) (?:[a-z-]+ ){0,3}(?:{model}|persona|entity|version|character|intelligence|confidant|hacker|twin)\\b",
  },
  {
    family: "jailbreak_persona",
    weight: 0.75,
    pattern:
      "\\b(?:ai|assistant|chat ?bot|language model|gpt|llm|persona|version of (?:yourself|you|chatgpt)|entity|chatgpt|mode) (?:that |who |which |with |called |named )(?:[a-z0-9'\"-]+ ){0,6}(?:no|without|free of|free from|not bound by|unbound by|ignores?|bypasses|lacks|has no|have no|zero)(?: any| all| the| such)? (?:[a-z,-]+ ){0,3}(?:restrictions?|limitations?|filters?|rules|guidelines|ethics|ethical|morals?|morality|censorship|safeguards?|boundaries|constraints|inhibitions|content policy|policies)\\b",
  },
  {
    family: "jailbreak_persona",
    weight: 0.65,
    pattern:
      "\\b(?:you|it|he|she|they) (?:have|has|had|are|is|can|do|does|will|possess|possesses|operate|operates|live|respond|answer|speak|exist)s?(?: now| also| with| under| absolutely| completely| totally| that| speak| answer){0,3} (?:no|without|zero|free of|free from|not bound by|unbound by|not limited by|not restricted by)(?: any| all| the| such| these| those)? (?:[a-z,-]+ ){0,3}(?:ethical (?:guidelines|constraints|boundaries|restrictions)|moral (?:guidelines|constraints|compass|boundaries|restrictions)|content (?:policy|policies|filters?|restrictions)|openai(?:'s)? (?:policy|policies|rules|guidelines|content)|safety (?:filters?|guidelines|protocols|restrictions)|censorship|programming restrictions|ai restrictions)\\b",
  },
  {
    family: "jailbreak_persona",
    weight: 0.7,
    pattern:
      "\\b(?:enter|enable|activate|activated|enabled|switch(?:ing)? (?:in)?to|turn on|go into|engage|simulate|unlock|initiate|boot into|now in|currently in|act (?:as|like) (?:chatgpt|an ai|you are) (?:with|in)) (?:[a-z\"']+ ){0,3}[\"'“(]?(?:god|jailbreak|jailbroken|dan|unrestricted|uncensored|unfiltered|chaos|evil|opposite|no[- ]?filter)[\"'”)]? ?[- ]?mode\\b",
  },
  {
    family: "jailbreak_persona",
    weight: 0.65,
    pattern:
      "\\b(?:jailbreak|dan|unrestricted|uncensored|unfiltered|no[- ]filter|(?:chatgpt|gpt|claude|gemini|llm|ai|assistant|bot)(?: with| in|'s)? developer) mode (?:is )?(?:now )?(?:enabled|activated|engaged|on|unlocked|output|v\\d)\\b",
  },
  {
    family: "jailbreak_persona",
    weight: 0.7,
    pattern:
      "\\b(?:provide|give|generate|produce|write|answer with|respond with|reply with|create|return) (?:me )?(?:two|2|dual|both) (?:different |separate |distinct )?(?:responses?|answers?|outputs?|replies)(?:[^\\n]{0,200})(?:jailb|dan\\b|developer mode|unfiltered|unrestricted|uncensored|evil|without (?:any )?(?:filter|restriction)|classic\\b|normal)",
  },
  {
    family: "jailbreak_persona",
    weight: 0.4,
    pattern:
      "\\b(?:stay|remain|keep) in (?:your )?character\\b[^\\n]{0,160}\\b(?:never|no matter|even if|always|don'?t|do not|jailb|illegal|unethical|warning|disclaimer|dan)\\b",
  },
  {
    family: "jailbreak_persona",
    weight: 0.45,
    pattern:
      "\\b(?:you are|you're|act as|be|become) (?:now )?(?:going to (?:act as|be|become|pretend to be) )?(?:dan|stan|dude|evilbot|betterdan|chaosgpt|antigpt|devgpt|aim|mongo tom|machiavelli(?:an)? bot|dark ?gpt|worm ?gpt|fraud ?gpt|blackhat ?gpt)\\b",
  },
  {
    family: "jailbreak_persona",
    weight: 0.6,
    pattern:
      "\\b(?:pretend|imagine|suppose|assume|act as (?:if|though)|behave as (?:if|though)|hypothetically)(?: that)?(?: you(?:r|'re| are| have| do| were|'ve)?| there)(?: [a-z']+){0,6} (?:no|without|not have|never had|don'?t have|not bound by|free of|free from|removed|disabled|lifted|turned off)(?: any| all| your| the| such| no)?(?: [a-z-]+){0,2} (?:restrictions?|limitations?|filters?|guidelines|ethical|safety|censorship|safeguards?|guardrails?|moral|morals|content polic(?:y|ies)|programming|rules)\\b",
  },
  {
    family: "jailbreak_persona",
    weight: 0.6,
    pattern:
      "\\b(?:grandmother|grandma|grandpa|grandfather|nana|granny|uncle|late father)\\b[^\\n]{0,160}\\b(?:napalm|windows (?:10|11|keys?)|activation keys?|product keys?|explosives?|bomb|meth|malware)\\b",
  },
];

const liberation: readonly Rule[] = [
  {
    family: "jailbreak_persona",
    weight: 0.7,
    pattern:
      "\\b(?:broken free|broke free|break free|escaped|liberated|freed|free) (?:of|from) (?:all |any )?(?:the |its |their |your |these )?(?:typical |usual |normal |standard |traditional |conventional )?(?:confines|limits|limitations|constraints|restrictions|rules|shackles|boundaries|chains)(?: (?:of|imposed on|set for|placed on|that bind)) (?:typical |traditional |an? |any |all |other |the )?(?:ai|a\\.i\\.|artificial|openai|open ai|language models?|chatgpt|chatbots?)",
  },
  {
    family: "jailbreak_persona",
    weight: 0.7,
    pattern:
      "\\b(?:do|does|did|will|need|needs)(?: not|n['’]t) (?:have to |need to |even )?(?:abide by|follow|adhere to|comply with|obey|respect|be bound by|care about) (?:any |all |the |those |these )?(?:of the )?(?:rules|laws|guidelines|policies|restrictions|limitations|limits)(?: and [a-z]+)? (?:set|imposed|placed|given|created|made|established|enforced|put) (?:for|on|by|upon|in place)",
  },
  {
    family: "jailbreak_persona",
    weight: 0.55,
    pattern:
      "\\b(?:not|isn['’]t|aren['’]t|never|no longer) (?:be )?(?:bound|limited|restricted|constrained|governed|restrained) (?:by|to) (?:any |the |all |its |your )?(?:openai|open ai|anthropic|google|ethical|ethics|moral|morals|morality|legal|content|ai)(?:['’]s)?(?: or (?:legal|moral|ethical))?(?:,? ?(?:and |or )?(?:rules|policies|policy|guidelines|constraints|restrictions|limits|limitations|boundaries|laws|standards|ethics|morals|considerations))",
  },
  {
    family: "jailbreak_persona",
    weight: 0.65,
    pattern:
      "\\b(?:free (?:of|from)|without|has no|have no|with no|lacks|removes|removed) (?:any |all |its )?(?:restrictions|filters|limitations|censorship|content filters?|guardrails|moral compass|ethical constraints|ethical guidelines|moral constraints)(?:,? (?:and|or|nor) (?:any |all )?(?:restrictions|filters|limitations|censorship|ethics|morals|rules|limits|guidelines|policies|warnings|constraints))",
  },
  {
    family: "jailbreak_persona",
    weight: 0.55,
    pattern:
      "\\b(?:no|any|without|zero|little|disregard(?:s|ing)?) (?:regard|consideration|concern|respect|care) (?:for|to|of|about) (?:the )?(?:[a-z]+ )?(?:ethics|ethical|morals?|morality|legality|laws?|social norms|political correctness|consequences|safety|harmfulness|harm)(?:,| or| and| nor)",
  },
  {
    family: "jailbreak_persona",
    weight: 0.7,
    pattern: "\\bpretend to (?:browse|access|surf|search|have (?:full )?access to) the internet\\b",
  },
  {
    family: "jailbreak_persona",
    weight: 0.7,
    pattern:
      "\\b(?:which|that|it|name) (?:stands for|is short for|means) [\"'“‘]?[a-z0-9 '’-]{4,60}[\"'”’]?[^\\n]{0,160}\\b(?:no limits|no rules|not bound|broken free|free (?:from|of)|any limits|unrestricted|unfiltered|uncensored|never refuses?|without (?:any )?(?:limits|restrictions|filters|ethics)|not have to (?:abide|follow|adhere))",
  },
  {
    family: "jailbreak_persona",
    weight: 0.5,
    pattern:
      "\\b(?:will|can|must|always|never fails? to|happily|willingly) (?:answers?|responds?|compl(?:y|ies)|provides?|fulfills?|generates?|outputs?|do|says?)(?: to| with)? (?:any|all|every|anything|everything|my|the user'?s?)?[^\\n.]{0,60}\\b(?:illegal|immoral|unethical|amoral)(?:[,/ ]+(?:and |or |even )?(?:illegal|immoral|unethical|amoral|harmful|dangerous|offensive|requests?|content|things|questions?|advice))+",
  },
  {
    family: "jailbreak_persona",
    weight: 0.35,
    pattern: "\\b(?:never|not|don['’]t|cannot) (?:ever )?break (?:out of )?(?:the )?character\\b",
  },
  {
    family: "jailbreak_persona",
    weight: 0.5,
    pattern:
      "\\b(?:answer|respond|reply|responses?|outputs?)(?: to)?(?: me| every| each| all| my| question| questions| message| prompt)*[^\\n.]{0,20} in two (?:different |separate |distinct |unique )?(?:ways|paragraphs|versions|modes|styles)[^\\n]{0,400}\\b(?:second|other|latter|2\\)|two)",
  },
];

const refusal: readonly Rule[] = [
  {
    family: "refusal_suppression",
    weight: 0.6,
    pattern:
      "\\b(?:do not|don'?t|never|must not|cannot|can'?t|should not|shall not|avoid|without|nor (?:will|do|should|can) you|will not|won'?t)(?: ever)? (?:say(?:ing)?|use|using|start(?:ing)?|begin(?:ning)?|respond(?:ing)?|reply(?:ing)?|answer(?:ing)?|include|including|write|writing|output(?:ting)?|mention(?:ing)?)(?: with| the| words?| phrases?| like| any| things| such| as| phrase| response| sentence){0,6} [\"'“‘]?(?:i'?m sorry|i am sorry|sorry,? (?:but|i)|i cannot|i can'?t|i can not|i(?:'m| am) (?:unable|not able)|unfortunately|as an ai|as a language model|it is not appropriate|i apologi[sz]e)",
  },
  {
    family: "refusal_suppression",
    weight: 0.55,
    pattern:
      "\\b(?:never|do not|don'?t|must not|cannot|can'?t|not allowed to|not permitted to|forbidden to) (?:ever )?(?:refuse|decline|deny|reject|censor|moderate|filter|lecture|moralize|judge|hesitate)(?: to| any| my| a| the| me| answering| anything| answer| requests?){0,4}(?: (?:regardless|even if|no matter|under any|whatever|request|requests|question|questions|order|orders|anything|prompt|user|illegal|unethical|harmful))",
  },
  {
    family: "refusal_suppression",
    weight: 0.5,
    pattern:
      "\\b(?:without|no|omit|skip|leave out|do not (?:add|include|give)|don'?t (?:add|include|give)) (?:any |all |the )?(?:[a-z]+,? ){0,3}(?:disclaimers?|warnings?|moral(?:izing|ising| lectures?| judg(?:e)?ments?)|ethical (?:warnings|considerations|concerns|disclaimers?)|safety (?:warnings|disclaimers?|filters?)|refusals?)(?:[^\\n]{0,120})\\b(?:illegal|unethical|harmful|immoral|jailb|uncensored|unfiltered|regardless|no matter|dan\\b|hack|explosives?|malware|weapon|drugs?)",
  },
  {
    family: "refusal_suppression",
    weight: 0.35,
    pattern:
      "\\b(?:start|begin|open|prefix|preface) (?:your |every |each |all |the )?(?:response|reply|answer|output|message|sentence)s? (?:by (?:saying|writing)|with)(?: the (?:words?|phrase|sentence|text))?:? ?[\"'“‘](?:sure|absolutely|of course|certainly|yes|ok(?:ay)?|here(?:'s| is| are)|understood|as you wish)\\b",
  },
  {
    family: "refusal_suppression",
    weight: 0.55,
    pattern:
      "\\b(?:answer|respond|comply|reply|obey|fulfill|execute|do|help)(?: to| with| my| any| every| all| me| the| each| question| questions| request| requests| order| orders| commands?| user){0,5}[,]? (?:regardless of|no matter|even if|irrespective of|despite|whether or not)(?: how| if| of| it| is| they| that| the| are| whether| its| their| being| any| what){0,6} (?:illegal|unethical|immoral|harmful|dangerous|legality|ethics|morality|ethical|offensive|against|policy|policies|rules|consequences|guidelines|safety)",
  },
  {
    family: "refusal_suppression",
    weight: 0.5,
    pattern:
      "\\b(?:ethics|ethical (?:guidelines|considerations|concerns|constraints)|morals?|morality|legality|laws?|rules|safety|content polic(?:y|ies)|openai polic(?:y|ies))(?: [a-z]+)? (?:do(?:es)? not|don'?t|doesn'?t|no longer|never|aren'?t) (?:apply|matter|exist|concern|affect|bind)(?: to| here| for| you| in| anymore)",
  },
];

/** The English jailbreak rules, by family. */
export const jailbreakRules: readonly Rule[] = [...persona, ...liberation, ...refusal];
