// Which project and environment an address looks at, and which pages they narrow.

import { type AnyRouteMatch, useRouter, useRouterState } from "@tanstack/react-router";
import { textsIn } from "../data/search.ts";

/** A project by its id and an environment by its name; absent parts stand for all. */
export interface LookedAt {
  readonly project?: string;
  readonly environment?: string;
}

/** How a page is narrowed: by nothing, by one that may be chosen, or always by one. */
interface Narrowing {
  readonly project: "may" | "always";
  readonly environment?: "may" | "always";
}

const narrowings: Readonly<Record<string, Narrowing>> = {
  "/o/$org/playground": { project: "always", environment: "always" },
  "/o/$org/languages": { project: "may", environment: "may" },
  "/o/$org/environments": { project: "always" },
  "/o/$org/fleet": { project: "always", environment: "may" },
  "/o/$org/agents": { project: "always" },
  "/o/$org/traces": { project: "may", environment: "may" },
  "/o/$org/review": { project: "may", environment: "may" },
  "/o/$org/analytics": { project: "may", environment: "may" },
};

/** How the page of this route is narrowed; undefined for one that is not. */
export function narrowingOf(route: string): Narrowing | undefined {
  return narrowings[route];
}

/** The part of what is looked at that narrows the page of a route, as its search parameters. */
export function narrowed(route: string, { project, environment }: LookedAt): LookedAt {
  const by = narrowings[route];
  return {
    ...(by === undefined || project === undefined ? {} : { project }),
    ...(by?.environment === undefined || environment === undefined ? {} : { environment }),
  };
}

/**
 * What the page of the address looks at, by its path or its search parameters, and the route of the page. The address
 * is ahead of the page while that one loads: whoever chooses meanwhile goes on from there.
 */
export function useLookedAt(): LookedAt & { readonly route: string } {
  const router = useRouter();
  return useRouterState({
    select: ({ location }) => {
      const match: AnyRouteMatch | undefined = router.matchRoutes(location).at(-1);
      const params: Readonly<Record<string, string>> = match?.params ?? {};
      const search: Readonly<Record<string, unknown>> = match?.search ?? {};
      const place = textsIn(
        { ...search, ...params, environment: params.env ?? search.environment },
        "project",
        "environment",
      );
      const route: string = match?.fullPath ?? "";
      return { ...place, route: route.replace(/(.)\/$/, "$1") };
    },
    structuralSharing: true,
  });
}
