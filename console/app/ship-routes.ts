// The pages of what is shipped and what it does: environments, fleet, review, analytics, alerts; the
// languages that are shipped with it; datasets and benchmarks.

import { createRoute, redirect } from "@tanstack/react-router";
import { environmentsIn, projectIn, textsIn, versionsIn } from "../data/search.ts";
import { analyticsSearch } from "../page/analytics/search.ts";
import { replaySearch } from "../page/replay/search.ts";
import { reviewSearch } from "../page/trace/search.ts";
import { lazyPage } from "./missing-file.ts";
import { orgRoute } from "./route-base.tsx";

const getParentRoute = () => orgRoute;

const environmentsRoute = createRoute({
  getParentRoute,
  path: "/environments",
  validateSearch: (search: Record<string, unknown>) => projectIn(search),
  component: lazyPage(() => import("../page/environment/pipeline.tsx"), "EnvironmentsPage"),
});

const environmentRoute = createRoute({
  getParentRoute,
  path: "/environments/$project/$env/settings",
  component: lazyPage(() => import("../page/environment/environment.tsx"), "EnvironmentPage"),
});

// An address that somebody has cut short, as of a version, leads to the environment.
const environmentHomeRoute = createRoute({
  getParentRoute,
  path: "/environments/$project/$env",
  beforeLoad: ({ params }) => {
    throw redirect({ to: "/o/$org/environments/$project/$env/settings", params, replace: true });
  },
});

const bundleRoute = createRoute({
  getParentRoute,
  path: "/environments/$project/$env/$version",
  component: lazyPage(() => import("../page/environment/bundle.tsx"), "BundlePage"),
});

const promoteRoute = createRoute({
  getParentRoute,
  path: "/environments/$project/promote",
  validateSearch: (search: Record<string, unknown>) => ({
    ...environmentsIn(search, "from", "to"),
    ...versionsIn(search, "version"),
  }),
  component: lazyPage(() => import("../page/environment/promote.tsx"), "PromotePage"),
});

const compareBundlesRoute = createRoute({
  getParentRoute,
  path: "/environments/$project/compare",
  validateSearch: (search: Record<string, unknown>) => ({
    ...environmentsIn(search, "env", "base"),
    ...versionsIn(search, "version", "baseVersion"),
  }),
  component: lazyPage(() => import("../page/environment/compare/page.tsx"), "CompareBundlesPage"),
});

const fleetRoute = createRoute({
  getParentRoute,
  path: "/fleet",
  validateSearch: (search: Record<string, unknown>) => ({
    ...projectIn(search),
    ...environmentsIn(search, "environment"),
    ...textsIn(search, "state", "label"),
  }),
  component: lazyPage(() => import("../page/fleet/fleet.tsx"), "FleetPage"),
});

const agentsRoute = createRoute({
  getParentRoute,
  path: "/agents",
  validateSearch: (search: Record<string, unknown>) => ({ ...projectIn(search), ...textsIn(search, "q") }),
  component: lazyPage(() => import("../page/agent/list.tsx"), "AgentsPage"),
});

const analyticsRoute = createRoute({
  getParentRoute,
  path: "/analytics",
  validateSearch: analyticsSearch,
  component: lazyPage(() => import("../page/analytics/analytics.tsx"), "AnalyticsPage"),
});

const reviewRoute = createRoute({
  getParentRoute,
  path: "/review",
  validateSearch: reviewSearch,
  component: lazyPage(() => import("../page/trace/review.tsx"), "ReviewPage"),
});

const replaysRoute = createRoute({
  getParentRoute,
  path: "/replays",
  validateSearch: replaySearch,
  component: lazyPage(() => import("../page/replay/list.tsx"), "ReplaysPage"),
});

const replayRoute = createRoute({
  getParentRoute,
  path: "/replays/$run",
  validateSearch: (search: Record<string, unknown>) => textsIn(search, "change"),
  component: lazyPage(() => import("../page/replay/replay.tsx"), "ReplayPage"),
});

const traceRoute = createRoute({
  getParentRoute,
  path: "/traces/$trace",
  component: lazyPage(() => import("../page/trace/page.tsx"), "TracePage"),
});

const alertsRoute = createRoute({
  getParentRoute,
  path: "/alerts",
  component: lazyPage(() => import("../page/alert/list.tsx"), "AlertsPage"),
});

const newAlertRoute = createRoute({
  getParentRoute,
  path: "/alerts/new",
  component: lazyPage(() => import("../page/alert/edit.tsx"), "NewAlertRulePage"),
});

const alertRoute = createRoute({
  getParentRoute,
  path: "/alerts/$rule",
  component: lazyPage(() => import("../page/alert/rule.tsx"), "AlertRulePage"),
});

const editAlertRoute = createRoute({
  getParentRoute,
  path: "/alerts/$rule/edit",
  component: lazyPage(() => import("../page/alert/edit.tsx"), "EditAlertRulePage"),
});

const languagesRoute = createRoute({
  getParentRoute,
  path: "/languages",
  validateSearch: (search: Record<string, unknown>) => ({
    ...projectIn(search),
    ...environmentsIn(search, "environment"),
    ...textsIn(search, "q"),
  }),
  component: lazyPage(() => import("../page/language/list.tsx"), "LanguagesPage"),
});

const languageRoute = createRoute({
  getParentRoute,
  path: "/languages/$language",
  component: lazyPage(() => import("../page/language/language.tsx"), "LanguagePage"),
});

const datasetsRoute = createRoute({
  getParentRoute,
  path: "/datasets",
  component: lazyPage(() => import("../page/dataset/list.tsx"), "DatasetsPage"),
});

const datasetRoute = createRoute({
  getParentRoute,
  path: "/datasets/$dataset",
  validateSearch: (search: Record<string, unknown>) => textsIn(search, "label", "stage", "language"),
  component: lazyPage(() => import("../page/dataset/dataset.tsx"), "DatasetPage"),
});

const benchmarksRoute = createRoute({
  getParentRoute,
  path: "/benchmarks",
  component: lazyPage(() => import("../page/benchmark/list.tsx"), "BenchmarksPage"),
});

const benchmarkRoute = createRoute({
  getParentRoute,
  path: "/benchmarks/$run",
  validateSearch: (search: Record<string, unknown>) => textsIn(search, "results"),
  component: lazyPage(() => import("../page/benchmark/benchmark.tsx"), "BenchmarkPage"),
});

const calibrationsRoute = createRoute({
  getParentRoute,
  path: "/calibrations",
  component: lazyPage(() => import("../page/calibration/list.tsx"), "CalibrationsPage"),
});

const calibrationRoute = createRoute({
  getParentRoute,
  path: "/calibrations/$run",
  component: lazyPage(() => import("../page/calibration/calibration.tsx"), "CalibrationPage"),
});

const compareRoute = createRoute({
  getParentRoute,
  path: "/benchmarks/$run/compare",
  validateSearch: (search: Record<string, unknown>) => textsIn(search, "with", "common"),
  component: lazyPage(() => import("../page/benchmark/compare.tsx"), "ComparePage"),
});

/** The pages of this group. */
export const shipRoutes = [
  environmentsRoute,
  environmentHomeRoute,
  environmentRoute,
  bundleRoute,
  promoteRoute,
  compareBundlesRoute,
  fleetRoute,
  agentsRoute,
  reviewRoute,
  analyticsRoute,
  replaysRoute,
  replayRoute,
  traceRoute,
  alertsRoute,
  newAlertRoute,
  alertRoute,
  editAlertRoute,
  languagesRoute,
  languageRoute,
  datasetsRoute,
  datasetRoute,
  benchmarksRoute,
  benchmarkRoute,
  compareRoute,
  calibrationsRoute,
  calibrationRoute,
] as const;
