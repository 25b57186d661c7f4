// What a benchmark measures, in the form in which it judges.

import { createHash } from "node:crypto";
import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { canonicalText } from "../../../kit/crypto/canonical.ts";
import { validationFailed } from "../../../kit/fault/fault.ts";
import type { Caller } from "../../../kit/rpc/context.ts";
import type { Database } from "../../../store/connection/database.ts";
import type { ReplayTarget } from "../../analysis/replay-trace.ts";
import { listTexts } from "../../playground/playground.ts";
import { type NamedContent, PolicyFinder } from "../../playground/selection.ts";
import { enabledSchemas } from "../../policy/output-schema.ts";
import type { BenchmarkScope, BenchmarkSubject } from "./benchmark-spec.ts";

/** What to measure: exactly one of these. Without a version the newest, or the one in force. */
export interface WantedTarget {
  readonly policy: { readonly policyId: string; readonly version?: number | undefined } | undefined;
  readonly document: JsonValue | undefined;
  readonly bundle: NamedContent | undefined;
  readonly detector: { readonly use: string; readonly parameters: JsonObject } | undefined;
  /** What somebody else says, which is uploaded. */
  readonly predictions: { readonly name: string; readonly version: string | null } | undefined;
}

/** No target; one of its members has to be set. */
export const noTarget: WantedTarget = {
  ...{ policy: undefined, document: undefined, bundle: undefined, detector: undefined, predictions: undefined },
};

/** What was found. */
export interface FoundTarget {
  readonly subject: BenchmarkSubject;
  /** Undefined for predictions. */
  readonly judge: ReplayTarget | undefined;
  /** SHA-256 of what decides: another content, another digest. */
  readonly contentDigest: string;
}

/** Finds what benchmarks measure. */
export class BenchmarkTargets {
  readonly #database: Database;
  readonly #finder: PolicyFinder;

  constructor(database: Database) {
    this.#database = database;
    this.#finder = new PolicyFinder(database);
  }

  /** The target with a version that does not change anymore. */
  async find(caller: Caller, wanted: WantedTarget, scope: BenchmarkScope): Promise<FoundTarget> {
    const { policy, document, bundle, detector, predictions } = wanted;
    if ([policy, document, bundle, detector, predictions].filter((each) => each !== undefined).length !== 1) {
      const message = "exactly one of policy, document, bundle, detector and predictions is needed";
      throw validationFailed([{ field: "target", message }]);
    }
    if (predictions !== undefined) {
      const said = canonicalText(plain(predictions));
      const contentDigest = createHash("sha256").update(said).digest("hex");
      return { subject: { predictions }, judge: undefined, contentDigest };
    }
    if (bundle !== undefined) return this.#bundle(caller, bundle);
    if (detector !== undefined)
      return this.#policy(caller, { document: documentOf(detector) }, { scope, subject: { detector } });
    if (document !== undefined) return this.#policy(caller, { document }, { scope, subject: { document } });
    return this.#policy(caller, { ...policy }, { scope, subject: undefined });
  }

  async #bundle(caller: Caller, wanted: NamedContent): Promise<FoundTarget> {
    const { parts, environment, projectId, named } = await this.#named(caller, wanted);
    const hash = createHash("sha256");
    for (const { path, data } of [...parts].sort((a, b) => (a.path < b.path ? -1 : 1))) {
      hash.update(JSON.stringify([path, data.length])).update(data);
    }
    return {
      subject: { bundle: { projectId, environment, ...named } },
      judge: { parts, environment, projectId },
      contentDigest: hash.digest("hex"),
    };
  }

  async #named(caller: Caller, { contentDigest, ...wanted }: NamedContent) {
    if (contentDigest !== undefined) {
      return { ...(await this.#finder.content(caller, { ...wanted, contentDigest })), named: { contentDigest } };
    }
    const { bundle, ...found } = await this.#finder.bundle(caller, wanted);
    return { ...found, named: { version: bundle.version } };
  }

  async #policy(
    caller: Caller,
    selection: { readonly policyId?: string; readonly version?: number | undefined; readonly document?: JsonValue },
    { scope, subject }: { readonly scope: BenchmarkScope; readonly subject: BenchmarkSubject | undefined },
  ): Promise<FoundTarget> {
    const { version: wantedVersion, ...named } = selection;
    const wanted = wantedVersion === undefined ? named : { ...named, version: wantedVersion };
    const [selected] = await this.#finder.find(caller, wanted);
    if (selected === undefined) throw new Error("a document or a policy selects one policy");
    const { policyId = "", version = 0, scope: applies } = selected;
    const projectId = scope.projectId ?? (applies.appId === "*" ? "" : applies.appId);
    const document = await selected.document();
    const around = await this.#database.read(caller.orgId, async (tx) => ({
      lists: await listTexts(tx, projectId),
      schemas: await enabledSchemas(tx),
    }));
    const { environment } = scope;
    const content = [document, applies, around, environment ?? null, projectId, scope.agentId ?? null];
    return {
      subject: subject ?? { policy: { policyId, version } },
      judge: { ...around, document, policyId, version, scope: applies, environment, projectId },
      contentDigest: createHash("sha256")
        .update(canonicalText(plain(content)))
        .digest("hex"),
    };
  }
}

/** A policy that blocks whatever the detector finds. */
function documentOf({ use, parameters }: { readonly use: string; readonly parameters: JsonObject }): JsonObject {
  const stages = ["input", "output", "tool_call", "tool_result", "retrieval"];
  return {
    ...{ apiVersion: "policyguard/v1", kind: "Policy", metadata: { name: "benchmark" } },
    detectors: { measured: { ...parameters, use } },
    rules: [{ id: "found", stages, detect: "measured", action: "BLOCK" }],
  };
}

function plain(value: unknown): JsonValue {
  return JSON.parse(JSON.stringify(value)) as JsonValue; // plain data
}
