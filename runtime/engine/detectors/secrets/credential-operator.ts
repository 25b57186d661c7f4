// The text between the name of a credential and its value: operators of programs and settings, verbs, and the forms in
// which a name is one value and the credential the next, as in lists, container variables and XML.

import { isLogin } from "./credential-name.ts";

/**
 * What joins name and value: an operator; words or a space, so that the value must be more convincing by itself; the
 * name of a user before both; or a sign that also stands between the cells of a table and the steps of a path.
 */
export type Joint = "operator" | "words" | "login" | "sign";

/** The start of a value. */
export interface ValueBeginning {
  readonly at: number;
  readonly joint: Joint;
}

const operator = /['"`\])]{0,2}(?:[ \t]{0,4}(?:=>|:=|\|\||:{1,3}=|!?={1,3}|->|[:：>])|[ \t]*value=)[ \t]{0,4}[\\]?/y;
/** "Is" in the languages that have a word for it, after "my" or "your" in those that put it behind the name. */
const verb =
  /['"`\])]{0,2}(?:[ \t]+(?:mitt|ditt|min|din|saya|anda|שלי|שלך|الخاصة بي|الخاصة بك|لي))?[ \t]+(?:is|ist|lautet|hei(?:ß|ss)t|est|es|è|é|to|jest|je|är|er|on|adalah|ialah|היא|הוא|هي|هو|[—–])(?=[ \t:])[ \t]{0,4}:?[ \t]{0,4}/y;
/** Verbs and particles of languages that put them directly after the name. */
const particle = /['"`\])]{0,2}[ \t]*(?:是|为|為|は|が|는|은|가|이|คือ|ของฉันคือ)[、,]?[ \t]{0,4}[:：]?[ \t]{0,4}/y;
/** `define('API_SECRET', '…')`, and `api_key "…"`. */
const nextArgument =
  /(?:(?<=["'`][\w.-]{0,40}(?:passwd|password|pwd|key|token|secret|credentials?))["'`][ \t]{0,4},[ \t]{0,4}|(?<=[_.-]\w{1,16}|apikey|passwd|password|pwd)[ \t]{1,4})(?=["'`])/iy;
/** `name: API_TOKEN`, followed by `value: …` on the same or a later line. */
const valueField = /['"]?,?\s{0,24}['"]?value['"]?[ \t]{0,4}[:=][ \t]{0,4}/y;
/** A variable with its default value. */
const defaultField =
  /['"][ \t]{1,4}\{\s{1,8}(?:(?:type|description|sensitive)[ \t]{0,8}=[^\n]{1,40}\s{1,8})?default[ \t]{0,8}=[ \t]{0,4}/y;
/** Braces around a value in an XML element, with at most two words before it. */
const braced = /\{(?:[\w.:-]{1,40} ){0,2}/y;
const spokenName = /^(?:(?:api|access|auth|client|secret|bearer) (?:key|token|secret)|secret|credentials?)$/i;
const space = /[ \t]{1,4}/y;
/** Arrows and bars, which people put between a name and its value. */
const sign = /['"`\])]{0,2}[ \t]{0,4}[|~→⇒»▶►][ \t]{0,4}/y;

const settingBefore = /(?:^|\n)[ \t]*(?:ENV|ARG|setx?)[ \t]+$|(?:login|user(?:name)?)[ \t]+(?:\S{1,64}[ \t]+)?$/i;
/** In a table, or before an arrow, it is a result; behind a user it may be a verb. */
const resultName = /^pass$/i;
const maxSettingLength = 80;

/** The start of the value of the name that ends at an offset; undefined when none is assigned. */
export function valueBeginning(text: string, name: string, end: number): ValueBeginning | undefined {
  const plain = matchEnd(operator, text, end);
  if (plain !== undefined) {
    const within = text[plain - 1] === ">" ? matchEnd(braced, text, plain) : undefined;
    return { at: within ?? plain, joint: "operator" };
  }
  const field = matchEnd(valueField, text, end) ?? matchEnd(defaultField, text, end);
  if (field !== undefined) return { at: field, joint: "operator" };
  const said = matchEnd(verb, text, end) ?? matchEnd(particle, text, end) ?? matchEnd(nextArgument, text, end);
  if (said !== undefined) return { at: said, joint: "words" };
  const signed = resultName.test(name) ? undefined : matchEnd(sign, text, end);
  if (signed !== undefined) return { at: signed, joint: "sign" };
  const at = matchEnd(space, text, end);
  const joint = at === undefined ? undefined : spaceJoint(text, name, end);
  return at === undefined || joint === undefined ? undefined : { at, joint };
}

/**
 * The start of a value that only a space separates from the spoken name of a credential, as in "the access token …".
 */
export function spokenBeginning(text: string, name: string, end: number): ValueBeginning | undefined {
  const at = spokenName.test(name) ? matchEnd(space, text, end) : undefined;
  return at === undefined ? undefined : { at, joint: "words" };
}

// Command flags, container variables, login files and notes of a login use a space as the operator. Users also "pass"
// other things.
function spaceJoint(text: string, name: string, end: number): Joint | undefined {
  const start = end - name.length;
  const before = text.slice(Math.max(0, start - maxSettingLength), start);
  if (name.startsWith("--") || (!resultName.test(name) && settingBefore.test(before))) return "words";
  return isLogin(text, start) ? "login" : undefined;
}

function matchEnd(pattern: RegExp, text: string, at: number): number | undefined {
  pattern.lastIndex = at;
  const match = pattern.exec(text);
  return match === null ? undefined : at + match[0].length;
}
