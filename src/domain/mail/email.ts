// E-mail addresses: which texts are accepted, and when two spellings are the same address.
//
// The key of an address is its NFKC form in lower case with the domain in its ASCII form (IDNA). Addresses that only
// look alike have different keys. A local part that mixes scripts, such as Latin with Cyrillic, is refused, since it
// may imitate another address (the "highly restrictive" level of Unicode Technical Standard 39, section 5.2).

import { domainToASCII } from "node:url";
import { validationFailed } from "../../kit/fault/fault.ts";

/** An address. */
export interface EmailAddress {
  /** As it was typed, in NFKC form: it is shown, and mail is sent to it. The key is that of the same mailbox. */
  readonly text: string;
  /** The form by which accounts are found. */
  readonly key: string;
}

const maxBytes = 254; // RFC 5321, section 4.5.3.1.3, less the angle brackets
const maxLocalBytes = 64;

// Dot-atoms of RFC 5322, and letters, marks and digits of all scripts as RFC 6531 allows. No quoted strings: nobody has
// one.
const localForm = /^[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+(?:\.[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+)*$/u;
const domainForm = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9-]*[a-z][a-z0-9-]*$/;

// The recommended scripts of Unicode Standard Annex 31, table 5, and the three mixtures that people write in.
const scripts = [
  "Latin Arabic Armenian Bengali Bopomofo Cyrillic Devanagari Ethiopic Georgian Greek Gujarati Gurmukhi Hangul Han Hebrew",
  "Hiragana Kannada Katakana Khmer Lao Malayalam Myanmar Oriya Sinhala Tamil Telugu Thaana Thai Tibetan",
].flatMap((line) => line.split(" "));
const mixtures = ["Latin Han Hiragana Katakana", "Latin Han Bopomofo", "Latin Han Hangul"].map((line) =>
  line.split(" "),
);
const wholeInOneScript = [...scripts.map((script) => [script]), ...mixtures].map(
  (names) => new RegExp(`^[\\p{sc=Common}\\p{sc=Inherited}${names.map((name) => `\\p{sc=${name}}`).join("")}]*$`, "u"),
);

/** Reads an address. Throws a 422 that names the field when the text is not an address. */
export function parseEmail(text: string, field = "email"): EmailAddress {
  const refuse = (message: string) => validationFailed([{ field, message }]);
  const key = addressKey(text);
  const at = key.lastIndexOf("@");
  const [local, domain] = [key.slice(0, Math.max(at, 0)), key.slice(at + 1)];
  if (!localForm.test(local) || !domainForm.test(domain)) throw refuse("must be an e-mail address");
  if (Buffer.byteLength(local) > maxLocalBytes || Buffer.byteLength(key) > maxBytes || text.length > maxBytes) {
    throw refuse("is longer than an e-mail address can be");
  }
  if (!wholeInOneScript.some((form) => form.test(local))) {
    throw refuse("mixes letters of different scripts before the @, so that it looks like another address");
  }
  return { text: text.normalize("NFKC"), key };
}

/** What the key of a text would be if it were an address: two spellings of one address have the same. */
export function addressKey(text: string): string {
  const folded = fold(text);
  const at = folded.lastIndexOf("@");
  return at < 0 ? folded : `${folded.slice(0, at)}@${asciiDomain(folded.slice(at + 1))}`;
}

/** Reads the name of a domain, in its ASCII form. Throws a 422 that names the field when the text is not a domain. */
export function parseDomain(text: string, field = "domain"): string {
  const domain = asciiDomain(fold(text.trim().replace(/\.$/, "")));
  if (!domainForm.test(domain) || domain.length > 253) throw validationFailed([{ field, message: "must be a domain" }]);
  return domain;
}

/** The part after the @ of a key. */
export function domainPart({ key }: Pick<EmailAddress, "key">): string {
  return key.slice(key.lastIndexOf("@") + 1);
}

/** The part before the @ of a key. */
export function localPart({ key }: EmailAddress): string {
  return key.slice(0, key.lastIndexOf("@"));
}

// Lowercasing can undo the normal form, so the text is normalized again.
function fold(text: string): string {
  return text.normalize("NFKC").toLowerCase().normalize("NFKC");
}

// domainToASCII reads "0x7f.1" as an IPv4 address, for example; the form above refuses what is not a name.
function asciiDomain(text: string): string {
  return /[\s/?#@:\\[\]%]/.test(text) ? "" : domainToASCII(text);
}
