// Finds the policies that a call of the playground selects: a document, a stored policy, those of a project, or an
// active bundle.

import { create, type JsonObject, type JsonValue } from "@bufbuild/protobuf";
import { type BundleReference, BundleReferenceSchema } from "../../../gen/policyguard/policy/v1/evaluation_pb.ts";
import type { PolicyScope } from "../../../runtime/engine/policy-plan/compiled-policy.ts";
import { type FieldViolation, insufficientScope, notFound, validationFailed } from "../../kit/fault/fault.ts";
import type { Caller } from "../../kit/rpc/context.ts";
import { findBundle, type PartReference } from "../../store/bundle/bundle.ts";
import { findGateContent } from "../../store/bundle/gate-result.ts";
import type { Database } from "../../store/connection/database.ts";
import type { Transaction } from "../../store/core/transaction.ts";
import { type CurrentPolicy, findPolicy, findPolicyVersion, policyHeadsOfProject } from "../../store/policy/policy.ts";
import { storedParts } from "../bundle/content.ts";
import { purgedBundle } from "../bundle/fault.ts";
import { requireEnvironment, requireProject } from "../lookup.ts";
import { requireVisible } from "../policy/scope.ts";

/** The policies that a call is about: exactly one of the document, the policy and the project. */
export interface PolicySelection {
  readonly document?: JsonValue;
  readonly policyId?: string;
  readonly version?: number;
  readonly projectId?: string;
  readonly environment?: string;
  /** A version of the environment's bundle; default: the one in force. */
  readonly bundleVersion?: number;
  readonly tests?: readonly JsonObject[];
}

/** A policy to run. */
export interface SelectedPolicy {
  /** The stored policy and its version; undefined for a document. */
  readonly policyId: string | undefined;
  readonly version: number | undefined;
  readonly scope: PolicyScope;
  /** As it was given, or as it is stored. The documents of a project are read one by one. */
  readonly document: () => Promise<JsonValue>;
}

const anywhere: PolicyScope = { tenantId: "*", appId: "*", agentId: "*", env: "*" };

/** A bundle of an environment: by its version, or by its content, which may be of no version yet. */
export interface NamedContent {
  readonly projectId: string;
  readonly environment: string;
  readonly version?: number | undefined;
  /** Content that gates of the environment ask about. */
  readonly contentDigest?: string | undefined;
}

/** Finds selected policies. */
export class PolicyFinder {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** The policies: one, or those of a project. */
  async find(caller: Caller, input: PolicySelection): Promise<SelectedPolicy[]> {
    assertOne(input);
    const { document, policyId, version, projectId } = input;
    if (projectId !== undefined) return this.#ofProject(caller, projectId);
    if (policyId === undefined) return [{ policyId, version, scope: anywhere, document: async () => document ?? null }];
    return this.#database.read(caller.orgId, async (tx) => {
      const found = requireVisible(caller, await findPolicy(tx, policyId));
      const { appId, agentId, env } = found.policy;
      const scope = { tenantId: tx.orgId, appId, agentId, env };
      const { version: number, document: stored } = await documentOf(tx, found, version);
      return [{ policyId, version: number, scope, document: async () => stored }];
    });
  }

  /** The bundle of an environment that the input selects. */
  async selectedBundle(caller: Caller, input: PolicySelection) {
    assertOne(input);
    const { projectId = "", environment, bundleVersion: version } = input;
    assertReaches(caller, projectId);
    if (environment === undefined)
      throw validationFailed([{ field: "environment", message: "required with project_id" }]);
    return this.bundle(caller, { projectId, environment, version });
  }

  /** A bundle of an environment. Default: the one in force. */
  async bundle(
    caller: Caller,
    named: { readonly projectId: string; readonly environment: string; readonly version?: number | undefined },
  ) {
    const { projectId, environment: name } = named;
    assertReaches(caller, projectId);
    return this.#database.read(caller.orgId, async (tx) => {
      await requireProject(tx, projectId);
      const environment = await requireEnvironment(tx, projectId, name);
      const version = named.version ?? environment.activeVersion;
      const bundle = version === null ? null : await findBundle(tx, environment.id, version ?? 0);
      if (bundle === null) throw notFound(named.version === undefined ? "active bundle" : "bundle version");
      if (bundle.purgedAt != null) throw purgedBundle(bundle.version);
      return {
        parts: await storedParts(tx, withoutModels(bundle.parts)),
        environment: name,
        projectId: environment.projectId,
        bundle: referenceOf(bundle, environment.activationSeq),
      };
    });
  }

  /** The parts of content that gates ask about. */
  async content(
    { orgId }: Pick<Caller, "orgId">,
    { projectId, environment, contentDigest }: NamedContent & { readonly contentDigest: string },
  ) {
    return this.#database.read(orgId, async (tx) => {
      const content = await findGateContent(tx, contentDigest);
      if (content === null) throw notFound("content that a gate asks about");
      return { parts: await storedParts(tx, withoutModels(content.parts)), environment, projectId };
    });
  }

  #ofProject(caller: Caller, projectId: string): Promise<SelectedPolicy[]> {
    assertReaches(caller, projectId);
    return this.#database.read(caller.orgId, async (tx) => {
      await requireProject(tx, projectId);
      const heads = await policyHeadsOfProject(tx, projectId);
      return heads.map(({ id: policyId, version, appId, agentId, env }) => {
        const document = () => this.#documentOfVersion(caller, policyId, version);
        return { policyId, version, scope: { tenantId: tx.orgId, appId, agentId, env }, document };
      });
    });
  }

  #documentOfVersion({ orgId }: Caller, policyId: string, version: number): Promise<JsonObject> {
    return this.#database.read(orgId, async (tx) => {
      const found = await findPolicyVersion(tx, policyId, version);
      if (found === null) throw notFound("policy version");
      return found.document;
    });
  }
}

/** The weights of the models are those that ship with the product. */
function withoutModels(parts: readonly PartReference[]): PartReference[] {
  return parts.filter(({ path }) => !path.startsWith("models/"));
}

function assertOne(selection: PolicySelection): void {
  const { document, policyId, version, projectId, bundleVersion, tests = [] } = selection;
  const violations: FieldViolation[] = [];
  const given = [document, policyId, projectId].filter((each) => each !== undefined).length;
  if (given !== 1) {
    violations.push({ field: "document", message: "exactly one of document, policy_id and project_id is needed" });
  }
  if (version !== undefined && policyId === undefined) {
    violations.push({ field: "version", message: "only a stored policy has versions; give policy_id" });
  }
  if (bundleVersion !== undefined && projectId === undefined) {
    violations.push({ field: "bundle_version", message: "only an environment has bundles; give project_id" });
  }
  if (tests.length > 0 && projectId !== undefined) {
    violations.push({ field: "tests", message: "further tests are about one policy; give document or policy_id" });
  }
  if (violations.length > 0) throw validationFailed(violations);
}

/** Throws for another project than that of the token, whether or not it exists. */
function assertReaches({ credential }: Caller, projectId: string): void {
  if (credential.projectId === undefined || credential.projectId === projectId.toLowerCase()) return;
  throw insufficientScope("this credential belongs to another project");
}

async function documentOf(tx: Transaction, { policy, current }: CurrentPolicy, version: number | undefined) {
  if (version === undefined || version === current.version) return current;
  const found = await findPolicyVersion(tx, policy.id, version);
  if (found === null) throw notFound("policy version");
  return found;
}

function referenceOf({ version, digest }: { version: number; digest: string }, activationSeq: number): BundleReference {
  return create(BundleReferenceSchema, { version, digest, activationSeq });
}
