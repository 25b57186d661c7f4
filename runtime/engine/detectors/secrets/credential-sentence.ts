// Passwords that a sentence tells, with words between the name and the value: "the password of the test server will be
// …". No grammar joins the two in all languages, so what counts is the value: either it has the form of a password that
// somebody chose, or a word that says "is" stands right before it and it has most of that form.

import { isLogin } from "./credential-name.ts";
import { entropy, isPlaceholder } from "./placeholder.ts";

/** Maximum length of what stands between the name and the value. */
const maxGapLength = 72;
const maxGapWords = 10;
const maxValueLength = 64;

/** A run of ASCII after a space, a quotation mark or a letter of a script that has no spaces. */
const run =
  /(?<=[\s"'`(:“„«‘「『：（]|[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}\p{sc=Thai}])[A-Za-z0-9!#$%&*+@^_~?-][!-~]{7,63}/gu;
const closing = /[.,;:?)"'`]+$/;
/** The gap is one sentence of words: no end of a sentence, no list, no code, and no example of a password. */
const otherText =
  /[.!?;,](?=\s|$)|[。！？；，\n\r=<>{}()[\]|\\]|\b(?:such as|like|for example|for instance|zum Beispiel|par exemple|por ejemplo)\b/i;
/** Things that are about passwords. */
const otherThing =
  /^[\s'"`]{0,3}(?:polic(?:y|ies)|manager|reset|field|hash(?:es)?|length|strength|rules?|generator|prompt|box|recovery|protection|requirements?)\b/i;
/** What says that the value follows, in the words of all languages that have a name for a password. */
const joiner = new RegExp(
  `(?:^|[\\s'"\`])(?:${[
    "is|are|was|be|becomes|to|now|as|ist|lautet|wird|auf|jetzt|zu|est|sera|désormais|maintenant|es|será|ahora|é|agora",
    "è|sarà|adesso|ora|wordt|nu|är|blir|er|bliver|nå|on|nyt|je|je teď|teď|bude|jest|to|brzmi|teraz|este|acum|va fi",
    "artık|şimdi|adalah|ialah|sekarang|là|bây giờ|lett|lesz|mostantól",
    "это|теперь|будет|сейчас|тепер|буде|зараз|είναι|τώρα|هي|هو|أصبحت|الآن|היא|הוא|עכשיו|תהיה|है|अब",
  ].join("|")}):?[\\s'"\`]{1,3}$|(?:[:：—–]|是|为|為|改成|は|が|는|은|คือ)[\\s'"\`「『]{0,3}$`,
  "iu",
);
/** Signs that people put into passwords, and hardly into names of things. */
const chosenSign = /[!#$%&*+@^~?]/;
const onlyLetters = /^[\p{L}\p{N}_]+$/u;
const nameOfThing =
  /^[@#$%]|:\/\/|^www\.|\/|@[\w-]+\.\w|^v?\d+(?:[.:-]\d+)+|^\w+\(|^[\w-]+\.(?:\w{2,4})$|^&#|%[0-9A-Fa-f]{2}%|^C\+\+|^\d+[%+]/i;

/** A value that a sentence tells. */
export interface ToldValue {
  readonly start: number;
  readonly text: string;
}

/**
 * The password that the sentence after a name tells; undefined when there is none. After a word that also has other
 * meanings, or directly behind the name, it has a sign or the name of a user before it.
 */
export function toldPassword(
  text: string,
  { start, end: nameEnd }: { readonly start: number; readonly end: number },
  isVague: boolean,
): ToldValue | undefined {
  const rest = text.slice(nameEnd, nameEnd + maxGapLength + maxValueLength);
  if (!/\d/.test(rest) || otherThing.test(rest)) return undefined;
  // With the end of the name, behind which a value may follow directly.
  const nameUnits = Math.min(1, nameEnd);
  for (const match of (text.slice(nameEnd - nameUnits, nameEnd) + rest).matchAll(run)) {
    const at = match.index - nameUnits;
    if (at < 0) continue;
    const gap = rest.slice(0, at);
    if (at > maxGapLength || otherText.test(gap) || gap.split(/\s+/).length > maxGapWords + 1) return undefined;
    const value = match[0].replace(closing, "");
    // Without spaces a value may follow its name directly, as in "密码…".
    const isJoined = gap === "" || joiner.test(gap);
    if (!isTold(value, isJoined)) continue;
    if ((isVague || gap === "") && !hasSign(value) && !isLogin(text, start)) continue;
    return { start: nameEnd + at, text: value };
  }
  return undefined;
}

/** Where a value stands that may be something else: behind a sign, behind `pw` or `mdp`, or in the notes of a login. */
export type AmbiguousPlace = "sign" | "short" | "login";

/**
 * Whether a value has the form of a password that somebody chose, and hardly that of a name with a number, as hyphens
 * and points have: behind a sign both cases and a sign or underscore; for `pw` and `mdp`, which programs use for other
 * things, both cases and a sign, or nothing but letters and digits; after a login a sign suffices.
 */
export function isChosenPassword(value: string, place: AmbiguousPlace): boolean {
  if (!isPossible(value)) return false;
  const isMixed = hasBothCases(value) && (hasSign(value) || (place === "sign" ? /_/ : onlyLetters).test(value));
  return isMixed || (place === "login" && hasSign(value));
}

function isTold(value: string, isJoined: boolean): boolean {
  if (!isPossible(value)) return false;
  return isJoined ? hasSign(value) || hasBothCases(value) : hasSign(value) && hasBothCases(value);
}

function isPossible(value: string): boolean {
  if (value.length < 8 || nameOfThing.test(value) || isPlaceholder(value, 2.5) || entropy(value) < 2.5) return false;
  return /\d/.test(value) && /[A-Za-z]/.test(value);
}

function hasBothCases(value: string): boolean {
  return /[a-z]/.test(value) && /[A-Z]/.test(value);
}

function hasSign(value: string): boolean {
  return chosenSign.test(value.slice(1));
}
