// Walks over text by collapsed units: a run of white space counts as one unit, as in elastic patterns, and for
// `gateBack` a run of "s" too, as in the automaton. Example: two units before the end of "a b" is offset 1, where the
// white space begins.

import { automatonFold, isRunUnit, isSpaceUnit } from "../text/fold.ts";

/** The offset that is `units` collapsed units before another; 0 when there are fewer. */
export function collapsedBack(text: string, from: number, units: number): number {
  let at = from;
  for (let left = units; left > 0 && at > 0; left--) {
    at--;
    if (isSpaceUnit(text.charCodeAt(at))) while (at > 0 && isSpaceUnit(text.charCodeAt(at - 1))) at--;
  }
  return at;
}

/** The offset that is `symbols` symbols of the automaton before another; 0 when there are fewer. */
export function gateBack(text: string, from: number, symbols: number): number {
  let at = from;
  for (let left = symbols; left > 0 && at > 0; left--) {
    const unit = text.charCodeAt(--at);
    if (!isRunUnit(unit)) continue;
    const symbol = automatonFold(unit);
    while (at > 0 && automatonFold(text.charCodeAt(at - 1)) === symbol) at--;
  }
  return at;
}

/** The offset that is `units` collapsed units after another; undefined when the text ends before that is certain. */
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
