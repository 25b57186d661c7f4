/**
 * The next message of a stream; undefined once the signal is aborted. Not a race with a promise that outlives it: such
 * a promise keeps, for as long as it is pending, all that it was ever raced with, and so every message of the stream.
 */
export async function nextMessage<T>(
  messages: AsyncIterator<T>,
  stopping: AbortSignal,
): Promise<IteratorResult<T> | undefined> {
  if (stopping.aborted) return undefined;
  const next = Promise.withResolvers<IteratorResult<T> | undefined>();
  const stop = () => next.resolve(undefined);
  stopping.addEventListener("abort", stop, { once: true });
  messages.next().then(next.resolve, next.reject);
  try {
    return await next.promise;
  } finally {
    stopping.removeEventListener("abort", stop);
  }
}
