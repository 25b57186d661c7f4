// Tokens with a form of their own. A literal that every such token contains is part of the shared automaton; an
// anchored pattern of bounded length reads the text around it, so a near miss costs a bounded number of steps.

import type { Trigger } from "../detector-plan.ts";
import type { Finding } from "../finding.ts";
import { isPlaceholder } from "./placeholder.ts";

/** One published format of credentials that are recognised without context. */
export interface TokenFormat {
  /** Last part of the category: the issuer. */
  readonly name: string;
  /** A literal that every token of this format contains. */
  readonly literal: string;
  /** The text before the literal, as a pattern of bounded length; absent when the token begins with the literal. */
  readonly before?: string;
  /** The text after the literal, as a pattern of bounded length. */
  readonly after: string;
  readonly score: number;
  /** Minimum bits of entropy per character of a token; 3 when absent. */
  readonly entropy?: number;
  /** The score of a token by its content, and the reason; 0 rejects it. */
  readonly judge?: (token: string) => TokenVerdict;
  /** Where the provider describes it. */
  readonly reference: string;
}

/** The verdict on the content of a token. */
export interface TokenVerdict {
  readonly score: number;
  readonly basis: string;
}

const maxBeforeLength = 200;
const wordUnit = /[A-Za-z0-9_]/;

/** Examines the text around every occurrence of the literal. */
export function tokenTrigger(format: TokenFormat): Trigger {
  const { literal } = format;
  const after = new RegExp(`(?:${format.after})(?![A-Za-z0-9_])`, "y");
  const before = format.before === undefined ? undefined : new RegExp(`(?:${format.before})$`);
  return {
    literal,
    locate: (text, end) => {
      const at = end - literal.length;
      if (!text.startsWith(literal, at) || (before === undefined && !beginsWord(text, at))) return undefined;
      after.lastIndex = end;
      const rest = after.exec(text);
      if (rest === null) return undefined;
      const start = before === undefined ? at : startBefore(before, text, at);
      return start < 0 ? undefined : findingOf(format, text, start, end + rest[0].length);
    },
  };
}

function startBefore(before: RegExp, text: string, at: number): number {
  const from = Math.max(0, at - maxBeforeLength);
  const match = before.exec(text.slice(from, at));
  return match === null || !beginsWord(text, from + match.index) ? -1 : from + match.index;
}

// The letter of an escape such as "\n" does not belong to the text after it.
function beginsWord(text: string, start: number): boolean {
  if (!wordUnit.test(text[start] ?? "") || !wordUnit.test(text[start - 1] ?? "")) return true;
  return /[ntr]/.test(text[start - 1] ?? "") && text[start - 2] === "\\";
}

function findingOf(format: TokenFormat, text: string, start: number, end: number): Finding | undefined {
  const token = text.slice(start, end);
  if (isPlaceholder(token, format.entropy)) return undefined;
  const { score, basis } = format.judge?.(token) ?? { score: format.score, basis: "published form" };
  if (score <= 0) return undefined;
  return { category: `secrets.${format.name}`, start, end, score, attributes: { provider: format.name, basis } };
}
