// Whether what is read at the moment may be some seconds old, as the call's method says. The store asks; who lies
// between needs to know nothing of it.

import { AsyncLocalStorage } from "node:async_hooks";

const reads = new AsyncLocalStorage<boolean>();

/** Whether reads may lag here. */
export function mayLag(): boolean {
  return reads.getStore() === true;
}

/** Lets what this work reads lag. */
export function lagging<T>(work: () => T): T {
  return reads.run(true, work);
}

/** The same for each step of an answer that comes in pieces: a generator runs where it is asked. */
export async function* laggingEach<T>(pieces: AsyncIterable<T>): AsyncGenerator<T> {
  const iterator = pieces[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await lagging(() => iterator.next());
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    await iterator.return?.();
  }
}
