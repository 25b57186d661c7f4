// What a router finds for a request.

import type { RestRequest, RestResponse } from "../http/http.ts";
import type { Route } from "./route.ts";

/** One request on its way. */
export interface Exchange {
  readonly request: RestRequest;
  readonly response: RestResponse;
  readonly params: Readonly<Record<string, string | undefined>>;
  /** Whether a segment of the path cannot be decoded; such segments are in `params` as they stand. */
  readonly isPathMalformed: boolean;
  readonly query: string;
  readonly requestId: string;
  /** Aborted when the caller is gone. */
  readonly signal: AbortSignal;
}

/** Something that a path and verb lead to. */
export interface Entry {
  readonly route: Pick<Route, "verb" | "path">;
  /** Answers the request, or throws before anything was sent. */
  serve(exchange: Exchange): Promise<void>;
}
