// The routes. Each page is a chunk of its own.

import { createRoute, createRouter } from "@tanstack/react-router";
import { versionsIn } from "../data/search.ts";
import { policySearch } from "../page/policy/search.ts";
import { traceSearch } from "../page/trace/search.ts";
import { entryRoutes } from "./entry-routes.ts";
import { FirstOrganization } from "./first-organization.tsx";
import { libraryRoutes } from "./library-routes.ts";
import { lazyPage } from "./missing-file.ts";
import { PageError } from "./page-error.tsx";
import { orgRoute, rootRoute } from "./route-base.tsx";
import { settingsRoutes } from "./settings-routes.ts";
import { shipRoutes } from "./ship-routes.ts";

const indexRoute = createRoute({ getParentRoute: () => rootRoute, path: "/", component: FirstOrganization });

const homeRoute = createRoute({
  getParentRoute: () => orgRoute,
  path: "/",
  component: lazyPage(() => import("../page/home/home.tsx"), "HomePage"),
});

const policiesRoute = createRoute({
  getParentRoute: () => orgRoute,
  path: "/policies",
  validateSearch: policySearch,
  component: lazyPage(() => import("../page/policy/list.tsx"), "PolicyListPage"),
});

const newPolicyRoute = createRoute({
  getParentRoute: () => orgRoute,
  path: "/policies/new",
  component: lazyPage(() => import("../page/policy/create.tsx"), "NewPolicyPage"),
});

const policyRoute = createRoute({
  getParentRoute: () => orgRoute,
  path: "/policies/$policy",
  component: lazyPage(() => import("../page/policy/edit.tsx"), "PolicyPage"),
});

const versionsRoute = createRoute({
  getParentRoute: () => orgRoute,
  path: "/policies/$policy/versions",
  validateSearch: (search: Record<string, unknown>): { from?: number; to?: number | "draft" } => ({
    ...versionsIn(search, "from"),
    ...(search.to === "draft" ? { to: "draft" } : versionsIn(search, "to")),
  }),
  component: lazyPage(() => import("../page/policy/versions.tsx"), "PolicyVersionsPage"),
});

const tracesRoute = createRoute({
  getParentRoute: () => orgRoute,
  path: "/traces",
  validateSearch: traceSearch,
  component: lazyPage(() => import("../page/trace/list.tsx"), "TracesPage"),
});

const routes = rootRoute.addChildren([
  ...entryRoutes,
  indexRoute,
  orgRoute.addChildren([
    homeRoute,
    policiesRoute,
    newPolicyRoute,
    policyRoute,
    versionsRoute,
    ...libraryRoutes,
    ...shipRoutes,
    tracesRoute,
    ...settingsRoutes,
  ]),
]);

/** The router of the console. */
export const router = createRouter({
  routeTree: routes,
  defaultPreload: "intent",
  defaultErrorComponent: PageError,
  // Otherwise pages are handed what their route has dropped from the address, too.
  search: { strict: true },
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
