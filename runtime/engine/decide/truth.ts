// Three-valued truth, after Kleene's strong logic. An evaluation knows everything, so its truths are booleans: its type
// of doubt is `never`. A replay without the text may have doubts, and each says what is not known.

/** A truth that is not known. Two doubts about one answer become one. */
export interface Joinable<D> {
  readonly with: (other: D) => D;
}

/** True, false, or a doubt. */
export type Truth<D extends Joinable<D>> = boolean | D;

/** True when both are; false as soon as one is. */
export function and<D extends Joinable<D>>(a: Truth<D>, b: Truth<D>): Truth<D> {
  if (a === false || b === false) return false;
  if (a === true) return b;
  return b === true ? a : a.with(b);
}

/** True as soon as one is; false when both are. */
export function or<D extends Joinable<D>>(a: Truth<D>, b: Truth<D>): Truth<D> {
  if (a === true || b === true) return true;
  if (a === false) return b;
  return b === false ? a : a.with(b);
}

/** The opposite; that of a doubt is the same doubt. */
export function not<D extends Joinable<D>>(truth: Truth<D>): Truth<D> {
  return typeof truth === "boolean" ? !truth : truth;
}
