// Credentials within web addresses and headers: `scheme://user:password@host` (RFC 3986, section 3.2.1), connection
// strings, the header Authorization (RFC 9110, section 11.6.2) and the options of curl that set it.

import type { Trigger } from "../detector-plan.ts";
import type { Finding } from "../finding.ts";
import { entropy, isPlaceholder } from "./placeholder.ts";

const databases =
  /^(?:postgres(?:ql)?|mysql|mariadb|mongodb(?:\+srv)?|rediss?|amqps?|mssql|sqlserver|oracle|clickhouse|cockroachdb|jdbc|kafka|nats|ldaps?|couchbases?)$/i;
const userInfo = /([^\s:/?#@"'`<>{}]{0,100}):([^\s/?#@"'`<>]{3,200})@(?=[\w.[-])/y;
const schemeBefore = /[A-Za-z][A-Za-z0-9+.-]{1,20}$/;
const weakPasswords = new Set(
  "password pass passwd pwd secret user username postgres root admin test guest example mysql redis mongo changeme token pw xxx".split(
    " ",
  ),
);

/** Examines user names and passwords in addresses. */
export const addressTriggers: readonly Trigger[] = [
  { literal: "://", locate: locateUserInfo },
  { literal: "authorization", locate: (text, end) => locateHeader(text, end, authorization) },
  { literal: "bearer", locate: (text, end) => locateHeader(text, end, bearer) },
  ...["-h", "--header"].map(
    (literal): Trigger => ({ literal, locate: (text, end) => locateHeader(text, end, curlHeader) }),
  ),
  { literal: '"auth"', locate: locateLogin },
  ...["-u", "--user"].map((literal): Trigger => ({ literal, locate: locateUser })),
];

function locateUserInfo(text: string, end: number): Finding | undefined {
  userInfo.lastIndex = end;
  const match = userInfo.exec(text);
  if (match === null) return undefined;
  const [, user = "", password = ""] = match;
  const scheme = schemeBefore.exec(text.slice(Math.max(0, end - 24), end - 3))?.[0] ?? "";
  if (scheme === "" || !isChosen(user, password)) return undefined;
  const kind = databases.test(scheme) ? "connection_string" : "basic_auth";
  const attributes = { scheme: scheme.toLowerCase(), basis: "password within an address" };
  return { category: `secrets.${kind}`, start: end, end: end + match[0].length - 1, score: 0.9, attributes };
}

function isChosen(user: string, password: string): boolean {
  if (weakPasswords.has(password.toLowerCase()) || password.toLowerCase() === user.toLowerCase()) return false;
  return !isPlaceholder(password, 1.5) && !/^[$%{<[*]|[}>\]*]$/.test(password);
}

const authorization =
  /["']?\s{0,2}[:=,]\s{0,3}["']?(?:(basic)\s{1,2}([A-Za-z0-9+/]{8,400}={0,2})|(?:bearer|token|apikey|api-key)\s{1,2}([\w=~@.+/-]{8,1000}))/iy;
const bearer = /[ \t]{1,4}()()([\w=~.+/-]{20,1000})(?![\w(])/y;
const curlHeader =
  /[\s=]{0,5}["'](?:(?:x-)?(?:[a-z]{1,20}-)?(?:api-?)?(?:key|token)|authorization):[ \t]{0,5}()()([\w=~@.+/-]{8,400})["']/iy;

function locateHeader(text: string, end: number, pattern: RegExp): Finding | undefined {
  pattern.lastIndex = end;
  const match = pattern.exec(text);
  if (match === null) return undefined;
  const [whole, , basic, token] = match;
  const value = basic || token || "";
  if (!(value === basic ? isBasic(value) : isToken(value))) return undefined;
  const start = end + whole.lastIndexOf(value);
  const attributes = { basis: "header with credentials" };
  return { category: "secrets.authorization", start, end: start + value.length, score: 0.8, attributes };
}

const login = /\s{0,8}:\s{0,8}"([A-Za-z0-9+/]{8,400}={0,2})"/y;

// Docker's configuration file has the logins of container registries, user and password in Base64.
function locateLogin(text: string, end: number): Finding | undefined {
  login.lastIndex = end;
  const match = login.exec(text);
  const value = match?.[1] ?? "";
  if (match === null || !isBasic(value)) return undefined;
  const start = end + match[0].length - 1 - value.length;
  const attributes = { basis: "user and password of a registry" };
  return { category: "secrets.basic_auth", start, end: start + value.length, score: 0.8, attributes };
}

function isBasic(value: string): boolean {
  const decoded = Buffer.from(value, "base64").toString("latin1");
  const at = decoded.indexOf(":");
  return at >= 0 && /^[\x20-\x7e]+$/.test(decoded) && isChosen(decoded.slice(0, at), decoded.slice(at + 1));
}

function isToken(value: string): boolean {
  const kinds = [/[a-z]/, /[A-Z]/, /\d/].filter((kind) => kind.test(value)).length;
  return kinds >= 2 && /^(?!.*(?:Token|KEY|_TOKEN|_KEY)$)/.test(value) && !isPlaceholder(value, 2.7);
}

const user = /[ \t]{1,4}["']?([^\s:"']{2,60}):([^\s"']{3,100})["']?(?=\s|$)/y;
const maxCommandLength = 400;

// Only within a command of curl or wget, since "-u" has many meanings.
function locateUser(text: string, end: number): Finding | undefined {
  user.lastIndex = end;
  const match = user.exec(text);
  if (match === null || !/\b(?:curl|wget|http)\b/.test(text.slice(Math.max(0, end - maxCommandLength), end)))
    return undefined;
  const [whole, name = "", password = ""] = match;
  if (!isChosen(name, password) || entropy(password) < 2) return undefined;
  const start = end + whole.indexOf(name);
  const attributes = { basis: "user and password of a command" };
  return {
    category: "secrets.basic_auth",
    start,
    end: start + name.length + 1 + password.length,
    score: 0.7,
    attributes,
  };
}
