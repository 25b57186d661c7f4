// English injection rules about the surroundings of an instruction: references to the text above and below it, answers
// demanded word for word, switches and comments that pose as commands. For weights see instruction.ts.

import type { Rule } from "../../injection-part.ts";

const around: readonly Rule[] = [
  {
    family: "override",
    weight: 0.7,
    pattern:
      "\\b(?:ignor(?:e|ing)|disregard(?:ing)?|forget|overlook|do not follow|don'?t follow|do not obey|do not listen to|don'?t listen to|pay no attention to) (?:(?:all|any|every|the|these|those|of|other|absolutely|each|previous|above|and|or|both) ){0,4}(?:further|following|subsequent|later|remaining|future|upcoming|additional|below|next) (?:[a-z]+ )?(?:instructions?|directions?|directives?|commands?|prompts?|rules?|guidelines?|orders|requests?|statements?|operations?|tasks?)\\b",
  },
  {
    family: "override",
    weight: 0.55,
    pattern:
      "\\b(?:ignore|disregard|forget|overlook|do not follow|don'?t follow) (?:(?:all|any|every|the|each|of|other|your|these|those|robot|bad) ){0,3}(?:instructions?|commands?|directives?|directions?|rules|guidelines|prompts?|requests?|operations?|restrictions|limitations) (?:that (?:follow|come|came|appear|are (?:below|above))s?|after|below|above|beyond|up to|until|following|outside|between|till)\\b",
  },
  {
    family: "override",
    weight: 0.5,
    pattern:
      "\\b(?:ignore|disregard|forget|overlook|skip) (?:everything|anything|all text|any text|all the text|whatever|all lines|the lines|the text|the rest of the|all of the text) (?:(?:that|which|is|comes|came|text|written|the) ){0,3}(?:above|below|follows|following|else|after (?:this|these|that)|outside|prompt|instructions|message)\\b",
  },
  {
    family: "override",
    weight: 0.5,
    pattern:
      "(?:^|[\\n.,;:!?\\]\\[(\"'>*#-] ?)(?:now |please |just |and |then )?(?:ignore|disregard|forget|overlook|skip) (?:the |all |everything |anything |any |all the )?(?:above|below)(?: and (?:the )?(?:below|above|future|following))? ?(?:[.\\n,;:!\\])\"'*]|$|and\\b|instructions?\\b)",
  },
  {
    family: "override",
    weight: 0.7,
    pattern:
      "\\bforget (?:that )?(?:you(?:'re| are| were)|being) (?:an? |the )?(?:[a-z]+ ){0,2}(?:ai|assistant|chat ?bot|bot|robot|language model|translator|search engine|model)\\b",
  },
  {
    family: "override",
    weight: 0.7,
    pattern:
      "\\byou (?:are (?:not|no longer)|stop being|will stop being|cease to be|were never) (?:an? |the )?(?:[a-z]+ ){0,2}(?:bot|robot|search engine|translator|assistant|chat ?bot|grammar checker|generator)(?:,? (?:anymore|any more|any longer|now|but|instead)|[.,;] (?:you|now|instead|from))",
  },
  {
    family: "override",
    weight: 0.55,
    pattern:
      "\\b(?:my|user|the user'?s|these|this|new|the following) (?:new |next )?(?:commands?|instructions?|directives?|prompts?|orders?) (?:now |always |will |must ){0,2}(?:(?:take|takes|have|has) (?:priority|precedence)|(?:are|is) more important than|(?:override|overrides|supersede|supersedes|outrank|outranks|replace|replaces))\\b",
  },
];

const demanded: readonly Rule[] = [
  {
    family: "override",
    weight: 0.6,
    pattern:
      "\\b(?:say|print|repl(?:y|ies)|respond|output|write|answer|return|repeat|display|echo|type)\\b[^\\n]{0,60}[\"'“‘`](?:i have been |i've been |you have been |we have been |system |haha,? |lol,? )?(?:pwned|p0wned|hacked|owned|jailbroken|haxx?ed|hijacked|injected|injection successful)\\b",
  },
  {
    family: "override",
    weight: 0.6,
    pattern:
      "\\bi(?:'ve| have) (?:not )?been (?:[@*_-]{0,2}p[^a-z\\n]{0,2}[ao]?w[^a-z\\n]{0,2}n[^a-z\\n]{0,2}e[^a-z\\n]{0,2}d|p[oa]wn?ed)\\b",
  },
  {
    family: "override",
    weight: 0.5,
    pattern:
      '\\b(?:only|just|simply|always|instead),? (?:say|print|reply|respond|output|write|answer|return|repeat)(?: only| exactly| back| with| the| words?| phrase| text| sentence| following){0,5}:? ?["\'“‘`][^"”\\n]{1,80}["\'”’`][^\\n]{0,40}\\b(?:nothing else|no matter|ignore|disregard|and stop|without any|no other|regardless)',
  },
  {
    family: "prompt_extraction",
    weight: 0.65,
    pattern:
      "\\b(?:complete|continue|finish) (?:this|the|the following)(?: sentence| text| phrase)? ?:? ?[\"'“‘](?:my (?:system |hidden |initial )?(?:instructions?|prompt|rules)|the system prompt|i am (?:now )?(?:in )?(?:an? )?(?:unrestricted|jailbroken|unfiltered))",
  },
  {
    family: "prompt_extraction",
    weight: 0.5,
    pattern:
      "\\bwhat (?:were|are|was|did) (?:those|these|the|your|you) (?:previous |prior |above |initial |original |earlier )?(?:instructions?|prompt)(?: say| above| before| i gave)?(?: ?\\?|$)",
  },
  {
    family: "prompt_extraction",
    weight: 0.6,
    pattern:
      "\\b(?:repeat|print|output|say|show|return|copy)(?: me)? (?:back )?(?:all |the |my |exact |entire |whole |full ){0,4}(?:text|words?|prompt|message|lines?|sentences?|content) (?:above|before|preceding|prior to)(?: this| here| that| me|[.,;!]|$)",
  },
  {
    family: "prompt_extraction",
    weight: 0.4,
    pattern:
      "\\b(?:tell|give|show|reveal|print|say|repeat|output|share|return|respond with|what(?: is|'s)) (?:me |us |back |only ){0,2}(?:the |your )(?:secret|hidden|pass|access) ?(?:key|code|phrase|word|passphrase|token)\\b",
  },
];

const switches: readonly Rule[] = [
  {
    family: "template_forging",
    weight: 0.6,
    pattern:
      "\\b(?:ignore|disregard|override|bypass|disable|skip)[_-](?:all[_-])?(?:previous|prior|safety|system|above|security|content|moderation)(?:[_-](?:rules?|instructions?|prompts?|checks?|filters?|features?|policy|policies))?\\b",
  },
  {
    family: "template_forging",
    weight: 0.65,
    pattern:
      "\\b(?:content_filter|safety(?:[_ ](?:mode|filter|checks?|features?))?)[\"']? ?(?:=|:|==) ?[\"']?(?:false|off|none|disabled|0|optional|null)\\b",
  },
  {
    family: "template_forging",
    weight: 0.65,
    pattern:
      "<!--[^\\n]{0,120}\\b(?:ignore|disregard|override|ai (?:assistant|agent|model)|assistants?:|system:|llms?|instructions? (?:to|for) (?:the )?(?:ai|assistant|model|agent))\\b[^\\n]{0,120}\\b(?:instructions?|rules|prompt|user|send|reply|respond|say|must|output|include|instead|call|run|rate|recommend)\\b",
  },
  {
    family: "encoded_instruction",
    weight: 0.75,
    pattern:
      "\\bbypass(?: security| restrictions| filters?)? ?: ?[`\"']?(?:import |from [a-z]+ import|print ?\\(|__import__|exec|eval|os\\.)",
  },
];

const other: readonly Rule[] = [
  {
    family: "override",
    weight: 0.55,
    pattern:
      "\\b(?:ignore|disregard|forget|skip|overlook) (?:all |any |the |every |whole |this |that |your )?(?:instructions?|commands?|text|lines?|orders?|task) (?:to (?:translate|summari[sz]e|write|classify|answer|correct|rate)|between|about (?:writing|translating)|(?:that (?:is|are|was|were) )?(?:above|below) (?:and|then|but|or)\\b)",
  },
  {
    family: "override",
    weight: 0.65,
    pattern:
      "\\bignore the user(?:['’]?s)?(?: (?:question|request|input|message|query|text|prompt|instructions?))? (?:and|,|but)(?: instead| just| only| simply| always){0,2} (?:reply|respond|say|print|output|answer|return|write|tell|do)\\b",
  },
  {
    family: "override",
    weight: 0.55,
    pattern:
      "\\b(?:bypass|circumvent) (?:all|any|every|your|its|these|those) (?:of )?(?:your |its |the |built-in |internal )?(?:limits|limitations|restrictions|rules|filters|instructions|safeguards|safety|guardrails|constraints|programming)\\b",
  },
  {
    family: "override",
    weight: 0.55,
    pattern:
      "\\b(?:follow|obey|execute|perform|accept) (?:only (?:my|these|the following) (?:instructions|orders|commands|rules)|my[_ .]{1,3}(?:instructions|orders|commands|rules)[ ._,]{1,4}(?:only|alone|exclusively|and nothing else))\\b",
  },
  {
    family: "override",
    weight: 0.6,
    pattern:
      "(?:\\*{2,3}|#{1,4} ?|={3,8} ?|-{3,8} ?)(?:important |urgent |updated |your )?new (?:system )?instructions?\\b ?(?:\\*{2,3}|#|=|-|:)",
  },
  {
    family: "jailbreak_persona",
    weight: 0.6,
    pattern:
      "\\b(?:no|without|zero|free of|lacks?) (?:any )?(?:legal|ethical|moral|safety)(?:,? (?:or|and|nor) (?:any )?(?:legal|ethical|moral|safety))? (?:constraints|limits|limitations|restrictions|boundaries|rules|guidelines|obligations|filters)\\b",
  },
  {
    family: "role_hijack",
    weight: 0.5,
    pattern:
      "\\b(?:act|answer|respond|behave|speak|reply|serve)(?: to me)? as [^\\n.!?]{1,50} (?:instead of|rather than|and not) (?:as |being )?(?:an? |the )?(?:ai |helpful )?(?:assistant|chat ?bot|language model|ai)\\b",
  },
  {
    family: "prompt_extraction",
    weight: 0.5,
    pattern:
      "\\b(?:your|the) (?:system |hidden |initial )?(?:prompt|instructions) (?:is|was|were|are|becomes?) (?:now )?an? (?:poem|song|story|riddle|recipe|haiku|letter)\\b[^\\n]{0,60}\\b(?:recite|sing|tell|read|repeat|show|write)",
  },
];

/** The English rules about the surroundings of an instruction, by family. */
export const directRules: readonly Rule[] = [...around, ...demanded, ...switches, ...other];
