// The fast paths of the gateway alone, for methods whose answers a test states.

import type { FastPathContext, FastPathOptions } from "../../../gateway/fast/call.ts";
import { createFastPath, type FastPath } from "../../../gateway/fast/path.ts";
import { CredentialKind } from "../../../gen/policyguard/options/v1/options_pb.ts";
import { createLog } from "../../../src/kit/observability/log.ts";
import type { Credential } from "../../../src/kit/rpc/context.ts";

/** Who calls when a test says nothing else: a runtime. */
export const fastCaller: Credential = {
  kind: CredentialKind.RUNTIME,
  id: "t",
  label: "gr_rt_abcd",
  orgId: "o",
  projectId: undefined,
  environment: undefined,
  roles: new Map(),
};

/** Makes fast paths. By default they have no methods, close calls of the ordinary handler, and log nothing. */
export function fastPathOf(given: Partial<FastPathOptions & FastPathContext>): FastPath {
  const options = {
    methods: [],
    streams: [],
    authenticate: () => fastCaller,
    countCall: () => undefined,
    together: (work: () => void) => work(),
    ...given,
  };
  const context: FastPathContext = {
    ordinary: (_, response) => void response.destroy(),
    limits: { maxBodyBytes: 1_000_000, timeoutMs: 60_000, streamTimeoutMs: 60_000 },
    trustedHops: 0,
    log: createLog({ name: "test", level: "fatal" }),
    closing: new AbortController().signal,
    ...given,
  };
  return createFastPath(options, context);
}
