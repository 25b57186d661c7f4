// The one cache of what the server said. Nothing is fetched again within 30 seconds unless a call changed it, and old
// data stays while new data loads.

import { MutationCache, QueryCache, QueryClient } from "@tanstack/react-query";
import { failureOf } from "./failure.ts";

const staleMs = 30_000;
const maxRetries = 2;
const retried = new Set(["unreachable", "broken"]);

/** Whoever shows that the session has ended. */
let onSessionEnd: (() => void) | undefined;

/** Says whom to tell that a call found no session. */
export function whenSessionEnds(listener: (() => void) | undefined): void {
  onSessionEnd = listener;
}

function noteFailure(error: unknown): void {
  const { kind } = failureOf(error);
  // The browser signed in again elsewhere: this page shows another session's data.
  if (kind === "session_changed") location.reload();
  else if (kind === "signed_out") onSessionEnd?.();
}

/** The cache of this page. */
export const queryClient: QueryClient = new QueryClient({
  queryCache: new QueryCache({ onError: noteFailure }),
  mutationCache: new MutationCache({ onError: noteFailure }),
  defaultOptions: {
    queries: {
      staleTime: staleMs,
      retry: (count, error) => count < maxRetries && retried.has(failureOf(error).kind),
    },
    mutations: { retry: false },
  },
});
