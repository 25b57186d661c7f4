// The pages of what policies are made of and tried in: playground, packs, detectors, lists, output schemas.

import { createRoute } from "@tanstack/react-router";
import { environmentsIn, projectIn, textsIn, versionsIn } from "../data/search.ts";
import { lazyPage } from "./missing-file.ts";
import { orgRoute } from "./route-base.tsx";

const getParentRoute = () => orgRoute;

const playgroundRoute = createRoute({
  getParentRoute,
  path: "/playground",
  validateSearch: (search: Record<string, unknown>) => ({
    ...projectIn(search),
    ...environmentsIn(search, "environment"),
    ...versionsIn(search, "version"),
  }),
  component: lazyPage(() => import("../page/policy/playground/page.tsx"), "PlaygroundPage"),
});

const packsRoute = createRoute({
  getParentRoute,
  path: "/packs",
  validateSearch: (search: Record<string, unknown>) => textsIn(search, "q", "category"),
  component: lazyPage(() => import("../page/pack/list.tsx"), "PacksPage"),
});

const packRoute = createRoute({
  getParentRoute,
  path: "/packs/$pack",
  validateSearch: (search: Record<string, unknown>) => textsIn(search, "version"),
  component: lazyPage(() => import("../page/pack/pack.tsx"), "PackPage"),
});

const detectorsRoute = createRoute({
  getParentRoute,
  path: "/detectors",
  validateSearch: (search: Record<string, unknown>) => textsIn(search, "q", "category", "type"),
  component: lazyPage(() => import("../page/detector/list.tsx"), "DetectorsPage"),
});

const detectorRoute = createRoute({
  getParentRoute,
  path: "/detectors/$detector",
  component: lazyPage(() => import("../page/detector/detector.tsx"), "DetectorPage"),
});

const listsRoute = createRoute({
  getParentRoute,
  path: "/lists",
  component: lazyPage(() => import("../page/list/list.tsx"), "ListsPage"),
});

const listRoute = createRoute({
  getParentRoute,
  path: "/lists/$list",
  component: lazyPage(() => import("../page/list/edit.tsx"), "ListPage"),
});

const schemasRoute = createRoute({
  getParentRoute,
  path: "/schemas",
  component: lazyPage(() => import("../page/schema/list.tsx"), "SchemasPage"),
});

const newSchemaRoute = createRoute({
  getParentRoute,
  path: "/schemas/new",
  component: lazyPage(() => import("../page/schema/create.tsx"), "NewSchemaPage"),
});

const schemaRoute = createRoute({
  getParentRoute,
  path: "/schemas/$schema",
  component: lazyPage(() => import("../page/schema/schema.tsx"), "SchemaPage"),
});

/** The pages of this group. */
export const libraryRoutes = [
  playgroundRoute,
  packsRoute,
  packRoute,
  detectorsRoute,
  detectorRoute,
  listsRoute,
  listRoute,
  schemasRoute,
  newSchemaRoute,
  schemaRoute,
] as const;
