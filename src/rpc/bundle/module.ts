// The services of this room: bundles and the keys that sign them.

import type { ConnectRouter } from "@connectrpc/connect";
import { BundleService } from "../../../gen/policyguard/control/v1/bundle_service_pb.ts";
import { SigningKeyService } from "../../../gen/policyguard/control/v1/signing_key_service_pb.ts";
import type { KeyRotation } from "../../domain/bundle/key-rotation.ts";
import { type BundleHandlerDomain, bundleHandlers } from "./bundle.ts";
import { signingKeyHandlers } from "./signing-key.ts";

/** What the handlers call. */
export interface BundleDomain extends BundleHandlerDomain {
  readonly keyRotation: KeyRotation;
}

/** Registers the services. `shutdown` ends calls that wait. */
export function registerBundleServices(
  router: ConnectRouter,
  domain: BundleDomain,
  { shutdown }: { readonly shutdown: AbortSignal },
): void {
  router.service(BundleService, bundleHandlers(domain, shutdown));
  router.service(SigningKeyService, signingKeyHandlers(domain.keyRotation));
}
