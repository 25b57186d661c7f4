// Passwords, keys and tokens of nobody in particular, told by the name that they are assigned to: in source code, `.env` files,
// connection strings, configuration and prose. What is assigned must look random, or like a password that somebody chose.

import type { Finding, Trigger } from "../../plan.ts";
import { entropy, isPlaceholder } from "./placeholder.ts";

/** Parts of names that say that a value is secret. */
const literals = [
  "key",
  "token",
  "secret",
  "passw",
  "passphrase",
  "pwd",
  "credential",
  "contraseña",
  "passwort",
  "пароль",
  "密码",
  "비밀번호",
];

const nameBefore = /[A-Za-z0-9_.-]{0,40}$/;
const nameAfter = /[A-Za-z0-9_.-]{0,24}/y;
const operator =
  /['"`\])]{0,2}(?:[ \t]{0,4}(?:=>|:=|\|\||:{1,3}=|={1,3}|->|[:：>])|[ \t]*value=|[ \t]+(?:is|ist|est|es|è|to)(?=[ \t]))[ \t]{0,4}[\\]?/y;
const quotedValue = /(["'`])((?:(?!\1)[^\n\\]){6,200})\\?\1/y;
const bareValue = /[^\s"'`,;<>{}()[\]|\\&]{6,200}/y;

const passwordName = /passw|passphrase|pwd|contraseña|пароль|密码|비밀번호/i;
const strongName =
  /(?:api|access|secret|auth|private|client|app|service|encrypt(?:ion)?|signing|master|admin|account|bearer|refresh|session|jwt|webhook|bot|user|db|storage|shared|license|deploy|personal|id)[_.-]?(?:key|token|secret|credential)|secret[_.-]?(?:key|token|access)|(?:^|[_.-])(?:token|secret)$/i;
const harmlessName =
  /public|primary|foreign|partition|sort|cache|index|foreign|lookup|object|token(?:s|iz|_?type|_?count|_?limit|_?id$|_?ur[il]|_?endpoint)|max_?token|key(?:word|board|s$|_?id$|_?name|_?path|_?file|_?type|_?size|_?code|stone|frame|note)|monkey|hotkey|passwords?_?(?:hash|reset|field|length|min|max|policy|file|path|url|confirm|strength)|secret_?(?:name|id$|arn|path|ref|version)|csrf|etag|integrity|checksum|hash|sha\d|md5|digest|fingerprint|uuid|commit/i;

const knownWords = new Set(
  "password passwort passwd secret changeme admin root test guest default user username letmein none null true false undefined required optional string hidden unknown empty invalid incorrect".split(
    " ",
  ),
);

/** Looks behind every such part of a name. */
export const genericTriggers: readonly Trigger[] = literals.map((literal) => ({
  literal,
  locate: (text, end) => locate(text, end - literal.length, end),
}));

function locate(text: string, start: number, end: number): Finding | undefined {
  nameAfter.lastIndex = end;
  const rest = nameAfter.exec(text)?.[0] ?? "";
  operator.lastIndex = end + rest.length;
  const assigned = operator.exec(text);
  if (assigned === null) return undefined;
  const lead = nameBefore.exec(text.slice(Math.max(0, start - 40), start))?.[0] ?? "";
  const name = lead + text.slice(start, end) + rest;
  if (harmlessName.test(name)) return undefined;
  const value = valueAt(text, end + rest.length + assigned[0].length);
  if (value === undefined || !isSecret(name, value, /[A-Za-z]/.test(assigned[0]))) return undefined;
  const kind = passwordName.test(name) ? "password" : "generic";
  const attributes = { basis: kind === "password" ? "name of a password" : "name of a credential and entropy" };
  const score = value.quoted || /^[A-Z0-9_]+$/.test(name) ? 0.65 : 0.55;
  return { category: `secrets.${kind}`, start: value.start, end: value.start + value.text.length, score, attributes };
}

interface Value {
  readonly start: number;
  readonly text: string;
  readonly quoted: boolean;
}

function valueAt(text: string, at: number): Value | undefined {
  quotedValue.lastIndex = at;
  const quoted = quotedValue.exec(text)?.[2];
  if (quoted !== undefined) return { start: at + 1, text: quoted, quoted: true };
  bareValue.lastIndex = at;
  const bare = bareValue.exec(text)?.[0].replace(/[.!?:]+$/, "");
  // A call or an index: what is assigned is an expression.
  if (bare === undefined || /[([]/.test(text[at + bare.length] ?? "")) return undefined;
  return { start: at, text: bare, quoted: false };
}

function isSecret(name: string, value: Value, prose: boolean): boolean {
  const { text } = value;
  if (isReference(text) || knownWords.has(text.toLowerCase())) return false;
  if (passwordName.test(name)) return isPassword(value, prose);
  if (text.length < 16 || !strongName.test(name)) return false;
  if (!/^[\w.=+/~@%:-]+$/.test(text) && (!value.quoted || /\s/.test(text) || text.length > 80)) return false;
  return isRandom(text) && !isPlaceholder(text, /^[0-9a-f]+$/i.test(text) ? 2.8 : 3.3);
}

// Names of variables, places and files, and templates.
function isReference(text: string): boolean {
  return (
    /^(?:[$%@#<[{]|https?:|\/|\.\/|~\/|process\.|os\.|env\.|self\.|this\.|config\.|settings\.)|\$\{|\{\{|<[^>]*>|\(\)?$|^[a-z]+(?:[._-][a-z]+)+$/i.test(
      text,
    ) || /^[a-z]+(?:[A-Z][a-z]+)+\d?$/.test(text)
  );
}

function isRandom(text: string): boolean {
  const digits = text.match(/\d/g)?.length ?? 0;
  const letters = text.match(/[A-Za-z]/g)?.length ?? 0;
  return digits >= 2 && letters >= 2 && digits + letters >= text.length * 0.7;
}

function isPassword({ text, quoted }: Value, prose: boolean): boolean {
  const kinds = [/[a-z]/, /[A-Z]/, /\d/, /[^A-Za-z0-9\s]/].filter((kind) => kind.test(text)).length;
  if (/\s/.test(text) || isPlaceholder(text, 2) || entropy(text) < 2.2) return false;
  if (prose && !/\d/.test(text)) return false;
  return text.length >= (quoted ? 6 : 8) ? kinds >= (quoted ? 2 : 3) || (kinds === 2 && /\d/.test(text)) : false;
}
