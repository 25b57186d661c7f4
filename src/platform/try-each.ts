/** Maximum number of items that an error message names. */
const maxNamed = 10;

/**
 * Does the work for each item in turn, and goes on after a failure: one bad item must not hold up the others. When any
 * item failed, throws an AggregateError at the end, which names the items and carries their errors, with the first one
 * as its cause.
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
  const names = failures.slice(0, maxNamed).map(({ name }) => name);
  const message = `failed for ${failures.length} of ${items.length}: ${names.join(", ")}${failures.length > maxNamed ? ", …" : ""}`;
  throw new AggregateError(
    failures.map(({ error }) => error),
    message,
    { cause: first.error },
  );
}
