/** Which part of a list to read. */
export interface Page {
  readonly limit: number;
  readonly offset: number;
}

/** Which part of the entries that contain a text; of all of them without it. */
export interface SearchedPage extends Page {
  readonly query?: string | undefined;
}

const defaultLimit = 50;

/** The page that a list request asks for: 50 entries unless it says otherwise. */
export function pageOf(request: { readonly limit?: number; readonly offset?: number }): Page {
  return { limit: request.limit ?? defaultLimit, offset: request.offset ?? 0 };
}

/** The part that a request asks for, and the text that the entries contain. An empty text is in all of them. */
export function searchOf(request: { readonly query?: string }): { readonly query: string | undefined } {
  return { query: request.query || undefined };
}

/** The entries of the page, taken from a complete list. */
export function entriesOf<T>(all: readonly T[], { limit, offset }: Page): T[] {
  return all.slice(offset, offset + limit);
}
