// The settings of an organization.

import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { orgRoute } from "./route-base.tsx";

const getParentRoute = () => orgRoute;

const teamRoute = createRoute({
  getParentRoute,
  path: "/settings/team",
  component: lazyRouteComponent(() => import("../page/team/team.tsx"), "TeamPage"),
});

const tokensRoute = createRoute({
  getParentRoute,
  path: "/settings/tokens",
  component: lazyRouteComponent(() => import("../page/settings/tokens.tsx"), "TokensPage"),
});

/** The pages of this group. */
export const settingsRoutes = [teamRoute, tokensRoute] as const;
