// A runtime as customers run it, with authentication, the policy of W (or one of a single rule: "light") and the spool
// on disk; without a control plane.

import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { create } from "@bufbuild/protobuf";
import { stringify } from "yaml";
import { CredentialKind } from "../../gen/policyguard/options/v1/options_pb.ts";
import { TokenDigestSchema } from "../../gen/policyguard/runtime/v1/reporting_service_pb.ts";
import { BundleHolder } from "../../runtime/bundle/active-bundle.ts";
import { verifyBundle } from "../../runtime/bundle/verify.ts";
import { runtimeVersion } from "../../runtime/bundle/version.ts";
import { runtimeSchema } from "../../runtime/config.ts";
import { openSpool } from "../../runtime/control-plane/spool/spool.ts";
import { TokenAuthenticator } from "../../runtime/control-plane/token-authenticator.ts";
import { startRuntime } from "../../runtime/runtime.ts";
import { maxBundleBytes } from "../../src/kit/bundle/bundle-size.ts";
import { trustKeys } from "../../src/kit/crypto/signing-key.ts";
import { tokenDigest } from "../../src/kit/crypto/token.ts";
import { createLog } from "../../src/kit/observability/log.ts";
import { systemClock } from "../../src/kit/process/clock.ts";
import { readConfig } from "../../src/kit/process/config.ts";
import { shippedModels } from "../../src/kit/process/model-file.ts";
import { signedBundle } from "../../test/harness/bundle.ts";
import { lightPolicy, workLoadPolicy } from "../load/policy.ts";

const token = process.argv[2] ?? "";
const policy = process.argv[3] === "light" ? lightPolicy() : workLoadPolicy();
const clock = systemClock;
const now = clock.now();
const { bundle, key, ...scope } = await signedBundle([stringify(policy)], { models: shippedModels() });
const trust = trustKeys([key.publicJwk]);
const holder = new BundleHolder();
const check = { bundle, trust, scope, ratchet: undefined, now, from: "network", maxBytes: maxBundleBytes } as const;
const found = await verifyBundle({ ...check, runtimeVersion });
await holder.adopt(found, { now, isConfirmed: true, keep: async () => undefined });
const tokens = new TokenAuthenticator(() => scope, clock);
tokens.replace([
  create(TokenDigestSchema, {
    sha256: Uint8Array.from(tokenDigest(token)),
    kind: CredentialKind.RUNTIME,
    projectId: scope.projectId,
    environment: scope.environment,
  }),
]);
const folder = mkdtempSync(join(tmpdir(), "policy-guard-bench-"));
const spool = await openSpool({ folder, mode: "fast", maxBytes: 256 * 1024 * 1024, clock });
const fingerprintKey = new Uint8Array(32);
const env = { RUNTIME_PORT: "0", RUNTIME_MANAGEMENT_PORT: "0", HOST: "127.0.0.1", LOG_LEVEL: "warn" };
const config = readConfig(runtimeSchema, env);
const runtime = await startRuntime(
  config,
  {
    holder,
    authenticate: (value) => tokens.authenticate(value),
    fingerprintKey: () => fingerprintKey,
    spool,
    interceptors: [],
    checks: {},
    shutdownSteps: [],
  },
  { log: createLog({ name: "bench", level: "warn" }), clock },
);
process.send?.(runtime.port);
