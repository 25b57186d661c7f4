// The settings of an organization.

import { createRoute } from "@tanstack/react-router";
import { textsIn } from "../data/search.ts";
import { evidenceSearch } from "../page/evidence/search.ts";
import { lazyPage } from "./missing-file.ts";
import { orgRoute } from "./route-base.tsx";

const getParentRoute = () => orgRoute;

const teamRoute = createRoute({
  getParentRoute,
  path: "/settings/team",
  validateSearch: (search: Record<string, unknown>) => textsIn(search, "q"),
  component: lazyPage(() => import("../page/team/team.tsx"), "TeamPage"),
});

const tokensRoute = createRoute({
  getParentRoute,
  path: "/settings/tokens",
  validateSearch: (search: Record<string, unknown>): { readonly issue?: "runtime"; readonly q?: string } => ({
    ...textsIn(search, "q"),
    ...(search.issue === "runtime" ? { issue: "runtime" } : {}),
  }),
  component: lazyPage(() => import("../page/settings/tokens.tsx"), "TokensPage"),
});

const webhooksRoute = createRoute({
  getParentRoute,
  path: "/settings/webhooks",
  component: lazyPage(() => import("../page/webhook/list.tsx"), "WebhooksPage"),
});

const webhookRoute = createRoute({
  getParentRoute,
  path: "/settings/webhooks/$webhook",
  validateSearch: (search: Record<string, unknown>) => textsIn(search, "state"),
  component: lazyPage(() => import("../page/webhook/webhook.tsx"), "WebhookPage"),
});

const billingRoute = createRoute({
  getParentRoute,
  path: "/settings/billing",
  component: lazyPage(() => import("../page/billing/billing.tsx"), "BillingPage"),
});

const organizationRoute = createRoute({
  getParentRoute,
  path: "/settings",
  validateSearch: (search: Record<string, unknown>) => textsIn(search, "q"),
  component: lazyPage(() => import("../page/settings/organization.tsx"), "OrganizationPage"),
});

const ssoRoute = createRoute({
  getParentRoute,
  path: "/settings/sso",
  component: lazyPage(() => import("../page/identity/sso.tsx"), "SsoSetupPage"),
});

const scimRoute = createRoute({
  getParentRoute,
  path: "/settings/scim",
  component: lazyPage(() => import("../page/identity/scim.tsx"), "ScimPage"),
});

const signingKeysRoute = createRoute({
  getParentRoute,
  path: "/settings/keys",
  component: lazyPage(() => import("../page/settings/signing-keys.tsx"), "SigningKeysPage"),
});

const evidenceRoute = createRoute({
  getParentRoute,
  path: "/settings/evidence",
  validateSearch: evidenceSearch,
  component: lazyPage(() => import("../page/evidence/evidence.tsx"), "EvidencePage"),
});

const evidenceEntryRoute = createRoute({
  getParentRoute,
  path: "/settings/evidence/$seq",
  component: lazyPage(() => import("../page/evidence/entry.tsx"), "EvidenceEntryPage"),
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
