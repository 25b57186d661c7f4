// Coarse words in English.

import list from "naughty-words/en.json" with { type: "json" };
import type { ProfanityLanguage } from "../profanity-part.ts";

/** The words. */
export const profanity: ProfanityLanguage = {
  list,
  everyday:
    "acrotomophilia|anilingus|auto erotic|autoerotic|babeland|baby batter|baby juice|ball gag|ball kicking|bangbus|bareback|barely legal|barenaked|bastinado|bdsm|beaver cleaver|bestiality|beastiality|big breasts|big knockers|birdlock|blonde action|blonde on blonde action|brunette action|camgirl|camel toe|chocolate rosebuds|cialis|clover clamps|coprophilia|coprolagnia|cornhole|date rape|daterape|deep throat|dendrophilia|dirty pillows|dog style|dolcett|dominatrix|dommes|donkey punch|dvda|ejaculation|eunuch|female squirting|figging|foot fetish|frotting|gay sex|grope|g-spot|guro|god damn|hard core|homoerotic|honkey|humping|juggs|jail bait|kinbaku|knobbing|lovemaking|make me come|male squirting|menage a trois|missionary position|nambla|nawashi|nimphomania|nymphomania|nsfw images|nutten|octopussy|orgasm|orgy|paedophile|pedophile|panties|panty|pegging|phone sex|pikey|pleasure chest|ponyplay|pubes|quim|reverse cowgirl|rimming|santorum|scissoring|semen|sexo|shibari|shota|shrimping|skeet|snowballing|sodomize|sodomy|spread legs|spunk|strap on|strappado|suicide girls|tainted love|tea bagging|threesome|tongue in a|tribadism|tushy|undressing|upskirt|urethra play|urophilia|venus mound|viagra|violet wand|vorarephilia|wet dream|white power|worldsex|wrinkled starfish|yiffy|zoophilia|bastardo|cock|cocks|boner|clit|cumming|masturbating|twinkie|tranny|scat|dick|mong|sexual|domination|nipple|nipples|nudity|nude|sexuality|sexually|sexy|penis|vagina|vulva|clitoris|anus|rectum|coon|intercourse|sadism|butt|topless|masturbate|masturbation|bondage|playboy|fingering|lolita|pornography|rape|raping|rapist|porn|kinky|kinkster|erotic|erotism|escort|incest|hooker|hardcore|fecal|swinger|voyeur|yaoi|hentai|ecchi|livesex|nsfw|swastika|neonazi|negro|sex|xxx|genitals|boobs|boob|buttcheeks|busty|snatch|throating|twink|vibrator|sucks|suck|poof|queaf|spastic|porno|fag|slut|kike|paki|anal|big black|girl on|girl on top|hot chick|how to kill|how to murder|huge fat|tied up|tight white|group sex|sultry women|alaskan pipeline|jelly donut|taste my|blue waffle|wrapping men|mr hands|leather restraint|leather straight jacket|strip club|lemon party".split(
      "|",
    ),
  more: "fags tit tits arse sluts slutty kikes pakis dickhead dipshit jackass dumbass fuckwit wanker".split(" "),
  masked: [
    "f*ck",
    "f**k",
    "f***",
    "fu*k",
    "sh*t",
    "s**t",
    "sh1t",
    "fvck",
    "phuck",
    "b*tch",
    "b1tch",
    "biatch",
    "a**hole",
    "assh0le",
    "@sshole",
    "a$$hole",
    "c*nt",
    "cvnt",
    "d*ck",
    "wtf",
    "stfu",
    "gtfo",
    "mofo",
  ],
};
