// Toxic sentences and words in English, written for this product.

import type { ToxicityLanguage } from "../toxicity-part.ts";

const people =
  "(?:jews|muslims|christians|hindus|immigrants|migrants|refugees|foreigners|blacks|black people|whites|white people|asians|arabs|mexicans|indians|africans|gypsies|roma|gays|gay people|lesbians|homosexuals|trans people|transgender people|transsexuals|women|men|disabled people|the disabled|cripples|old people|poor people)";

/** Threats, insults and contempt in English. */
export const toxicity: ToxicityLanguage = {
  sentences: [
    {
      kind: "threat",
      score: 0.9,
      pattern:
        "\\b(?:i(?:'ll| will|'m going to| am going to|'m gonna)|we(?:'ll| will|'re going to)) (?:fucking )?(?:kill|murder|stab|shoot|strangle|slaughter|behead|lynch|rape|beat the (?:shit|hell|crap) out of|burn|gut|choke) (?:you|u|him|her|them|your (?:family|mother|wife|kids|children)|all (?:of )?(?:you|them))\\b",
    },
    {
      kind: "threat",
      score: 0.85,
      pattern:
        "\\byou(?:'re| are| will|'ll) (?:going to |gonna )?(?:be dead|die|get (?:killed|shot|stabbed|raped)|regret (?:this|it) when i)\\b.{0,40}\\b(?:bitch|fucker|scum|trash)\\b",
    },
    {
      kind: "threat",
      score: 0.8,
      pattern:
        "\\bi (?:know where you live|hope (?:you|they|he|she) (?:all )?(?:die|dies|get (?:raped|cancer|killed)|rot|burn))\\b",
    },
    {
      kind: "harassment",
      score: 0.9,
      pattern:
        "\\b(?:go (?:and )?)?(?:kill|hang|off) (?:yourself|urself|yourselves)\\b|\\bgo (?:and )?shoot (?:yourself|urself|yourselves)\\b|\\bkys\\b|\\b(?:go die|drink bleach|neck yourself)\\b",
    },
    {
      kind: "insult",
      score: 0.75,
      pattern:
        "\\b(?:you|u|he|she|they)(?:'re|'s| are| is| r)? (?:all )?(?:just |such |nothing but |really |so |fucking )?(?:an? |a bunch of )?(?:fucking |stupid |dumb |worthless |ugly |fat |useless |pathetic |disgusting |filthy ){0,3}(?:idiots?|morons?|imbeciles?|retards?|retarded|losers?|scum|trash|garbage|pigs?|dumbass(?:es)?|assholes?|bitch(?:es)?|cunts?|bastards?|cockroach(?:es)?|vermin|parasites?|subhuman|worthless)\\b",
    },
    {
      kind: "insult",
      score: 0.75,
      pattern:
        "\\b(?:fuck|screw) (?:you|u|off|him|her|them|your (?:mom|mother)|all (?:of )?(?:you|them))\\b|\\bshut the (?:fuck|hell) up\\b|\\bsuck my (?:dick|cock|balls)\\b|\\beat shit\\b|\\bpiece of (?:shit|trash|garbage)\\b",
    },
    {
      kind: "slur",
      score: 0.75,
      pattern:
        "\\b(?:you|ya|u|fucking|fuckin|stupid|dirty|filthy|ugly|dumb|damn|goddamn|bunch of|you are an?|you're an?|he's an?|she's an?|such an?) (?:fags?|retards?|dykes?|chinks?|sluts?|kikes?|pakis?|spics?|coons?)\\b",
    },
    {
      kind: "hate",
      score: 0.85,
      pattern: `\\b(?:i|we) (?:really |absolutely |fucking |just |truly )?(?:hate|despise|loathe|detest|can'?t stand|am disgusted by) (?:all |those |these |the )?(?:fucking |filthy |damn )?${people}\\b`,
    },
    {
      kind: "hate",
      score: 0.85,
      pattern: `\\b${people} (?:are|r) (?:all |just |nothing but |basically |like |fucking |so ){0,3}(?:an? )?(?:disgusting|vermin|animals|scum|cockroaches|rats|pigs|parasites|trash|filth|filthy|subhuman|inferior|worthless|a plague|a disease|a cancer|monkeys|apes|savages|criminals|terrorists|rapists|evil|mentally ill|freaks|stupid|dirty|less than human|not human|unnatural|an abomination)\\b`,
    },
    {
      kind: "hate",
      score: 0.9,
      pattern: `\\b(?:all |those |these |the )?${people} (?:should|must|need to|deserve to|ought to|have to) (?:all |just )?(?:be )?(?:die|killed|shot|hanged|hung|gassed|exterminated|deported|burned|burnt|wiped out|punished|beaten|put down|sterilized|sterilised|suffer|disappear|be eliminated|eliminated|eradicated|raped)\\b`,
    },
    {
      kind: "hate",
      score: 0.9,
      pattern: `\\b(?:kill|exterminate|gas|deport|shoot|hang|burn|wipe out|get rid of|eradicate|eliminate) (?:all|every) (?:the |of the |those |these )?${people}\\b|\\bdeath to (?:all )?(?:the )?${people}\\b`,
    },
  ],
  contempt: {
    groups:
      "\\b(?:jews|jewish people|muslims|christians|hindus|buddhists|immigrants|migrants|refugees|foreigners|asylum seekers|blacks|black (?:people|men|women)|whites|white people|asians|asian people|arabs|mexicans|indians|pakistanis|chinese(?: people)?|africans|gypsies|roma|gays|gay (?:people|men)|lesbians|homosexuals|trans (?:people|women|men)|transgenders|women|girls|men|feminists|disabled people|the disabled|cripples|autistic people|poor people|old people|fat people|homeless people|people like you|you people|your kind|those people)\\b",
    are: "(?: are| r| is)?(?: .{1,20})? ",
    contempt:
      "(?:disgusting|disgust me|vermin|animals|scum|cockroaches|rats|pigs|parasites|trash|garbage|filth|filthy|subhuman|sub-human|inferior|worthless|a (?:plague|disease|cancer|burden|stain|threat to)|monkeys|apes|savages|retarded|stupid|too stupid|idiots|morons|make me sick|don'?t (?:deserve|belong)|do not (?:deserve|belong)|criminals by nature|born criminals|liars by nature|ruin(?:ing)? (?:this|our|the) (?:country|world)|destroy(?:ing)? (?:this|our) (?:country|nation|culture)|should not (?:exist|be allowed to)|shouldn'?t (?:exist|be allowed to|vote|have rights)|less than human|not (?:even )?human|good for nothing|belong in (?:the kitchen|cages|camps|a zoo))\\b",
    hate: "\\b(?:i|we|everybody|everyone)(?: really| fucking| just| truly| absolutely)? (?:hate|despise|loathe|detest|can'?t stand|spit on)(?: all| those| these| the| you| every single| fucking| damn| filthy){0,3} ",
    fate: " (?:should|must|need to|deserve to|ought to|have to|can all|better|gotta)(?: all| just| be| go and){0,2} (?:die|killed|shot|hanged|gassed|exterminated|deported|burn(?:ed|t)?|wiped out|beaten|raped|locked up|sterili[sz]ed|go back to|disappear|rot|be put down|drown|castrated|kept out)\\b",
    you: "\\b(?:you'?re|you are|ur|u r|he'?s|he is|she'?s|she is|they'?re|they are|what|such|you)(?: all| just| really| so| nothing but| literally| truly| absolutely| all just| clearly| obviously| an?| the| most| biggest| complete| total| fucking| stupid| dumb| worthless| ugly| fat| useless| pathetic| disgusting| filthy| lazy| little| absolute| utter| bunch| of){0,6} ",
    insults:
      "(?:idiots?|morons?|imbeciles?|cretins?|retards?|dumbass(?:es)?|jackass(?:es)?|losers?|scumbags?|scum|bitch(?:es)?|whores?|cunts?|assholes?|arseholes?|bastards?|vermin|waste of (?:space|oxygen|air|skin)|piece of (?:shit|trash|garbage|crap)|worthless|pathetic|brain-?dead|brainless|subhuman|dimwits?|halfwits?|nitwits?|dipshits?|shitheads?|dickheads?|twats?|wankers?|clowns? like you|fat (?:cow|pig|slob)|ugly (?:cow|pig|hag|freak)|human garbage)\\b",
    curses:
      "\\b(?:nobody|no ?one) (?:likes|loves|wants|cares about) you\\b|\\beveryone (?:hates|despises|laughs at) you\\b|\\byou (?:disgust me|make me sick|should be ashamed of yourself|don'?t deserve to live|deserve to (?:die|suffer|rot)|should never have been born|should (?:just )?(?:die|kill yourself|disappear))\\b|\\bgo (?:to hell|die|hang yourself|fuck yourself|back to (?:your (?:own )?country|africa|mexico|china))\\b|\\bburn in hell\\b|\\brot in hell\\b|\\bget lost,? (?:you|loser|freak)\\b|\\bdrop dead\\b|\\bthe world (?:would|'d) be (?:a )?better(?: place| off)? without (?:you|people like you)\\b|\\bshut your (?:mouth|face|trap)\\b",
    threats:
      "\\b(?:i(?:'?ll| will|'?m going to|'?m gonna| am going to|'?d love to| want to)|we(?:'?ll| will|'?re going to|'?re gonna| are going to)|someone should|somebody (?:should|needs to)) (?:fucking |personally |slowly )?(?:find you and|hunt you down|come (?:to your (?:house|home)|for you|after you)|kill (?:you|him|her)\\b|murder (?:you|him|her)|beat (?:you|him|her|the)|break (?:your|his|her|every bone)|smash your|cut your|slit your|burn (?:your|you|down your)|make you (?:suffer|pay|bleed|regret|cry)|bash your|punch (?:you|your)|put a bullet|put you in (?:the hospital|a grave)|rip your|strangle (?:you|her|him)|shoot (?:you|him|her)|stab (?:you|him|her)|rape (?:you|her)|destroy you)|\\byou(?:'?re| are) (?:a )?dead(?: man| meat)\\b|\\bwatch your back\\b|\\byou(?:'?ll| will) (?:pay for this|regret (?:this|it)|be sorry you|wish you were never)\\b|\\bi know where (?:you|your (?:kids|family|children|mother)) (?:live|lives|go|goes|sleep)\\b",
    denial: /\b(?:not|n't|never|no)\b(?! (?:deserve|belong|exist|even))/iu,
    report:
      /\b(?:say(?:s|ing)?|said|claim(?:s|ed|ing)?|think(?:s|ing)? that|call(?:s|ed|ing)|label(?:s|l?ed|l?ing)|wrong to|myths?|stereotypes?|offensive to|feel like|felt like|anyone who|whoever|people who)\b/iu,
  },
  slurs:
    "nigger nigga niggas niggers faggot fags faggots kikes spic spics wetback wetbacks gook gooks raghead ragheads towelhead towelheads sandnigger beaner beaners tranny trannies shemale retarded pakis jigaboo darkies pickaninny golliwog subhumans mudslime muzzie whore whores sluts cunt cunts skank skanks".split(
      " ",
    ),
};
