// A runtime as customers run it, with authentication, the policy of W (or one of a single rule: "light") and the spool on disk; without a
// control plane.

import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { create } from "@bufbuild/protobuf";
import { stringify } from "yaml";
import { CredentialKind } from "../../gen/policyguard/options/v1/options_pb.ts";
import { TokenDigestSchema } from "../../gen/policyguard/runtime/v1/reporting_service_pb.ts";
import { Access } from "../../runtime/access.ts";
import { verifyBundle } from "../../runtime/bundle/verify.ts";
import { runtimeSchema } from "../../runtime/config.ts";
import { BundleHolder } from "../../runtime/loaded-bundle.ts";
import { startRuntime } from "../../runtime/runtime.ts";
import { openSpool } from "../../runtime/spool/spool.ts";
import { runtimeVersion } from "../../runtime/version.ts";
import { maxBundleBytes } from "../../src/kit/bundle-size.ts";
import { systemClock } from "../../src/kit/clock.ts";
import { readConfig } from "../../src/kit/config.ts";
import { createLog } from "../../src/kit/log.ts";
import { shippedModels } from "../../src/kit/model-file.ts";
import { trustKeys } from "../../src/kit/signing-key.ts";
import { tokenDigest } from "../../src/kit/token.ts";
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
const access = new Access(() => scope, clock);
access.replace([
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
    authenticate: (value) => access.authenticate(value),
    fingerprintKey: () => fingerprintKey,
    spool,
    interceptors: [],
    checks: {},
    shutdownSteps: [],
  },
  { log: createLog({ name: "bench", level: "warn" }), clock },
);
process.send?.(runtime.port);
