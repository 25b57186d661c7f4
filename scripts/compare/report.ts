// What is told at the end: how much was compared, and what differs.

import { type Difference, differences } from "./difference.ts";
import type { Json } from "./json.ts";
import type { Recording } from "./recording.ts";

/** Two recordings of the same things. */
export interface Pair {
  readonly title: string;
  readonly a: Recording;
  readonly b: Recording;
  /** Sections of which B has a part of what A has; only they are compared, and only that part. */
  readonly part?: readonly string[];
}

const maxShown = 20;
const maxLength = 160;

/** Compares the pairs and tells; returns how many records differ. */
export function report(pairs: readonly Pair[], print: (line: string) => void): number {
  let total = 0;
  for (const { title, a, b, part } of pairs) {
    const sections = part ?? [...new Set([...a.sections, ...b.sections])];
    for (const section of sections.toSorted()) {
      const [inA, inB] = [a.entries(section), b.entries(section)];
      const names = part === undefined ? [...new Set([...inA.keys(), ...inB.keys()])] : [...inB.keys()];
      const late = new Set(names.filter((name) => inA.get(name)?.isLate || inB.get(name)?.isLate));
      const unlike = names.filter((name) => !late.has(name) && inA.get(name)?.digest !== inB.get(name)?.digest);
      total += unlike.length;
      // What a policy's time did not suffice for is decided by the machine, not by the version.
      const leftOut = late.size === 0 ? "" : `, ${late.size} left out that ran out of their time`;
      print(`${title}: ${section}: ${names.length - late.size} compared, ${unlike.length} differ${leftOut}`);
      const shown = unlike.slice(0, maxShown);
      const found = differences(a.read(section, shown), b.read(section, shown));
      for (const line of linesOf(found, unlike.length)) print(line);
    }
  }
  return total;
}

/** What differs, a line each, and how many more of `total` there are. */
export function linesOf(found: readonly Difference[], total: number): string[] {
  const shown = found
    .slice(0, maxShown)
    .map(({ name, path, a, b }) => `  ${name}${path === "" ? "" : ` at ${path}`}: A ${short(a)} | B ${short(b)}`);
  return total <= shown.length ? shown : [...shown, `  … and ${total - shown.length} more`];
}

function short(value: Json | undefined): string {
  if (value === undefined) return "nothing";
  const text = JSON.stringify(value);
  return text.length <= maxLength ? text : `${text.slice(0, maxLength)}…`;
}
