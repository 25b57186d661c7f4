// Walks back over text in which every run of white space counts as one unit, as the automaton and elastic patterns count.

import { isSpaceUnit } from "../fold.ts";

/** The offset so many collapsed units before another; 0 when there are not so many. */
export function collapsedBack(text: string, from: number, units: number): number {
  let at = from;
  for (let left = units; left > 0 && at > 0; left--) {
    at--;
    if (isSpaceUnit(text.charCodeAt(at))) while (at > 0 && isSpaceUnit(text.charCodeAt(at - 1))) at--;
  }
  return at;
}

/** The offset so many collapsed units behind another; undefined when the text ends before it is certain. */
export function collapsedForth(text: string, from: number, units: number): number | undefined {
  const { length } = text;
  let at = from;
  if (at > 0 && isSpaceUnit(text.charCodeAt(at - 1))) while (at < length && isSpaceUnit(text.charCodeAt(at))) at++;
  for (let left = units; left > 0 && at < length; left--) {
    at++;
    if (isSpaceUnit(text.charCodeAt(at - 1))) while (at < length && isSpaceUnit(text.charCodeAt(at))) at++;
  }
  return at < length ? at : undefined;
}
