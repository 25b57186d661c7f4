// The rooms of the control plane's domain. Each builds its services in its module.ts.

import type { ControlParts } from "./control-parts.ts";
import { createAlertDomain } from "./domain/alert/module.ts";
import { createBillingDomain } from "./domain/billing/module.ts";
import { planUsagePercent } from "./domain/billing/plan-usage.ts";
import { createBundleDomain } from "./domain/bundle/module.ts";
import { createEventDomain } from "./domain/event/module.ts";
import { createFleetDomain } from "./domain/fleet/module.ts";
import { createIdentityDomain } from "./domain/identity/module.ts";
import { createLanguageDomain } from "./domain/language/module.ts";
import type { Republish } from "./domain/language/republish.ts";
import { createMeasureDomain } from "./domain/measure/module.ts";
import { createPlaygroundDomain } from "./domain/playground/module.ts";
import { createPolicyDomain } from "./domain/policy/module.ts";
import { createProjectDomain } from "./domain/project/module.ts";
import { createReplayDomain } from "./domain/replay/module.ts";
import { createScimDomain } from "./domain/scim/module.ts";
import { createTelemetryDomain } from "./domain/telemetry/module.ts";
import { createTenancyDomain } from "./domain/tenancy/module.ts";
import { createWebhookDomain } from "./domain/webhook/module.ts";
import { gateMeasures } from "./gate-measures.ts";

/** All services of the domain. */
export type Domain = ReturnType<typeof createDomain>;

/** Builds every service that handlers call. They live as long as the process. */
export function createDomain(parts: ControlParts) {
  const bundle = createBundleDomain({ ...parts, measures: gateMeasures(parts) });
  const telemetry = createTelemetryDomain({ ...parts, keys: bundle.keys });
  return {
    ...createIdentityDomain(parts),
    ...createTenancyDomain(parts),
    ...createScimDomain(parts),
    ...createBillingDomain(parts),
    ...bundle,
    ...createProjectDomain({ ...parts, keys: bundle.keys }),
    ...createPolicyDomain(parts),
    ...createLanguageDomain({ ...parts, republish: republishBy(bundle.bundles) }),
    ...createPlaygroundDomain(parts),
    ...createFleetDomain({ ...parts, keys: bundle.keys }),
    ...telemetry,
    ...createMeasureDomain(parts),
    ...createReplayDomain({ ...parts, traces: telemetry.traces }),
    ...createAlertDomain({ ...parts, readPlanUsage: planUsagePercent }),
    ...createWebhookDomain(parts),
    ...createEventDomain(parts),
  };
}

// Languages know no bundles: bundles take in their overlays.
function republishBy(bundles: ReturnType<typeof createBundleDomain>["bundles"]): Republish {
  return async (caller, path, signal) => {
    const { bundle } = await bundles.republish(caller, path, { activate: true }, signal);
    return bundle.version;
  };
}
