// Bundles: signed, immutable versions of an environment's policies. Publishing compiles, tests and signs; activating
// says which version runtimes enforce.

import { Reason } from "../../gen/policyguard/common/v1/reason_pb.ts";
import { CredentialKind, Role } from "../../gen/policyguard/options/v1/options_pb.ts";
import type { Caller } from "../kit/context.ts";
import { Fault, notFound } from "../kit/error.ts";
import { newId } from "../kit/id.ts";
import type { Page } from "../kit/page.ts";
import { signStatement, statementDigest } from "../kit/statement.ts";
import { contentDigest, type ManifestPayload } from "../kit/statement-payload.ts";
import { activationsIssuedBefore, BundleRow, findBundle, listBundles, storeParts } from "../store/bundle.ts";
import type { Database, Transaction } from "../store/database.ts";
import { type EnvironmentRow, findEnvironmentById, lockEnvironment } from "../store/environment.ts";
import { type CurrentPolicy, policiesOfProject } from "../store/policy.ts";
import { activate, refreshActiveBundle } from "./activation.ts";
import { type BundleContent, bundleContent } from "./bundle-content.ts";
import { testPolicies } from "./bundle-test.ts";
import { publishEvent } from "./event.ts";
import { requireEnvironment, requireLockedEnvironment, requireProject } from "./lookup.ts";
import type { SigningKeys } from "./signing-keys.ts";

/** The least runtime that understands what this version publishes. */
const minRuntime = "1.0.0";

/** A bundle, and whether it is the one in force. */
export interface BundleView {
  readonly bundle: BundleRow;
  readonly isActive: boolean;
}

/** Which environment a call is about. */
export interface EnvironmentPath {
  readonly projectId: string;
  readonly environment: string;
}

/** Publishes, activates and lists bundles. */
export class Bundles {
  readonly #database: Database;
  readonly #keys: SigningKeys;

  constructor(database: Database, keys: SigningKeys) {
    this.#database = database;
    this.#keys = keys;
  }

  /** Signs the policies in scope as the environment's next version; all of it happens, or nothing. */
  publish(
    caller: Caller,
    path: EnvironmentPath,
    input: { readonly expectedVersion?: number; readonly activate: boolean; readonly message?: string },
  ): Promise<BundleView> {
    return this.#database.transaction(caller, async (tx) => {
      const environment = await requireLockedEnvironment(tx, path.projectId, path.environment);
      if (input.activate) assertMayActivate(caller, environment);
      assertVersion(environment.latestVersion, input.expectedVersion);
      const policies = await policiesOfProject(tx, path.projectId);
      const bundle = await this.#sign(tx, caller, environment, { policies, message: input.message });
      await publishEvent(tx, "bundle.published", eventData(bundle));
      if (input.activate) await this.#activate(tx, caller, environment, bundle);
      tx.changed({ resource: resourceOf(bundle), before: null, after: auditView(bundle) });
      return { bundle, isActive: input.activate };
    });
  }

  /** Makes a version, older ones too, the one that runtimes enforce. */
  activate(caller: Caller, path: EnvironmentPath, version: number): Promise<BundleView> {
    return this.#database.transaction(caller, async (tx) => {
      const environment = await requireLockedEnvironment(tx, path.projectId, path.environment);
      const bundle = await findBundle(tx, environment.id, version);
      if (bundle === null) throw notFound("bundle");
      assertMayActivate(caller, environment);
      const before = { active_version: environment.activeVersion ?? null };
      await this.#activate(tx, caller, environment, bundle);
      tx.changed({ resource: resourceOf(bundle), before, after: { active_version: version } });
      return { bundle, isActive: true };
    });
  }

  /** A page of the environment's bundles. */
  list(caller: Caller, path: EnvironmentPath, page: Page): Promise<[BundleView[], number]> {
    return this.#database.read(caller.orgId, async (tx) => {
      await requireProject(tx, path.projectId);
      const environment = await requireEnvironment(tx, path.projectId, path.environment);
      const [rows, total] = await listBundles(tx, environment.id, page);
      return [rows.map((bundle) => viewOf(bundle, environment)), total];
    });
  }

  /** The bundle. */
  get(caller: Caller, path: EnvironmentPath, version: number): Promise<BundleView> {
    return this.#database.read(caller.orgId, async (tx) => {
      const environment = await requireEnvironment(tx, path.projectId, path.environment);
      const bundle = await findBundle(tx, environment.id, version);
      if (bundle === null) throw notFound("bundle");
      return viewOf(bundle, environment);
    });
  }

  /** Signs anew every activation that was issued before this moment. Returns how many. */
  async refreshActivations(issuedBefore: Date): Promise<number> {
    const due = await activationsIssuedBefore(this.#database, issuedBefore);
    for (const { org_id, environment_id } of due) {
      await this.#database.systemTransaction(org_id, async (tx) => {
        const found = await findEnvironmentById(tx, environment_id);
        const environment = found && (await lockEnvironment(tx, found.projectId, found.name));
        if (environment != null) await refreshActiveBundle(tx, this.#keys, environment);
      });
    }
    return due.length;
  }

  async #sign(
    tx: Transaction,
    caller: Caller,
    environment: EnvironmentRow,
    { policies, message }: { policies: readonly CurrentPolicy[]; message: string | undefined },
  ): Promise<BundleRow> {
    const tests = testPolicies(policies, tx.now);
    const content = bundleContent(policies);
    environment.latestVersion += 1;
    const manifest = manifestOf(tx, environment, content, tests);
    const statement = await signStatement("manifest", manifest, await this.#keys.signing(tx));
    await storeParts(tx, content.parts);
    return tx.em.create(BundleRow, {
      orgId: tx.orgId,
      id: newId(),
      projectId: environment.projectId,
      environmentId: environment.id,
      environment: environment.name,
      version: manifest.version,
      digest: statementDigest(statement),
      contentDigest: manifest.content_digest,
      source: manifest.source,
      message: message ?? null,
      manifest: statement,
      parts: manifest.parts,
      policies: content.policies,
      sizeBytes: content.parts.reduce((sum, part) => sum + part.size, 0),
      testsPassed: tests.passed,
      testsFailed: tests.failed,
      createdBy: caller.credential.label,
      createdAt: tx.now,
      activatedAt: null,
      activationSeq: null,
    });
  }

  async #activate(tx: Transaction, caller: Caller, environment: EnvironmentRow, bundle: BundleRow): Promise<void> {
    await activate(tx, this.#keys, { environment, bundle, author: caller.credential.label });
    const data = { ...eventData(bundle), activation_seq: environment.activationSeq };
    await publishEvent(tx, "bundle.activated", data);
  }
}

function manifestOf(
  tx: Transaction,
  environment: EnvironmentRow,
  { parts }: BundleContent,
  tests: { readonly passed: number; readonly failed: number },
): ManifestPayload {
  const entries = parts.map(({ path, size, digest }) => ({ path, size, digest }));
  return {
    org_id: tx.orgId,
    project_id: environment.projectId,
    environment: environment.name,
    version: environment.latestVersion,
    created_at: tx.now.toISOString(),
    source: "publish",
    content_digest: contentDigest(entries),
    parts: entries,
    min_runtime: minRuntime,
    tests,
  };
}

function assertVersion(latest: number, expected: number | undefined): void {
  if (expected === undefined || expected === latest) return;
  throw new Fault(
    Reason.BUNDLE_VERSION_CONFLICT,
    `the newest version of this environment is ${latest}, not ${expected}; look at it and publish again`,
    { extra: { current_version: latest } },
  );
}

// A ci token may: it passes the environment's gates instead.
function assertMayActivate({ credential, role }: Caller, environment: EnvironmentRow): void {
  if (!environment.isProtected || credential.kind !== CredentialKind.MEMBER) return;
  if (role !== undefined && role >= Role.ADMIN) return;
  throw new Fault(
    Reason.PROTECTED_ENVIRONMENT,
    `${environment.name} is protected; activating into it needs the role admin, or a ci token`,
  );
}

function viewOf(bundle: BundleRow, environment: EnvironmentRow): BundleView {
  return { bundle, isActive: environment.activeVersion === bundle.version };
}

function resourceOf({ id }: BundleRow): string {
  return `bundle/${id}`;
}

function eventData({ id, projectId, environment, version, digest }: BundleRow) {
  return { bundle_id: id, project_id: projectId, environment, version, digest };
}

function auditView({ environment, version, digest }: BundleRow) {
  return { environment, version, digest };
}
