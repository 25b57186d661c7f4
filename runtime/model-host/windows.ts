// From a text to the windows of tokens that a model reads. A model sees at most `max_tokens` at once, so a longer text
// is read in windows that overlap. The beginning and the end are always among them: that is where attacks stand.

import type { Tokenizer } from "./addon.ts";
import { LoadFailure } from "./load-failure.ts";
import type { ModelSettings } from "./settings.ts";

/** Max code units of a text that are read: half from its beginning and half from its end. */
export const maxTextUnits = 32 * 1024;
/**
 * A run without a space is tokenized in pieces of this size: tokenizers take quadratic time in the length of a word, and
 * a hostile text may be one word.
 */
const wordUnits = 2_048;

/** The tokens that a tokenizer puts before and after a text. */
export interface SpecialTokens {
  readonly before: readonly number[];
  readonly after: readonly number[];
}

/** A text as a model reads it. */
export interface Windows {
  /** Tokens of each window, special ones included. */
  readonly windows: readonly (readonly number[])[];
  /** Whether some of the text is in no window. */
  readonly isCut: boolean;
}

/** The special tokens of a tokenizer, which it shows by what it adds to a text. */
export function specialTokensOf(tokenizer: Tokenizer): SpecialTokens {
  const text = "a";
  const inner = tokenizer.encode(text, { add_special_tokens: false }).ids;
  const whole = tokenizer.encode(text, { add_special_tokens: true }).ids;
  for (let at = 0; at + inner.length <= whole.length; at++) {
    if (inner.every((id, index) => whole[at + index] === id))
      return { before: whole.slice(0, at), after: whole.slice(at + inner.length) };
  }
  throw new LoadFailure("tokenizer_invalid", "tokenizer.json: its special tokens do not enclose a text");
}

/** The windows of a text. */
export function windowsOf(
  text: string,
  tokenizer: Tokenizer,
  { before, after }: SpecialTokens,
  { maxTokens, stride, maxWindows }: Pick<ModelSettings, "maxTokens" | "stride" | "maxWindows">,
): Windows {
  const parts = partsOf(text);
  const tokens = parts.flatMap((part) => [...tokenizer.encode(part, { add_special_tokens: false }).ids]);
  const room = maxTokens - before.length - after.length;
  const starts = startsOf(tokens.length, { room, stride });
  const chosen = spread(starts, maxWindows);
  return {
    windows: chosen.map((start) => [...before, ...tokens.slice(start, start + room), ...after]),
    isCut: text.length > maxTextUnits || chosen.length < starts.length,
  };
}

/** The parts of a text that are tokenized one by one. An ordinary text is one part. */
function partsOf(text: string): string[] {
  const half = maxTextUnits / 2;
  const read =
    text.length <= maxTextUnits ? [text] : [text.slice(0, half).toWellFormed(), text.slice(-half).toWellFormed()];
  return read.flatMap((each) => {
    const parts: string[] = [];
    let from = 0;
    for (const { index, 0: word } of each.matchAll(new RegExp(`\\S{${wordUnits},}`, "g"))) {
      for (let at = index + wordUnits; at < index + word.length; at += wordUnits) {
        parts.push(each.slice(from, at));
        from = at;
      }
    }
    return [...parts, each.slice(from)];
  });
}

/** Where windows begin. The last one ends with the text. */
function startsOf(count: number, { room, stride }: { readonly room: number; readonly stride: number }): number[] {
  if (count <= room) return [0];
  const starts: number[] = [];
  for (let start = 0; start + room < count; start += room - stride) starts.push(start);
  return [...starts, count - room];
}

/** At most this many of the entries, evenly, the first and the last among them. */
function spread(starts: readonly number[], max: number): number[] {
  if (starts.length <= max) return [...starts];
  if (max === 1) return starts.slice(0, 1);
  const step = (starts.length - 1) / (max - 1);
  return Array.from({ length: max }, (_, index) => starts[Math.round(index * step)] ?? 0);
}
