// The routes of the console in an organization that has one of everything.

import type { World } from "../vector/world.ts";
import type { Filled } from "./filled.ts";

/** One route with an address of it. */
export interface Place {
  readonly at: (filled: Filled, world: World) => string;
  /** Shows no text of a customer, besides the name of the organization in the frame. */
  readonly isOurs?: true;
  /** Loads nothing of its own, or shows the page while it loads what helps to fill it in. */
  readonly hasNoState?: true;
}

const environment = ({ projectId }: World) => `/environments/${projectId}`;

/** The routes of the console below "/o/$org". test/console/every-route.test.ts fails for one that is missing. */
export const places: Readonly<Record<string, Place>> = {
  "/": { at: () => "/" },
  "/policies": { at: () => "/policies" },
  "/policies/new": { at: () => "/policies/new", isOurs: true, hasNoState: true },
  "/policies/$policy": { at: ({ policy }) => `/policies/${policy}` },
  "/policies/$policy/versions": { at: ({ policy }) => `/policies/${policy}/versions` },
  "/playground": { at: (_, { projectId }) => `/playground?project=${projectId}` },
  "/packs": { at: () => "/packs", isOurs: true },
  "/packs/$pack": { at: () => "/packs/pii-eu", isOurs: true },
  "/detectors": { at: () => "/detectors" },
  "/detectors/$detector": { at: () => "/detectors/pii", isOurs: true },
  "/lists": { at: () => "/lists" },
  "/lists/$list": { at: ({ list }) => `/lists/${list}` },
  "/schemas": { at: () => "/schemas" },
  "/schemas/new": { at: () => "/schemas/new", isOurs: true, hasNoState: true },
  "/schemas/$schema": { at: ({ schema }) => `/schemas/${schema}` },
  "/languages": { at: () => "/languages" },
  "/languages/$language": { at: () => "/languages/pl" },
  "/environments": { at: (_, { projectId }) => `/environments?project=${projectId}` },
  "/environments/$project/$env/settings": { at: (_, world) => `${environment(world)}/dev/settings` },
  "/environments/$project/$env/$version": { at: ({ version }, world) => `${environment(world)}/dev/${version}` },
  "/environments/$project/promote": { at: (_, world) => `${environment(world)}/promote?from=dev&to=staging` },
  "/environments/$project/compare": {
    at: ({ version, olderVersion }, world) =>
      `${environment(world)}/compare?env=dev&version=${version}&base=dev&baseVersion=${olderVersion}`,
    isOurs: true,
  },
  "/fleet": { at: (_, { projectId }) => `/fleet?project=${projectId}` },
  "/agents": { at: (_, { projectId }) => `/agents?project=${projectId}` },
  "/review": { at: (_, { projectId }) => `/review?project=${projectId}` },
  "/analytics": { at: () => "/analytics" },
  "/replays": { at: () => "/replays", isOurs: true },
  "/replays/$run": { at: ({ replay }) => `/replays/${replay}`, isOurs: true },
  "/traces": { at: ({ trace }) => `/traces?trace=${trace}` },
  "/traces/$trace": { at: ({ trace }) => `/traces/${trace}` },
  "/alerts": { at: () => "/alerts" },
  "/alerts/new": { at: () => "/alerts/new", hasNoState: true },
  "/alerts/$rule": { at: ({ rule }) => `/alerts/${rule}` },
  "/alerts/$rule/edit": { at: ({ rule }) => `/alerts/${rule}/edit` },
  "/datasets": { at: () => "/datasets" },
  "/datasets/$dataset": { at: ({ dataset }) => `/datasets/${dataset}` },
  "/benchmarks": { at: () => "/benchmarks", isOurs: true },
  "/benchmarks/$run": { at: ({ run }) => `/benchmarks/${run}` },
  "/benchmarks/$run/compare": {
    at: ({ run, otherRun }) => `/benchmarks/${run}/compare?with=${otherRun}`,
    isOurs: true,
  },
  "/calibrations": { at: () => "/calibrations", isOurs: true },
  "/calibrations/$run": { at: ({ calibration }) => `/calibrations/${calibration}`, isOurs: true },
  "/settings": { at: () => "/settings" },
  "/settings/team": { at: () => "/settings/team" },
  "/settings/tokens": { at: () => "/settings/tokens" },
  "/settings/keys": { at: () => "/settings/keys", isOurs: true },
  "/settings/webhooks": { at: () => "/settings/webhooks", isOurs: true },
  "/settings/webhooks/$webhook": { at: ({ webhook }) => `/settings/webhooks/${webhook}` },
  "/settings/sso": { at: () => "/settings/sso", isOurs: true },
  "/settings/scim": { at: () => "/settings/scim" },
  "/settings/evidence": { at: () => "/settings/evidence" },
  "/settings/evidence/$seq": { at: ({ fork }) => `/settings/evidence/${fork}`, isOurs: true },
  "/settings/billing": { at: () => "/settings/billing", isOurs: true },
};
