// The text that a stream releases, P(text): the redacted text up to the start of the enforced BLOCK match that ends
// first, or all of it when there is none. A redacted value that the block would cut is left out as a whole.

import { Outcome } from "../../../gen/policyguard/policy/v1/outcome_pb.ts";
import { isEnforced, type Match } from "../decide/match.ts";
import { wholeCharacters } from "../text/offset.ts";
import { mergeSpans, type Redactor, type RedactSpan } from "./redact.ts";

/** A blocked span of the text. */
export interface Block {
  readonly start: number;
  readonly end: number;
}

/** The block that ends first; of those that end together, the one that begins first. */
export function firstEnding(blocks: readonly Block[]): Block | undefined {
  return blocks.reduce<Block | undefined>((first, block) => {
    if (first === undefined || block.end < first.end) return block;
    return block.end === first.end && block.start < first.start ? block : first;
  }, undefined);
}

/** Where to cut a text that is released up to a limit: never within a grapheme, nor within a redacted value. */
export function releaseEnd(text: string, merged: readonly RedactSpan[], limit: number): number {
  const whole = wholeCharacters(text, limit, limit).start;
  const cut = merged.find(({ start, end }) => start < whole && whole < end);
  return cut?.start ?? whole;
}

/** P(text). `spans` are those of the text's enforced REDACT matches. */
export function releasedText(
  text: string,
  { matches, spans }: { readonly matches: readonly Match[]; readonly spans: readonly RedactSpan[] },
  redactor: Redactor,
): string {
  const block = firstEnding(matches.filter((match) => isEnforced(match) && match.rule.action === Outcome.BLOCK));
  const merged = mergeSpans(text, spans);
  if (block === undefined) return redactor.rewrite(text, merged);
  const end = releaseEnd(text, merged, block.start);
  return redactor.rewrite(
    text.slice(0, end),
    merged.filter((span) => span.end <= end),
  );
}
