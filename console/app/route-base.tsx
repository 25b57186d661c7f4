// The routes that all others hang from.

import { createRootRoute, createRoute, Outlet } from "@tanstack/react-router";
import { Leaving } from "./leaving.tsx";
import { NotFound, PageNotFound } from "./not-found.tsx";
import { OrganizationLayout } from "./organization.tsx";

/** The root of all pages. */
export const rootRoute = createRootRoute({
  component: Root,
  notFoundComponent: NotFound,
});

/** The pages of one organization. */
export const orgRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/o/$org",
  component: OrganizationLayout,
  notFoundComponent: PageNotFound,
});

function Root() {
  return (
    <>
      <Outlet />
      <Leaving />
    </>
  );
}
