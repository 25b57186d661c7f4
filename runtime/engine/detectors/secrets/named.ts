// Credentials without a form of their own: random characters of a known alphabet and length, recognised by the name of
// their provider before them.

import type { Trigger } from "../detector-plan.ts";
import type { Finding } from "../finding.ts";
import { assignmentAt } from "./assignment.ts";
import { isPlaceholder } from "./placeholder.ts";

/** One published format of credentials that needs its provider's name. */
export interface NamedFormat {
  /** Last part of the category: the issuer. */
  readonly name: string;
  /** Names of the provider in text before the value, in lower case. */
  readonly keywords: readonly string[];
  /** The value as a pattern of bounded length, in any case. */
  readonly value: string;
  /** Minimum bits of entropy per character of a value; 3 when absent. */
  readonly entropy?: number;
  /** Where the provider describes it. */
  readonly reference: string;
}

const credentialWord =
  /key|token|secret|passw|pwd|credential|auth|access|api|client|bearer|login|license|sid|signing|webhook|clé|schlüssel|clave|chiave|\bid\b/i;
const maxContextLength = 24;

/** Examines the text after every name of a provider. */
export function namedTriggers(formats: readonly NamedFormat[]): Trigger[] {
  const byKeyword = new Map<string, CompiledFormat[]>();
  for (const format of formats) {
    const compiled = { ...format, pattern: new RegExp(`(?:${format.value})(?![A-Za-z0-9_=/+-])`, "iy") };
    for (const keyword of format.keywords) byKeyword.set(keyword, [...(byKeyword.get(keyword) ?? []), compiled]);
  }
  return [...byKeyword].map(([literal, own]) => ({
    literal,
    locate: (text, end) => locate(text, end - literal.length, end, own),
  }));
}

interface CompiledFormat extends NamedFormat {
  readonly pattern: RegExp;
}

function locate(
  text: string,
  nameStart: number,
  nameEnd: number,
  formats: readonly CompiledFormat[],
): Finding | undefined {
  // "meraki" within "CameraKit" is not a name: a name does not begin in lower case and continue with capitals.
  if (/^[a-z][a-z_-]*[A-Z]/.test(text.slice(nameStart, nameEnd))) return undefined;
  const assignment = assignmentAt(text, nameEnd);
  if (assignment === undefined) return undefined;
  const name = text.slice(Math.max(0, nameStart - maxContextLength), nameEnd) + assignment.name;
  const isCredential = credentialWord.test(name);
  for (const format of formats) {
    format.pattern.lastIndex = assignment.start;
    const value = format.pattern.exec(text)?.[0];
    if (value === undefined || isPlaceholder(value, format.entropy) || !isMixed(value)) continue;
    const end = assignment.start + value.length;
    const basis = isCredential ? "provider, word for a credential and form" : "provider and form";
    const score = isCredential ? 0.9 : assignment.prose ? 0.4 : 0.6;
    const attributes = { provider: format.name, basis };
    return { category: `secrets.${format.name}`, start: assignment.start, end, score, attributes };
  }
  return undefined;
}

// Letters and digits, as in random text; words have no digits.
function isMixed(value: string): boolean {
  if (/^[a-f0-9]{8}:[a-f0-9]{8}$/i.test(value)) return true;
  return /\d/.test(value) && (/[A-Za-z]/.test(value) || /^\d+$/.test(value));
}
