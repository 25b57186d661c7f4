// Policies that a call names to be tried out: a document, a stored policy, those of a project, or an active bundle.

import { create, type JsonObject, type JsonValue } from "@bufbuild/protobuf";
import { type BundleReference, BundleReferenceSchema } from "../../gen/policyguard/policy/v1/evaluation_pb.ts";
import type { PolicyScope } from "../../runtime/engine/compiled-policy.ts";
import { catalog } from "../../runtime/engine/detectors/catalog.ts";
import type { PolicyDocument, PolicyTest } from "../../runtime/engine/policy/document.ts";
import type { PackSource } from "../../runtime/engine/policy/extend.ts";
import { canonicalPolicy, parsePolicy } from "../../runtime/engine/policy/parse.ts";
import type { Caller } from "../kit/context.ts";
import { type FieldViolation, insufficientScope, notFound, validationFailed } from "../kit/error.ts";
import { findBundle } from "../store/bundle.ts";
import type { Database, Transaction } from "../store/database.ts";
import { type CurrentPolicy, findPolicy, findPolicyVersion, policiesOfProject } from "../store/policy.ts";
import { listSources, policySources, schemaSources, storedParts } from "./bundle-content.ts";
import { requireEnvironment, requireProject } from "./lookup.ts";
import { policyInvalid } from "./policy-document.ts";
import { requireVisible } from "./policy-scope.ts";

/** Which policies a call is about: exactly one of the document, the policy and the project. */
export interface CandidateInput {
  readonly document?: JsonValue;
  readonly policyId?: string;
  readonly version?: number;
  readonly projectId?: string;
  readonly environment?: string;
  readonly tests?: readonly JsonObject[];
}

/** A policy to be tried out. */
export interface Candidate {
  readonly name: string;
  /** The stored policy and its version; undefined for a document. */
  readonly policyId: string | undefined;
  readonly version: number | undefined;
  readonly scope: PolicyScope;
  readonly document: JsonObject;
}

const anywhere: PolicyScope = { tenantId: "*", appId: "*", agentId: "*", env: "*" };

/** Finds what a call names. */
export class CandidateFinder {
  readonly #database: Database;
  readonly #packs: PackSource;

  constructor(database: Database, packs: PackSource) {
    this.#database = database;
    this.#packs = packs;
  }

  /** The policies: one, or those of a project. */
  async find(caller: Caller, input: CandidateInput): Promise<Candidate[]> {
    assertOne(input);
    const { document, policyId, version, projectId } = input;
    if (projectId !== undefined) return this.#ofProject(caller, projectId);
    if (policyId === undefined) return [fromDocument(document ?? null, this.#packs)];
    return this.#database.read(caller.orgId, async (tx) => {
      const found = requireVisible(caller, await findPolicy(tx, policyId));
      return [candidateOf(found, await documentOf(tx, found, version))];
    });
  }

  /** The bundle in force in an environment. */
  async activeBundle(caller: Caller, input: CandidateInput) {
    assertOne(input);
    const { projectId = "", environment: name } = input;
    assertReaches(caller, projectId);
    if (name === undefined) throw validationFailed([{ field: "environment", message: "required with project_id" }]);
    return this.#database.read(caller.orgId, async (tx) => {
      await requireProject(tx, projectId);
      const environment = await requireEnvironment(tx, projectId, name);
      const version = environment.activeVersion;
      const bundle = version === null ? null : await findBundle(tx, environment.id, version ?? 0);
      if (bundle === null) throw notFound("active bundle");
      const parts = await storedParts(tx, bundle.parts);
      return {
        policies: policySources(parts),
        lists: listSources(parts),
        schemas: schemaSources(parts),
        environment: name,
        projectId: environment.projectId,
        bundle: referenceOf(bundle, environment.activationSeq),
      };
    });
  }

  #ofProject(caller: Caller, projectId: string): Promise<Candidate[]> {
    assertReaches(caller, projectId);
    return this.#database.read(caller.orgId, async (tx) => {
      await requireProject(tx, projectId);
      const found = await policiesOfProject(tx, projectId);
      return found.map((each) => candidateOf(each, each.current));
    });
  }
}

/** The policy of a document; a 422 with every problem when it is none. */
export function soundPolicy(document: JsonValue, packs: PackSource): PolicyDocument {
  const { policy, problems } = parsePolicy(document, catalog, packs);
  if (policy === undefined) throw policyInvalid(problems);
  return policy;
}

/** Tests that a call brings along, held against the document as if they were its own. */
export function withTests(
  document: JsonObject,
  tests: readonly JsonObject[],
  packs: PackSource,
): readonly PolicyTest[] {
  if (tests.length === 0) return [];
  return soundPolicy({ ...document, tests: [...tests] }, packs).tests ?? [];
}

function assertOne({ document, policyId, version, projectId, tests = [] }: CandidateInput): void {
  const violations: FieldViolation[] = [];
  const given = [document, policyId, projectId].filter((each) => each !== undefined).length;
  if (given !== 1) {
    violations.push({ field: "document", message: "exactly one of document, policy_id and project_id is needed" });
  }
  if (version !== undefined && policyId === undefined) {
    violations.push({ field: "version", message: "only a stored policy has versions; give policy_id" });
  }
  if (tests.length > 0 && projectId !== undefined) {
    violations.push({ field: "tests", message: "further tests are about one policy; give document or policy_id" });
  }
  if (violations.length > 0) throw validationFailed(violations);
}

/** A token of one project is refused whether or not another one exists. */
function assertReaches({ credential }: Caller, projectId: string): void {
  if (credential.projectId === undefined || credential.projectId === projectId.toLowerCase()) return;
  throw insufficientScope("this credential belongs to another project");
}

function fromDocument(input: JsonValue, packs: PackSource): Candidate {
  const policy = soundPolicy(input, packs);
  const { name } = policy.metadata;
  return { name, policyId: undefined, version: undefined, scope: anywhere, document: canonicalPolicy(policy) };
}

async function documentOf(tx: Transaction, { policy, current }: CurrentPolicy, version: number | undefined) {
  if (version === undefined || version === current.version) return current;
  const found = await findPolicyVersion(tx, policy.id, version);
  if (found === null) throw notFound("policy version");
  return found;
}

function candidateOf(
  { policy }: CurrentPolicy,
  { version, document }: { readonly version: number; readonly document: JsonObject },
): Candidate {
  const { orgId: tenantId, appId, agentId, env } = policy;
  return { name: policy.name, policyId: policy.id, version, scope: { tenantId, appId, agentId, env }, document };
}

function referenceOf({ version, digest }: { version: number; digest: string }, activationSeq: number): BundleReference {
  return create(BundleReferenceSchema, { version, digest, activationSeq });
}
