// Works on several messages of a stream at a time, and gives the results in the order of the messages.

/**
 * Does the work of each message and gives the results in order. Reads at most `maxAhead` messages ahead of the oldest
 * result.
 */
export async function* inOrder<T, U>(
  messages: AsyncIterable<T>,
  work: (message: T) => U | Promise<U>,
  maxAhead: number,
): AsyncGenerator<U> {
  const iterator = messages[Symbol.asyncIterator]();
  const results: Promise<Step<U>>[] = [];
  let coming: Promise<Step<U>> | undefined;
  const read = () =>
    iterator.next().then(
      ({ done, value }): Step<U> => {
        coming = undefined;
        if (done === true) return { kind: "end" };
        results.push(stepOf(work, value));
        return { kind: "read" };
      },
      // Earlier messages are answered first.
      (error: unknown): Step<U> => {
        coming = undefined;
        results.push(Promise.resolve({ kind: "failed", error }));
        return { kind: "end" };
      },
    );
  let isEnded = false;
  try {
    while (!isEnded || results.length > 0) {
      if (!isEnded && results.length < maxAhead) coming ??= read();
      const [oldest] = results;
      const step = await Promise.race([oldest, coming].filter((promise) => promise !== undefined));
      if (step.kind === "end") isEnded = true;
      if (step.kind === "failed") throw step.error;
      if (step.kind !== "done") continue;
      results.shift();
      yield step.result;
    }
  } finally {
    // A source that waits for its caller may never answer, so nothing waits for it.
    void iterator.return?.()?.then(undefined, () => undefined);
  }
}

type Step<U> =
  | { readonly kind: "read" | "end" }
  | { readonly kind: "done"; readonly result: U }
  | { readonly kind: "failed"; readonly error: unknown };

async function stepOf<T, U>(work: (message: T) => U | Promise<U>, message: T): Promise<Step<U>> {
  try {
    return { kind: "done", result: await work(message) };
  } catch (error) {
    return { kind: "failed", error };
  }
}
