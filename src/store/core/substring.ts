// Conditions of lists that are searched by a text: a column contains it, in upper or lower case.

/** The condition of MikroORM that one of the columns contains the text. Without a text everything matches. */
export function containsIn<const Column extends string>(text: string | undefined, ...columns: readonly Column[]) {
  if (text === undefined) return {};
  const condition = { $ilike: patternOf(text) };
  // A computed name makes a record of any names.
  return {
    $or: columns.map((column) => ({ [column]: condition }) as { readonly [name in Column]?: typeof condition }),
  };
}

/** The pattern of ILIKE for a text anywhere, in which the signs of patterns stand for themselves. */
export function patternOf(text: string): string {
  return `%${text.replace(/[\\%_]/g, "\\$&")}%`;
}
