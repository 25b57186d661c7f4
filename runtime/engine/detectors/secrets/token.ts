// Tokens with a form of their own. A literal that every such token has is part of the shared automaton; what stands around it is read
// by an anchored pattern of bounded length, so a near miss costs a bounded number of steps.

import type { Finding, Trigger } from "../../plan.ts";
import { isPlaceholder } from "./placeholder.ts";

/** One published format of credentials that can be told by itself. */
export interface TokenFormat {
  /** Last part of the category: who issues it. */
  readonly name: string;
  /** A part that every token of this format has, exactly. */
  readonly literal: string;
  /** What stands before the literal, as a pattern of a bounded length; absent when the token begins with the literal. */
  readonly before?: string;
  /** What follows the literal, as a pattern of a bounded length. */
  readonly after: string;
  readonly score: number;
  /** Bits of entropy for each character that a token has at least; 3 when absent. */
  readonly entropy?: number;
  /** The score of one token when its inside tells more, and why; 0 refuses it. */
  readonly judge?: (token: string) => TokenVerdict;
  /** Where the provider describes it. */
  readonly reference: string;
}

/** What the inside of a token says. */
export interface TokenVerdict {
  readonly score: number;
  readonly basis: string;
}

const longestBefore = 200;
const wordUnit = /[A-Za-z0-9_]/;

/** Looks around every occurrence of the literal. */
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
  const from = Math.max(0, at - longestBefore);
  const match = before.exec(text.slice(from, at));
  return match === null || !beginsWord(text, from + match.index) ? -1 : from + match.index;
}

// The letter of an escape such as "\n" does not belong to what follows it.
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
