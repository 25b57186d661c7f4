// The pages that the navigation, the keys and the palette lead to, in the order in which the navigation shows them.

import { en } from "../text/en.ts";

const { nav } = en;

/** The groups of the navigation. A page that `needs` a method is absent for those who may not call it. */
export const pageGroups = [
  { title: undefined, pages: [{ to: "/o/$org", title: nav.home, key: "h", needs: undefined }] },
  {
    title: nav.build,
    pages: [
      { to: "/o/$org/policies", title: nav.policies, key: "p", needs: undefined },
      {
        to: "/o/$org/playground",
        title: nav.playground,
        key: undefined,
        needs: "PolicyService/ExplainPolicies",
      },
      { to: "/o/$org/packs", title: nav.packs, key: undefined, needs: undefined },
      { to: "/o/$org/detectors", title: nav.detectors, key: undefined, needs: undefined },
      { to: "/o/$org/lists", title: nav.lists, key: undefined, needs: undefined },
      { to: "/o/$org/schemas", title: nav.schemas, key: undefined, needs: undefined },
      { to: "/o/$org/languages", title: nav.languages, key: undefined, needs: undefined },
    ],
  },
  {
    title: nav.ship,
    pages: [
      { to: "/o/$org/environments", title: nav.environments, key: "e", needs: undefined },
      { to: "/o/$org/fleet", title: nav.fleet, key: "f", needs: undefined },
      { to: "/o/$org/agents", title: nav.agents, key: undefined, needs: undefined },
    ],
  },
  {
    title: nav.watch,
    pages: [
      { to: "/o/$org/traces", title: nav.traces, key: "t", needs: undefined },
      {
        to: "/o/$org/review",
        title: nav.review,
        key: undefined,
        needs: "AnnotationService/LeaseAnnotationQueue",
      },
      { to: "/o/$org/replays", title: nav.replays, key: undefined, needs: undefined },
      { to: "/o/$org/analytics", title: nav.analytics, key: "a", needs: undefined },
      { to: "/o/$org/alerts", title: nav.alerts, key: undefined, needs: undefined },
    ],
  },
  {
    title: nav.measure,
    pages: [
      { to: "/o/$org/datasets", title: nav.datasets, key: "d", needs: undefined },
      { to: "/o/$org/benchmarks", title: nav.benchmarks, key: "b", needs: undefined },
      { to: "/o/$org/calibrations", title: nav.calibrations, key: undefined, needs: undefined },
    ],
  },
  {
    title: nav.settings,
    pages: [
      { to: "/o/$org/settings", title: nav.organizationPage, key: "s", needs: undefined },
      { to: "/o/$org/settings/team", title: nav.team, key: undefined, needs: undefined },
      { to: "/o/$org/settings/tokens", title: nav.tokens, key: undefined, needs: "TokenService/ListTokens" },
      {
        to: "/o/$org/settings/keys",
        title: nav.signingKeys,
        key: undefined,
        needs: "SigningKeyService/ListManagedKeys",
      },
      { to: "/o/$org/settings/webhooks", title: nav.webhooks, key: undefined, needs: "WebhookService/ListWebhooks" },
      { to: "/o/$org/settings/sso", title: nav.sso, key: undefined, needs: "SsoService/GetSso" },
      { to: "/o/$org/settings/scim", title: nav.scim, key: undefined, needs: "ScimService/GetScimToken" },
      { to: "/o/$org/settings/evidence", title: nav.evidence, key: undefined, needs: undefined },
      { to: "/o/$org/settings/billing", title: nav.billing, key: undefined, needs: "BillingService/GetSummary" },
    ],
  },
] as const;

/** A page of the navigation. */
export type NavigationPage = (typeof pageGroups)[number]["pages"][number];

/** All of them. */
export const navigationPages: readonly NavigationPage[] = pageGroups.flatMap<NavigationPage>(({ pages }) => [...pages]);
