/** Which part of a list to read. */
export interface Page {
  readonly limit: number;
  readonly offset: number;
}

const defaultLimit = 50;

/** The page that a list request asks for: 50 entries unless it says otherwise. */
export function pageOf(request: { readonly limit?: number; readonly offset?: number }): Page {
  return { limit: request.limit ?? defaultLimit, offset: request.offset ?? 0 };
}

/** The entries of the page, taken from a complete list. */
export function entriesOf<T>(all: readonly T[], { limit, offset }: Page): T[] {
  return all.slice(offset, offset + limit);
}
