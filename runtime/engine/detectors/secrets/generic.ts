// Passwords, keys and tokens without a known provider, recognised by the name that they are assigned to: in source
// code, `.env` files, connection strings, configuration and prose. The value must look random, or like a password that
// somebody chose.

import type { Trigger } from "../detector-plan.ts";
import type { Finding } from "../finding.ts";
import {
  describesNoun,
  foreignPasswordNames,
  isLogin,
  isShortName,
  isVagueName,
  type NameStrength,
  nameAt,
  strengthOf,
  vaguePasswordNames,
} from "./credential-name.ts";
import { type Joint, spokenBeginning, type ValueBeginning, valueBeginning } from "./credential-operator.ts";
import { type AmbiguousPlace, isChosenPassword, toldPassword } from "./credential-sentence.ts";
import { entropy, isPlaceholder, isTemplate } from "./placeholder.ts";

/** Parts of names that mark a value as secret. */
const literals = [
  ...["key", "token", "secret", "pass", "pwd", "credential", "pw", "mdp"],
  ...[...foreignPasswordNames, ...vaguePasswordNames],
];

/** Endings of a name, in scripts with spaces between words. */
const nameAfter = /[A-Za-z0-9_.\p{sc=Latn}\p{sc=Cyrl}\p{sc=Grek}-]{0,24}/uy;
/** String prefixes of several languages: a letter or a sign. */
const stringPrefix = /(?:@|\$|[bru]{1,2}|L)(?=["'`])/iy;
const quotedValue = /(["'`])((?:(?!\1)[^\n\\]){6,200})\\?\1/y;
/** An "&" ends the value only when another parameter of an address follows. */
const bareValue = /(?:[^\s"'`,;<>{}()[\]|\\&]|&(?![A-Za-z_][\w.-]{0,40}=)){6,200}/y;
/** Chinese, Japanese or Korean text that follows without a space. */
const denseRest = /(?<=[!-~])[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}\u3000-\u303f\uff00-\uffef].*$/u;

/** Technical words with digits, which are not part of a random text. */
const namesWithDigits = /base64|x509|sha\d{1,3}|oauth2|utf8|ed25519|md5|aes\d{3}/gi;
const readablePart = /^(?:[A-Za-z]?[a-z]{0,14}|[A-Z]{1,12}\d{0,4}|[vr]?\d{1,6}|\d\dT\d\d|\d\dZ)$/;
/** Minimum length of a value when its name, or the text between them, is a weak sign. */
const minUncertainLength = 20;

const knownWords = new Set(
  "password passwort passwd secret changeme admin root test guest default user username letmein none null true false undefined required optional string hidden unknown empty invalid incorrect".split(
    " ",
  ),
);

/** A name in a script without spaces: letters of another script behind it are the value. */
const denseName = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}\p{sc=Thai}ー]$/u;

/** Examines the text after every such part of a name. */
export const genericTriggers: readonly Trigger[] = literals.map((literal) => {
  const isDense = denseName.test(literal);
  return {
    literal,
    locate: (text, end) => locate(text, end - literal.length, { literalEnd: end, isDense }),
  };
});

function locate(
  text: string,
  start: number,
  { literalEnd, isDense }: { readonly literalEnd: number; readonly isDense: boolean },
): Finding | undefined {
  nameAfter.lastIndex = literalEnd;
  const nameEnd = isDense ? literalEnd : literalEnd + (nameAfter.exec(text)?.[0].length ?? 0);
  const name = nameAt(text, start, nameEnd);
  const whole = { start: nameEnd - name.length, end: nameEnd };
  if (isVagueName(name)) return describesNoun(text, whole.start) ? undefined : toldFinding(text, whole, true);
  const strength = strengthOf(name, text, whole.start);
  const beginning = valueBeginning(text, name, nameEnd) ?? spokenBeginning(text, name, nameEnd);
  const value = beginning === undefined ? undefined : valueAt(text, beginning.at);
  if (
    beginning === undefined ||
    value === undefined ||
    isNoValue(value.text) ||
    !isCredential(strength, value, beginning) ||
    !hasDemandedForm(value.text, ambiguousPlace(text, { name, start: whole.start }, beginning.joint))
  )
    return strength === "password" ? toldFinding(text, whole, false) : undefined;
  const kind = strength === "password" ? "password" : "generic";
  const attributes = { basis: kind === "password" ? "name of a password" : "name of a credential and entropy" };
  const score = value.quoted || /^[A-Z0-9_]+$/.test(name) ? 0.65 : 0.55;
  return { category: `secrets.${kind}`, start: value.start, end: value.start + value.text.length, score, attributes };
}

// A short name, a sign and the name of a user stand before other things than passwords too.
function ambiguousPlace(
  text: string,
  { name, start }: { readonly name: string; readonly start: number },
  joint: Joint,
): AmbiguousPlace | undefined {
  if (isShortName(name, text, start)) return isLogin(text, start) ? "login" : "short";
  return joint === "login" || joint === "sign" ? joint : undefined;
}

function hasDemandedForm(value: string, place: AmbiguousPlace | undefined): boolean {
  return place === undefined || isChosenPassword(value, place);
}

function toldFinding(
  text: string,
  name: { readonly start: number; readonly end: number },
  isVague: boolean,
): Finding | undefined {
  const told = toldPassword(text, name, isVague);
  if (told === undefined || isNoValue(told.text)) return undefined;
  const { start } = told;
  const attributes = { basis: "name of a password in a sentence" };
  return { category: "secrets.password", start, end: start + told.text.length, score: 0.55, attributes };
}

interface Value {
  readonly start: number;
  readonly text: string;
  readonly quoted: boolean;
}

function valueAt(text: string, at: number): Value | undefined {
  stringPrefix.lastIndex = at;
  const quote = at + (stringPrefix.exec(text)?.[0].length ?? 0);
  quotedValue.lastIndex = quote;
  const quoted = quotedValue.exec(text)?.[2];
  if (quoted !== undefined) return { start: quote + 1, text: quoted, quoted: true };
  bareValue.lastIndex = at;
  const bare = bareValue
    .exec(text)?.[0]
    .replace(denseRest, "")
    .replace(/[.?:]+$/, "");
  // A call or an index means that the value is an expression.
  if (bare === undefined || /[([]/.test(text[at + bare.length] ?? "")) return undefined;
  return { start: at, text: bare, quoted: false };
}

function isCredential(strength: NameStrength, value: Value, beginning: ValueBeginning): boolean {
  if (strength === "none") return false;
  if (strength === "password") return isPassword(value, beginning.joint !== "operator");
  if (strength === "strong" && isChosen(value)) return true;
  const { text } = value;
  const isCertain = strength === "strong" && beginning.joint === "operator";
  if (!isCertain && (text.length < minUncertainLength || isUuid(text))) return false;
  if (text.length < 16) return false;
  if (!/^[\w.=+/~@%:-]+$/.test(text) && (!value.quoted || /\s/.test(text) || text.length > 80)) return false;
  return isRandom(text) && !isPlaceholder(text, /^[0-9a-f]+$/i.test(text) ? 2.8 : 3.3);
}

function isNoValue(text: string): boolean {
  return isReference(text) || knownWords.has(text.toLowerCase());
}

function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i.test(text);
}

// Many punctuation characters, or one with small letters, capitals and digits, as in chosen passwords but not in names
// of things.
function isChosen({ text, quoted }: Value): boolean {
  if (!quoted || text.length < 12 || text.length > 64 || /\s/.test(text)) return false;
  const signs = new Set(text.match(/[^\w./:@,;+-]/g));
  const isMixed = /[a-z]/.test(text) && /[A-Z]/.test(text) && /\d/.test(text);
  return (signs.size >= 4 || (signs.size > 0 && isMixed)) && !isPlaceholder(text, 3);
}

// Names of variables, paths and files, and templates.
function isReference(text: string): boolean {
  return (
    /^(?:[$%@#<[{]|https?:|\/|\.\/|~\/|process\.|os\.|env\.|self\.|this\.|config\.|settings\.)|\(\)?$|^[a-z]+(?:[._-][a-z]+)+$/i.test(
      text,
    ) ||
    isTemplate(text) ||
    /^[a-z]+(?:[A-Z][a-z]+)+\d?$|[a-z0-9](?:Token|Secret|Credentials?|Key|Error)$/.test(text)
  );
}

function isRandom(value: string): boolean {
  if (isReadable(value)) return false;
  const text = value.replace(namesWithDigits, "");
  const digits = text.match(/\d/g)?.length ?? 0;
  const letters = text.match(/[A-Za-z]/g)?.length ?? 0;
  return digits >= 2 && letters >= 2 && digits + letters >= text.length * 0.7;
}

// Sequences of words, versions, dates and short numbers, as in names of things.
function isReadable(text: string): boolean {
  const parts = text.split(/[-_.:/@%=+~]+/);
  return parts.length >= 3 && parts.every((part) => readablePart.test(part));
}

function isPassword({ text, quoted }: Value, prose: boolean): boolean {
  const kinds = [/[a-z]/, /[A-Z]/, /\d/, /[^A-Za-z0-9\s]/].filter((kind) => kind.test(text)).length;
  if (/\s/.test(text) || isPlaceholder(text, 2) || entropy(text) < 2.2) return false;
  if (prose && !/\d/.test(text)) return false;
  return text.length >= (quoted ? 6 : 8) ? kinds >= (quoted ? 2 : 3) || (kinds === 2 && /\d/.test(text)) : false;
}
