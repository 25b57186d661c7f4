// The items of a list as somebody types them: one a line.

import { linesOf } from "../../part/form.ts";
import { en } from "../../text/en.ts";
import { beginningOf } from "../../text/format.ts";

const maxItems = 10_000;
const maxItemLength = 1_024;

/** The items of a text, how many lines repeat another, and what the server would refuse. */
export function itemLines(text: string): {
  readonly lines: string[];
  readonly repeated: number;
  readonly fault: string | undefined;
} {
  const lines = linesOf(text);
  const all = text.split("\n").filter((line) => line.trim() !== "").length;
  const long = lines.find((line) => [...line].length > maxItemLength);
  const fault =
    lines.length > maxItems
      ? en.lists.tooMany(lines.length, maxItems)
      : long === undefined
        ? undefined
        : en.lists.tooLong(beginningOf(long, 40), maxItemLength);
  return { lines, repeated: all - lines.length, fault };
}
