// Which passwords are refused (NIST SP 800-63B, section 5.1.1.2): short ones, and those that everybody tries first. No
// rules about digits and symbols: they make people choose "Password1!".
//
// A common password is one that, without the usual decoration (capitals, digits and symbols at its ends, "0" for "o"),
// is made of common words and nothing else.

import { readFileSync } from "node:fs";
import { Reason } from "../../../gen/policyguard/common/v1/reason_pb.ts";
import { Fault } from "../../kit/fault/fault.ts";
import { type EmailAddress, localPart } from "../mail/email.ts";

const minLength = 10;
const maxLength = 200;
/** Longer than any common password; longer ones are not analysed. */
const maxCommonLength = 64;

const words: ReadonlySet<string> = new Set(
  readFileSync(new URL("./common-passwords.txt", import.meta.url), "utf8")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#")),
);
const maxWordLength = Math.max(...[...words].map((word) => word.length));

const leet: Readonly<Record<string, string>> = {
  ...{ "0": "o", "1": "i", "3": "e", "4": "a", "5": "s", "7": "t", "8": "b", "9": "g" },
  ...{ "@": "a", $: "s", "!": "i", "|": "l", "+": "t" },
};
const rows = [
  "01234567890123456789",
  "abcdefghijklmnopqrstuvwxyz",
  "qwertyuiopasdfghjklzxcvbnm",
  "qwertzuiopasdfghjklyxcvbnm",
];
const runs = rows.flatMap((row) => [row, [...row].reverse().join("")]);

/** Refuses a password that is too short, too long, too common, or the person's own name or address. */
export function checkPassword(password: string, person: { readonly email: EmailAddress; readonly name: string }): void {
  const normal = password.normalize("NFKC");
  const length = [...normal].length;
  if (length < minLength) throw refused(`a password needs at least ${minLength} characters`);
  if (length > maxLength) throw refused(`a password has at most ${maxLength} characters`);
  const folded = normal.toLowerCase();
  const own = [person.email.key, localPart(person.email), fold(person.name), fold(person.name).replaceAll(" ", "")];
  if (own.some((text) => folded === text || trimmed(folded) === text)) {
    throw refused("a password must not be the name or the e-mail address of the account");
  }
  if (length <= maxCommonLength && isCommon(folded)) {
    throw refused("this password is one of the first that attackers try; choose one that is hard to guess");
  }
}

function isCommon(folded: string): boolean {
  if (new Set(folded).size <= 3 || runs.some((run) => run.includes(folded))) return true;
  const plain = (text: string) => [...text].map((character) => leet[character] ?? character).join("");
  const forms = [folded, trimmed(folded), plain(folded), plain(trimmed(folded)), trimmed(plain(folded))];
  return forms.some((text) => (text === "" ? isRepeated(folded) : isMadeOfWords(text) || isRepeated(text)));
}

function trimmed(text: string): string {
  return text.replace(/^[^\p{L}]+|[^\p{L}]+$/gu, "");
}

/** "abcabcabc", and "1231231231" too. */
function isRepeated(text: string): boolean {
  return [1, 2, 3, 4, 5].some(
    (size) => text.length >= 3 * size && text === text.slice(0, size).repeat(text.length).slice(0, text.length),
  );
}

/** At most two words: more words of one's own choice are a passphrase. */
function isMadeOfWords(text: string): boolean {
  if (words.has(text)) return true;
  for (let end = 3; end <= Math.min(maxWordLength, text.length - 3); end++) {
    if (words.has(text.slice(0, end)) && words.has(trimmed(text.slice(end)))) return true;
  }
  return false;
}

function fold(text: string): string {
  return text.normalize("NFKC").toLowerCase();
}

function refused(message: string): Fault {
  return new Fault(Reason.PASSWORD_REFUSED, message);
}
