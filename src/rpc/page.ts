// Pages of lists: 50 entries unless the request says otherwise.

import type { Page } from "../kit/page.ts";

const defaultLimit = 50;

/** The page that a list request asks for. */
export function pageOf(request: { readonly limit?: number; readonly offset?: number }): Page {
  return { limit: request.limit ?? defaultLimit, offset: request.offset ?? 0 };
}
