// The settings of an organization.

import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { textsIn } from "../data/search.ts";
import { evidenceSearch } from "../page/evidence/search.ts";
import { orgRoute } from "./route-base.tsx";

const getParentRoute = () => orgRoute;

const teamRoute = createRoute({
  getParentRoute,
  path: "/settings/team",
  validateSearch: (search: Record<string, unknown>) => textsIn(search, "q"),
  component: lazyRouteComponent(() => import("../page/team/team.tsx"), "TeamPage"),
});

const tokensRoute = createRoute({
  getParentRoute,
  path: "/settings/tokens",
  validateSearch: (search: Record<string, unknown>): { readonly issue?: "runtime"; readonly q?: string } => ({
    ...textsIn(search, "q"),
    ...(search.issue === "runtime" ? { issue: "runtime" } : {}),
  }),
  component: lazyRouteComponent(() => import("../page/settings/tokens.tsx"), "TokensPage"),
});

const webhooksRoute = createRoute({
  getParentRoute,
  path: "/settings/webhooks",
  component: lazyRouteComponent(() => import("../page/webhook/list.tsx"), "WebhooksPage"),
});

const webhookRoute = createRoute({
  getParentRoute,
  path: "/settings/webhooks/$webhook",
  validateSearch: (search: Record<string, unknown>) => textsIn(search, "state"),
  component: lazyRouteComponent(() => import("../page/webhook/webhook.tsx"), "WebhookPage"),
});

const billingRoute = createRoute({
  getParentRoute,
  path: "/settings/billing",
  component: lazyRouteComponent(() => import("../page/billing/billing.tsx"), "BillingPage"),
});

const organizationRoute = createRoute({
  getParentRoute,
  path: "/settings",
  validateSearch: (search: Record<string, unknown>) => textsIn(search, "q"),
  component: lazyRouteComponent(() => import("../page/settings/organization.tsx"), "OrganizationPage"),
});

const ssoRoute = createRoute({
  getParentRoute,
  path: "/settings/sso",
  component: lazyRouteComponent(() => import("../page/identity/sso.tsx"), "SsoSetupPage"),
});

const scimRoute = createRoute({
  getParentRoute,
  path: "/settings/scim",
  component: lazyRouteComponent(() => import("../page/identity/scim.tsx"), "ScimPage"),
});

const signingKeysRoute = createRoute({
  getParentRoute,
  path: "/settings/keys",
  component: lazyRouteComponent(() => import("../page/settings/signing-keys.tsx"), "SigningKeysPage"),
});

const evidenceRoute = createRoute({
  getParentRoute,
  path: "/settings/evidence",
  validateSearch: evidenceSearch,
  component: lazyRouteComponent(() => import("../page/evidence/evidence.tsx"), "EvidencePage"),
});

const evidenceEntryRoute = createRoute({
  getParentRoute,
  path: "/settings/evidence/$seq",
  component: lazyRouteComponent(() => import("../page/evidence/entry.tsx"), "EvidenceEntryPage"),
});

/** The pages of this group. */
export const settingsRoutes = [
  teamRoute,
  tokensRoute,
  webhooksRoute,
  webhookRoute,
  billingRoute,
  organizationRoute,
  ssoRoute,
  scimRoute,
  signingKeysRoute,
  evidenceRoute,
  evidenceEntryRoute,
] as const;
