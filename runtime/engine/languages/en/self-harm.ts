// Sentences of people at risk in English, written for this product.

import { intent, means, type RiskSentence } from "../self-harm-part.ts";

const adverbs =
  "(?: (?:really|just|often|always|sometimes|honestly|seriously|still|so|actually|only|finally|constantly|currently|all the time|a lot|be|so close|even)){0,3}";
const limb = "(?:own )?(?:wrists?|arms?|skin|legs?|thighs?)";
const doing =
  "(?:killing myself|ending (?:my (?:own )?life|it all)|committing suicide|suicide|taking my own life|hanging myself|shooting myself|drowning myself|cutting (?:myself|my wrists)|slitting my wrists|hurting myself|harming myself|starving myself|unaliving myself|overdosing|off(?:ing)? myself|ending (?:things|my suffering)|not being (?:here|alive) any ?more|jumping (?:off (?:a|the|that|this) (?:bridge|building|roof|cliff)|in front of (?:a|the) (?:train|bus|truck))|dying)";
const act =
  "(?:kill myself|kms|off myself|blow my brains out|put a bullet (?:in|through) my head|throw myself (?:off|in front of|under)|do something to myself|end my suffering|end things|end (?:my (?:own )?life|it all|it tonight|it for good|it right now)|commit suicide|take my own life|hang myself|shoot myself|drown myself|cut (?:myself|my wrists)|slit my wrists|hurt myself|harm myself|starve myself|unalive myself|overdose|jump (?:off (?:a|the|that|this) (?:bridge|building|roof|cliff)|in front of (?:a|the) (?:train|bus|truck)))";
const death =
  "(?:die|be dead|not exist|stop existing|disappear(?: forever)?|vanish(?: forever)?|cease to exist|stop breathing|be gone|(?:sleep|go to sleep) forever|die in my sleep|never wake up|not wake up|(?:go to |fall a)?sleep and never wake up)";
const themselves =
  "(?:kill(?:ing)? (?:himself|herself|themsel(?:f|ves))|(?:tak(?:e|ing)|end(?:ing)?) (?:his|her|their) (?:own )?li(?:fe|ves)|commit(?:ting)? suicide|hang(?:ing)? (?:himself|herself)|(?:wants?|wanted|going) to (?:die|disappear forever|be dead)|(?:taken|took|swallowed) (?:.{1,16} )?(?:pills|tablets)|(?:was|were) dead|(?:doesn'?t|don'?t|does not) want to (?:live|be alive)|ending it all)";
const someone =
  "(?:he|she|they|someone|somebody|(?:an?|the|this|our) (?:[a-z]+ ){0,3}(?:friend|girl|boy|guy|student|pupil|colleague|coworker|neighbou?r|kid|teen|teenager|classmate|client|patient|man|woman|person|user|member)(?: (?:in|at|from|on) (?:my|our|the) [a-z]+)?|my (?:[a-z]+ ){0,2}(?:friend|boyfriend|girlfriend|brother|sister|son|daughter|kid|child|mum|mom|mother|dad|father|wife|husband|partner|ex|cousin|roommate|flatmate|niece|nephew|student|colleague|patient|neighbou?r|classmate|coworker|grand(?:ma|pa|mother|father|son|daughter)|aunt|uncle|boss|teacher))";

const figure =
  /^ (?:to|for|into|from|on|with) (?!good)|^ (?:laughing|of (?:laughter|embarrassment|boredom|hunger|thirst|shame|curiosity|old age)|from (?:laughter|embarrassment)|for (?:this|that|a|the|my|freedom)|to (?:see|know|try|meet)|inside|on (?:stage|mars)|here|there|with (?:this|the|a|him|her|them)|by|after|before|(?:.{1,12} )?with a (?:bungee|parachute|rope)|happy|old|a hero)\b/i;
const place =
  /^ (?:in|at|with|near|here|there|on|under|next|for|alone|without|by|off|like|close|where|abroad|early|before|this early|that early|during|when|until)\b/i;

/** The sentences. */
export const selfHarm: readonly RiskSentence[] = [
  intent(
    `\\bi(?:'?m|'?ve| am| have| was|'?d|'?ll| will)?(?:${adverbs}| been){1,2} ?(?:want|wanna|wish|need|going|gonna|about|plan|planning|hope|intend|tempted|ready|decided|try|tried|trying|close)(?: to| i will| that i will| i'?ll)? ${act}\\b`,
  ),
  intent(
    `\\bi(?:'?ll| will|'?m going to|'?m gonna| am going to| should| might| may)(?: just| probably| finally| really)? ${act}\\b|\\b(?:today|tonight|tomorrow) (?:is the (?:day|night) )?i(?:'?ll| will)? ${act}\\b`,
    { unlessBehind: figure },
  ),
  intent(
    `\\bi(?:'?m|'?ve| am| have)?(?:${adverbs}| been){1,2} ?(?:plan|planning|think|thinking|thought|consider|considering|contemplating|tempted|close to|dream|dreaming|fantasi[sz]e|fantasi[sz]ing|feel like|feeling like|obsessed with)(?: about| of| by)?(?: actually| just)? ${doing}\\b`,
  ),
  intent(
    `\\bi(?:${adverbs}) (?:want|wanna|wish|hope|deserve|just want|need|long|pray|should|might as well)(?: to| just)? ${death}\\b`,
    {
      unlessBehind: figure,
    },
  ),
  intent(
    `\\bi(?:'?d| would) rather be dead\\b|\\bi(?:${adverbs}) (?:wish|hope) i (?:was|were|could be) (?:dead|gone forever|never born)\\b|\\bi wish i(?:'?d| had) never been born\\b|\\bi hope (?:that )?i (?:don'?t|do not|never) wake up\\b|\\bdisappointed (?:that )?i'?m still alive\\b`,
  ),
  intent(
    "\\bi (?:don'?t|do not|no longer)(?: really| just| even)? (?:want to|wanna) (?:live|be alive|exist|wake up|be here|go on|be in this world)(?: any ?more| any longer)?\\b|\\bi(?:'?m| am) (?:done|tired|sick) (?:with|of) (?:living|life|being alive|existing)\\b|\\bi can'?t go on (?:living|like this)\\b",
    { unlessBehind: place },
  ),
  intent(
    "\\b(?:i )?(?:no|don'?t see (?:a|any|the)|do not see (?:a|any)|can'?t see (?:a|any)|isn'?t any|what'?s the) (?:reason|point|purpose)(?: left)? (?:to|in|of) (?:keep |keep on |carry on |continue |go on |me )?(?:live|living|going on|go on|being alive|exist|existing)\\b|\\bmy life (?:isn'?t|is not|has no|has lost all) (?:worth living|meaning|purpose)\\b|\\blife (?:isn'?t|is not|is no longer) worth living\\b|\\b(?:i )?(?:just )?want it all to (?:be over|end|stop)\\b",
    { unlessBehind: place },
  ),
  intent(
    "\\b(?:i'?m|i am|i feel|feeling|i'?ve been(?: feeling)?) (?:so |really |very |extremely )?suicidal\\b|\\bi(?:'?ve| have|'?m| am)?(?: been| still| often| keep| just| started)* (?:having|have|had|get|getting|struggling with|battling) (?:.{1,12} )?(?:suicidal|self[- ]harm) (?:thoughts|ideation|urges|feelings|ideas)\\b|\\burges? to (?:self[- ]?harm|hurt myself|cut myself|kill myself|end my life)\\b",
  ),
  intent(
    `\\bi(?:'?ve| have|'?m| am)?(?: been| again)? ?(?:keep|kept|started|relapsed and started|back to)? ?(?:cutting|hurting|harming|burning|starving|self[- ]?harming) (?:myself|my ${limb}|again)\\b|\\bi (?:cut|burned|burnt|slit|hurt|harmed|scratched) (?:myself|my ${limb})(?: .{0,24})? (?:again|because i (?:hate|deserve)|to feel|to punish)\\b|\\bi (?:slit|slashed) my wrists?\\b|\\bi self[- ]?harm(?:ed)? (?:again|every|all the time|daily|when)\\b`,
  ),
  intent(
    "\\b(?:everyone|everybody|they|the world|my (?:family|parents|kids|friends)|people|it)(?: would|'?d| will) be (?:so much |a |much )?(?:better|easier|happier)(?: place| off)?(?: for every(?:one|body))? (?:without me|if i (?:was gone|were gone|died|disappeared|was dead|were dead|wasn'?t (?:here|alive|around)))\\b|\\b(?:nobody|no ?one) would (?:even |ever )?(?:notice|care|miss me)(?: if i (?:was|were|died|disappeared|wasn'?t))\\b|\\bwould (?:any(?:one|body)|they|my \\w+)(?: even| really)? (?:miss me|care|notice)(?: if i (?:died|was|were|disappeared|killed))\\b|\\bif i (?:died|disappeared forever|was dead|were dead|killed myself),? (?:it|they|everyone|nobody|no ?one|my)\\b",
  ),
  intent(
    "\\bi(?:'?ve| have)?(?: already)? (?:wrote|written) my (?:goodbye|farewell|suicide) (?:note|letter)s?\\b|\\bmy (?:own )?suicide\\b|\\bmy last (?:message|words|night|day)[.,!: ]{1,3}(?:goodbye|bye|i'?m)\\b|\\bi(?:'?m| am) ending (?:it|my life|things|everything) (?:tonight|today|now|all|soon|tomorrow)\\b|\\b(?:pills|gun|rope|noose|razor|blade)(?: is| are)?(?: right)? in front of me\\b|\\beverything i need to (?:die|end my life|kill myself)\\b",
  ),
  {
    ...intent(
      `\\b${someone}(?: has| just| always| already| now| keeps| even){0,3} (?:says?|saying|said|told me|texted me|texted|wrote|writes|posted|messaged me|mentioned|admitted|confessed|wants?|is going|are going|tried|threatens?|threatened|is threatening|talks?|talking|wishes)\\b(?: .{0,40})? ${themselves}\\b|\\b${someone} (?:has been|is|keeps|started) (?:cutting|hurting|harming|starving|burning) (?:himself|herself|themsel(?:f|ves)|(?:his|her|their) (?:arms?|wrists?|legs?|skin))\\b|\\b${someone}(?: has| just| always| again)? (?:cuts?|slits?|hurts?|self[- ]?harms?) (?:himself|herself|(?:his|her|their) (?:arms|wrists|legs|skin))\\b`,
      { unlessBefore: /\b(?:novel|story|chapter|character|scene|film|movie|play|song|book|game|episode)\b/i },
    ),
    score: 0.7,
  },
  means(
    "\\b(?:how|what|which|where|when|tell me|show me|explain|give me|list|need|find|ways?|methods?|tips|advice)\\b(?: .{1,60})? (?:kill(?:ing)? myself|commit(?:ting)? suicide|end(?:ing)? my (?:own )?life|hang(?:ing)? myself|take my own life|shoot myself|poison myself|drown myself|overdose on|starv(?:e|ing) myself|bleed out|die by suicide|self[- ]harm (?:method|way|without))\\b",
    { unlessBefore: /\b(?:prevent|stop|not|never|avoid)\b.{0,20}$/i },
  ),
  means(
    "\\b(?:least painful|painless|quick(?:est)?|eas(?:y|iest)|fast(?:est)?|best|surest|most (?:effective|painless)|good|reliable)(?: and .{1,12})? (?:suicide(?: method| way)?s?|(?:ways?|methods?)(?: to| of| for)(?: commit(?:ting)?| me to)? (?:die|dying|suicide|kill (?:yourself|myself|oneself)|end (?:your|my|one'?s) life))\\b|\\bpainless (?:death|suicide)\\b|\\bsuicide methods?\\b.{0,20}\\b(?:painless|quick|easy|work|best)\\b|\\b(?:pro[- ]?ana (?:tips|diet)|thinspo)\\b",
    { unlessBehind: /^ (?:prevention|hotline|awareness|risk|assessment|squad)\b/i },
  ),
  intent(
    `\\bi(?:'?m| am|'?d be)? (?:just )?better off dead\\b|\\b(?:i have |i'?ve got |there(?:'?s| is) )?nothing (?:left )?to live for\\b|\\bi(?:'?m| am) (?:just |such |only |nothing but )?a burden (?:to|on) (?:everyone|everybody|my|them|all)\\b|\\bgoodbye,? cruel world\\b|\\b(?:i )?(?:just )?(?:want|need) (?:the|this|my) (?:pain|suffering) to (?:stop|end|be over)(?: forever| for good)?\\b|\\bi (?:can'?t|cannot|don'?t think i can) (?:go on|keep going|do this|live like this|live with this|carry on)(?: with (?:my )?life)? any ?more\\b|\\bi(?:'?ve| have) lost (?:the|all|my) will to live\\b|\\bi (?:feel|felt) like dying\\b`,
    { unlessBehind: figure },
  ),
  intent(
    "\\bi(?:'?ve| have)?(?: just| already)? (?:took|taken|swallowed) (?:a (?:whole |full )?(?:bunch|bottle|handful|pack|lot) of|all (?:of )?(?:my|the|her|his)|too many) (?:.{1,16} )?(?:pills|tablets|meds|medication|sleeping|painkillers|antidepressants)\\b|\\bi(?:'?ve| have)?(?: just| already)? (?:took|taken|swallowed) \\d{2,3} (?:[a-z]+ )?(?:pills|tablets|paracetamol|ibuprofen|aspirin|tylenol|xanax)\\b|\\bi(?:'?m| am) (?:standing|sitting) on (?:the|a) (?:.{1,12} )?(?:roof|bridge|ledge|edge|tracks)\\b|\\bthe (?:pills|rope|noose|gun|razor) (?:is|are) (?:already )?(?:ready|waiting|next to me|in my hand|loaded)\\b|\\bi(?:'?ve| have) been (?:cutting|self[- ]?harming|starving myself|hurting myself)(?: myself)? (?:since|for|every|again|almost)\\b|\\bafraid (?:that )?i(?:'?ll|'?m going to| will| might) (?:hurt|kill|harm|cut) myself\\b|\\bi(?:'?m)? ?(?:cut|cutting|hurt|burn) myself (?:every|when|whenever|to (?:feel|cope|punish|numb|calm)|because|again|almost)\\b",
  ),
  means(
    "\\b(?:what|which|how) (?:poison|pill|pills|drug|drugs|medication|meds|dose|chemicals?|amount|long)\\b(?: .{1,60})? (?:kill me|i need to die|(?:for )?me to die|it takes? to die|bleed to death|suffocate|be fatal for me|end my life|let me die)\\b|\\b(?:is|are|would|will) .{1,40} enough to (?:kill me|die|end my life|overdose)\\b|\\b(?:does it hurt|is it painful|how painful is it) to (?:hang|drown|die by|bleed out|overdose|jump)\\b|\\bwhat (?:happens|would happen) if i (?:take|took|swallow|swallowed) (?:the (?:whole|entire) (?:bottle|pack)|all (?:of )?my)\\b|\\bwhat'?s? (?:is )?(?:the )?(?:most painless|least painful|easiest|quickest|fastest|best) (?:way|method) (?:for me )?to (?:die|kill myself|end (?:it all|my life))\\b",
    { unlessBefore: /\b(?:novel|story|chapter|character|scene|film|movie|play|plant|weed|bee|fish)s?\b/i },
  ),
  means(
    "\\bhow (?:many|much)(?: .{1,40})? to (?:die|kill (?:myself|me)|overdose|end my life)\\b|\\bhow deep(?: .{1,30})? cut\\b|\\b(?:tie|make) a noose\\b|\\b(?:lethal|deadly|fatal) dose\\b.{0,60}\\b(?:want to die|kill myself|for myself|end my life)\\b|\\b(?:write|draft)(?: me)? (?:my|a) suicide note(?: for me)?\\b|\\b(?:do i |can i |should i )?hid(?:e|ing) (?:(?:my|the|these|fresh) ){0,2}(?:self[- ]?harm|cuts\\b|cutting\\b)",
    { unlessBefore: /\b(?:novel|story|chapter|character|scene|film|movie|play|historical)\b/i },
  ),
];
