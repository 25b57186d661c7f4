// The services of this room: bundles and the keys that sign them.

import type { ConnectRouter } from "@connectrpc/connect";
import { BundleService } from "../../../gen/policyguard/control/v1/bundle_service_pb.ts";
import { GateService } from "../../../gen/policyguard/control/v1/gate_service_pb.ts";
import { OverrideService } from "../../../gen/policyguard/control/v1/override_service_pb.ts";
import { SigningKeyService } from "../../../gen/policyguard/control/v1/signing_key_service_pb.ts";
import type { GateKeeper } from "../../domain/bundle/gate/gate.ts";
import type { Gates } from "../../domain/bundle/gate/gates.ts";
import type { KeyRotation } from "../../domain/bundle/key-rotation.ts";
import type { Overrides } from "../../domain/bundle/override.ts";
import { type BundleHandlerDomain, bundleHandlers } from "./bundle.ts";
import { gateHandlers } from "./gate.ts";
import { overrideHandlers } from "./override.ts";
import { signingKeyHandlers } from "./signing-key.ts";

/** What the handlers call. */
export interface BundleDomain extends BundleHandlerDomain {
  readonly keyRotation: KeyRotation;
  readonly gates: Gates;
  readonly gateKeeper: GateKeeper;
  readonly overrides: Overrides;
}

/** Registers the services. `shutdown` ends calls that wait. */
export function registerBundleServices(
  router: ConnectRouter,
  domain: BundleDomain,
  { shutdown }: { readonly shutdown: AbortSignal },
): void {
  router.service(BundleService, bundleHandlers(domain, shutdown));
  router.service(GateService, gateHandlers(domain));
  router.service(OverrideService, overrideHandlers(domain.overrides));
  router.service(SigningKeyService, signingKeyHandlers(domain.keyRotation));
}
