// The one cache of what the server said. Nothing is fetched again within 30 seconds unless a call changed it, and old
// data stays while new data loads.

import { QueryClient } from "@tanstack/react-query";
import { failureOf } from "./failure.ts";

const staleMs = 30_000;
const maxRetries = 2;
const retried = new Set(["unreachable", "broken"]);

/** The cache of this page. */
export const queryClient: QueryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: staleMs,
      retry: (count, error) => count < maxRetries && retried.has(failureOf(error).kind),
    },
    mutations: { retry: false },
  },
});
