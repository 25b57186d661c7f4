// From the parts of a verified bundle to an engine.

import type { JsonObject } from "@bufbuild/protobuf";
import { compileEngine, type Engine } from "../engine/compile.ts";
import type { PolicySource } from "../engine/compiled-policy.ts";
import { BundleRejection } from "./rejection.ts";
import type { VerifiedBundle } from "./verify.ts";

/** A policy as the control plane writes it into a bundle. */
interface PolicyPart {
  readonly policy_id: string;
  readonly name: string;
  readonly version: number;
  readonly scope: {
    readonly tenant_id: string;
    readonly app_id: string;
    readonly agent_id: string;
    readonly env: string;
  };
  readonly document: JsonObject;
}

/** Compiles the bundle for its environment. Throws a BundleRejection for a part that this version cannot run. */
export function compileBundle({ manifest, parts }: VerifiedBundle): Engine {
  try {
    return compileEngine({
      policies: [...parts].map(([path, data]) => policyOf(path, data)),
      environment: manifest.environment,
      projectId: manifest.project_id,
    });
  } catch (cause) {
    if (cause instanceof BundleRejection) throw cause;
    const message = cause instanceof Error ? cause.message : String(cause);
    throw new BundleRejection("not_adopted", `the bundle does not compile: ${message}`, { cause });
  }
}

function policyOf(path: string, data: Uint8Array): PolicySource {
  if (!path.startsWith("policies/")) {
    throw new BundleRejection("not_adopted", `this runtime does not know what ${path} is for`);
  }
  const { policy_id, name, version, scope, document }: PolicyPart = JSON.parse(Buffer.from(data).toString("utf8"));
  const { tenant_id, app_id, agent_id, env } = scope;
  return {
    policyId: policy_id,
    name,
    version,
    scope: { tenantId: tenant_id, appId: app_id, agentId: agent_id, env },
    document,
  };
}
