// The routes that all others hang from.

import { createRootRoute, createRoute, Outlet } from "@tanstack/react-router";
import { Empty } from "../part/state.tsx";
import { en } from "../text/en.ts";
import { OrganizationLayout } from "./organization.tsx";

/** The root of all pages. */
export const rootRoute = createRootRoute({
  component: Outlet,
  notFoundComponent: () => <Empty title={en.failure.gone} />,
});

/** The pages of one organization. */
export const orgRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/o/$org",
  component: OrganizationLayout,
});
