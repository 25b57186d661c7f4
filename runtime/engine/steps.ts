// Work that can be done a little at a time. A generator yields where it may be interrupted; whoever runs it decides for how long.

/** Does all of it at once. */
export function finish<T>(steps: Generator<void, T>): T {
  let step = steps.next();
  while (step.done !== true) step = steps.next();
  return step.value;
}

/** How many small pieces of work make up one step. */
const bunchSize = 64;

/** The items, with a pause after each bunch: `yield* inBunches(items, each)`. */
export function* inBunches<T>(items: Iterable<T>, each: (item: T) => void): Generator<void, void> {
  let count = 0;
  for (const item of items) {
    each(item);
    if (++count % bunchSize === 0) yield;
  }
}
