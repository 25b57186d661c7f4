// Work in small steps. A generator yields where it may be interrupted; its caller decides how long it runs at a time.

/** Runs all steps at once. */
export function finish<T>(steps: Generator<void, T>): T {
  let step = steps.next();
  while (step.done !== true) step = steps.next();
  return step.value;
}

/** Items in one step. */
const batchSize = 64;

/** Handles each item, with a yield after each batch: `yield* inBatches(items, each)`. */
export function* inBatches<T>(items: Iterable<T>, each: (item: T) => void): Generator<void, void> {
  let count = 0;
  for (const item of items) {
    each(item);
    if (++count % batchSize === 0) yield;
  }
}
