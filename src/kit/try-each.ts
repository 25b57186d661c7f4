/** Most items that the message of a failure names. */
const namedLimit = 10;

/**
 * Does the work for each item, one after the other, also after one has failed: what is wrong with one of them must not hold up the
 * others. When any failed, throws an AggregateError in the end that names them and has their errors, the first one as its cause.
 */
export async function tryEach<T>(
  items: readonly T[],
  { nameOf, work }: { readonly nameOf: (item: T) => string; readonly work: (item: T) => Promise<void> },
): Promise<void> {
  const failures: { readonly name: string; readonly error: unknown }[] = [];
  for (const item of items) {
    await work(item).catch((error: unknown) => failures.push({ name: nameOf(item), error }));
  }
  const [first] = failures;
  if (first === undefined) return;
  const names = failures.slice(0, namedLimit).map(({ name }) => name);
  const message = `failed for ${failures.length} of ${items.length}: ${names.join(", ")}${failures.length > namedLimit ? ", …" : ""}`;
  throw new AggregateError(
    failures.map(({ error }) => error),
    message,
    { cause: first.error },
  );
}
