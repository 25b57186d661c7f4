// The pages that the navigation, the keys and the palette lead to, in the order in which the navigation shows them.

import { en } from "../text/en.ts";

const { nav } = en;

/**
 * The groups of the navigation. A page that `needs` a method is absent for those who may not call it, and `role` is the
 * least one that may; `go` is the command that leads to a page.
 */
export const pageGroups = [
  { title: undefined, pages: [{ to: "/o/$org", title: nav.home, go: "goHome", needs: undefined }] },
  {
    title: nav.build,
    pages: [
      { to: "/o/$org/policies", title: nav.policies, go: "goPolicies", needs: undefined },
      {
        to: "/o/$org/playground",
        title: nav.playground,
        go: undefined,
        needs: "PolicyService/ExplainPolicies",
        role: "editor",
      },
      { to: "/o/$org/packs", title: nav.packs, go: undefined, needs: undefined },
      { to: "/o/$org/detectors", title: nav.detectors, go: undefined, needs: undefined },
      { to: "/o/$org/lists", title: nav.lists, go: undefined, needs: undefined },
      { to: "/o/$org/schemas", title: nav.schemas, go: undefined, needs: undefined },
      { to: "/o/$org/languages", title: nav.languages, go: undefined, needs: undefined },
    ],
  },
  {
    title: nav.ship,
    pages: [
      { to: "/o/$org/environments", title: nav.environments, go: "goEnvironments", needs: undefined },
      { to: "/o/$org/fleet", title: nav.fleet, go: "goFleet", needs: undefined },
      { to: "/o/$org/agents", title: nav.agents, go: undefined, needs: undefined },
    ],
  },
  {
    title: nav.watch,
    pages: [
      { to: "/o/$org/traces", title: nav.traces, go: "goTraces", needs: undefined },
      {
        to: "/o/$org/review",
        title: nav.review,
        go: undefined,
        needs: "AnnotationService/LeaseAnnotationQueue",
        role: "editor",
      },
      { to: "/o/$org/replays", title: nav.replays, go: undefined, needs: undefined },
      { to: "/o/$org/analytics", title: nav.analytics, go: "goAnalytics", needs: undefined },
      { to: "/o/$org/alerts", title: nav.alerts, go: undefined, needs: undefined },
    ],
  },
  {
    title: nav.measure,
    pages: [
      { to: "/o/$org/datasets", title: nav.datasets, go: "goDatasets", needs: undefined },
      { to: "/o/$org/benchmarks", title: nav.benchmarks, go: "goBenchmarks", needs: undefined },
      { to: "/o/$org/calibrations", title: nav.calibrations, go: undefined, needs: undefined },
    ],
  },
  {
    title: nav.settings,
    pages: [
      { to: "/o/$org/settings", title: nav.organizationPage, go: "goOrganization", needs: undefined },
      { to: "/o/$org/settings/team", title: nav.team, go: undefined, needs: undefined },
      {
        to: "/o/$org/settings/tokens",
        title: nav.tokens,
        go: undefined,
        needs: "TokenService/ListTokens",
        role: "admin",
      },
      {
        to: "/o/$org/settings/keys",
        title: nav.signingKeys,
        go: undefined,
        needs: "SigningKeyService/ListManagedKeys",
        role: "admin",
      },
      { to: "/o/$org/settings/webhooks", title: nav.webhooks, go: undefined, needs: undefined },
      { to: "/o/$org/settings/sso", title: nav.sso, go: undefined, needs: "SsoService/GetSso", role: "admin" },
      {
        to: "/o/$org/settings/scim",
        title: nav.scim,
        go: undefined,
        needs: "ScimService/GetScimToken",
        role: "admin",
      },
      { to: "/o/$org/settings/evidence", title: nav.evidence, go: undefined, needs: undefined },
      {
        to: "/o/$org/settings/billing",
        title: nav.billing,
        go: undefined,
        needs: "BillingService/GetSummary",
        role: "admin",
      },
    ],
  },
] as const;

/** A page of the navigation. */
export type NavigationPage = (typeof pageGroups)[number]["pages"][number];

/** All of them. */
export const navigationPages: readonly NavigationPage[] = pageGroups.flatMap<NavigationPage>(({ pages }) => [...pages]);
