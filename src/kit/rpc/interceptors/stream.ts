// Interceptors see the messages of streaming calls one by one; these two functions observe them without disturbing the
// reader.

/** Runs work within a context, such as the trace of a call. */
export type Within = <T>(work: () => T) => T;

/** What to do while a stream is read. */
export interface StreamTap {
  /** The reader got the last message. */
  onEnd?(): void;
  /** The stream failed. The reader gets the error that this returns. */
  onError(error: unknown): unknown;
  /** The reader stopped before the end. */
  onStop?(): void;
  /** The context within which each message is made. */
  readonly within?: Within;
}

/** The same stream, watched. Errors that the reader throws into it pass as they are. */
export function tapStream<T>(stream: AsyncIterable<T>, tap: StreamTap): AsyncIterable<T> {
  const { within = (work) => work() } = tap;
  return {
    [Symbol.asyncIterator]() {
      const inner = stream[Symbol.asyncIterator]();
      return {
        async next() {
          const result = await within(() => inner.next()).catch((error: unknown) => {
            throw tap.onError(error);
          });
          if (result.done) tap.onEnd?.();
          return result;
        },
        async return(value?: unknown) {
          tap.onStop?.();
          return (await inner.return?.(value)) ?? { done: true, value };
        },
        async throw(error?: unknown) {
          tap.onStop?.();
          if (inner.throw === undefined) throw error;
          return inner.throw(error);
        },
      };
    },
  };
}

/** The first message of a stream, and the whole stream still to be read. */
export async function peekStream<T>(
  stream: AsyncIterable<T>,
): Promise<{ first: T | undefined; stream: AsyncIterable<T> }> {
  const iterator = stream[Symbol.asyncIterator]();
  const first = await iterator.next();
  const whole = (async function* () {
    if (first.done) return;
    yield first.value;
    yield* { [Symbol.asyncIterator]: () => iterator };
  })();
  return { first: first.done ? undefined : first.value, stream: whole };
}
