// Bundles: signed, immutable versions of an environment's policies. Publishing compiles, tests and signs; promoting takes a
// version over into another environment; activating says which version runtimes enforce.

import { Reason } from "../../gen/policyguard/common/v1/reason_pb.ts";
import { noPacks, type PackSource } from "../../runtime/engine/policy/extend.ts";
import type { Caller } from "../kit/context.ts";
import { Fault, notFound, validationFailed } from "../kit/error.ts";
import type { Page } from "../kit/page.ts";
import { tryEach } from "../kit/try-each.ts";
import { activationsIssuedBefore, type BundleRow, findBundle, listBundles, storeParts } from "../store/bundle.ts";
import { type BundleApprovalRow, listApprovals } from "../store/bundle-approval.ts";
import { touchParts } from "../store/bundle-retention.ts";
import type { Database, Transaction } from "../store/database.ts";
import { type EnvironmentRow, findEnvironmentById, lockEnvironment } from "../store/environment.ts";
import { activate, refreshActiveBundle } from "./activation.ts";
import { bundleContent, currentSources, storedPolicies } from "./bundle-content.ts";
import { type BundleDiff, diffToActive } from "./bundle-diff.ts";
import { purgedBundle } from "./bundle-fault.ts";
import { type Gate, gatesOf, requireApproved } from "./bundle-gate.ts";
import { requireActivatable, requireVersion } from "./bundle-rule.ts";
import { type BundleDraft, signBundle } from "./bundle-sign.ts";
import { testPolicies } from "./bundle-test.ts";
import { publishEvent } from "./event.ts";
import { requireEnvironment, requireLockedEnvironment, requireProject } from "./lookup.ts";
import type { SigningKeys } from "./signing-keys.ts";

/** A bundle, and whether it is the one in force. */
export interface BundleView {
  readonly bundle: BundleRow;
  readonly isActive: boolean;
  /** Where one bundle is read and its environment has an active one. */
  readonly diff?: BundleDiff;
  /** Where one bundle is read. */
  readonly approvals?: readonly BundleApprovalRow[];
  readonly gates?: readonly Gate[];
}

/** Which environment a call is about. */
export interface EnvironmentPath {
  readonly projectId: string;
  readonly environment: string;
}

/** What every way to a new version takes. */
export interface ReleaseInput {
  /** The environment's newest version, when the caller wants nobody to have come in between. */
  readonly expectedVersion?: number;
  readonly activate: boolean;
  readonly message?: string;
}

/** Where a promotion goes, and what it takes. */
export interface PromotionInput extends ReleaseInput {
  readonly target: string;
  /** The version in the source environment; its active one when not given. */
  readonly version?: number;
}

/** Publishes, promotes, activates and lists bundles. */
export class Bundles {
  readonly #database: Database;
  readonly #keys: SigningKeys;
  readonly #packs: PackSource;

  /** `packs` are those that policies may extend. */
  constructor(database: Database, keys: SigningKeys, packs: PackSource = noPacks) {
    this.#database = database;
    this.#keys = keys;
    this.#packs = packs;
  }

  /** Signs the policies in scope as the environment's next version; all of it happens, or nothing. */
  publish(caller: Caller, path: EnvironmentPath, input: ReleaseInput): Promise<BundleView> {
    return this.#release(caller, path, input, async (tx) => {
      const policies = await currentSources(tx, path.projectId, this.#packs);
      const tests = testPolicies(policies, tx.now);
      const content = await bundleContent(tx, path.projectId, policies);
      await storeParts(tx, content.parts);
      return { ...content, tests, source: "publish", message: input.message };
    });
  }

  /** Signs the policies of the environment's newest version once more, with the packs, lists and keys of now. */
  republish(caller: Caller, path: EnvironmentPath, input: ReleaseInput): Promise<BundleView> {
    return this.#release(caller, path, input, async (tx, environment) => {
      const newest = await findBundle(tx, environment.id, environment.latestVersion);
      if (newest === null) throw new Fault(Reason.CONFLICT, `${environment.name} has no bundle yet; publish one`);
      return this.#refreshed(tx, newest, input.message);
    });
  }

  /** Takes a version over into another environment: the same content, signed for the target as its next version. */
  promote(caller: Caller, path: EnvironmentPath, input: PromotionInput): Promise<BundleView> {
    if (input.target === path.environment) {
      throw validationFailed([{ field: "target_env", message: "has to be another environment than the source" }]);
    }
    return this.#database.transaction(caller, async (tx) => {
      const source = await requirePromotable(tx, path, input.version);
      const environment = await requireLockedEnvironment(tx, path.projectId, input.target);
      if (input.activate) requireActivatable(caller, environment);
      if (input.activate) await requireApproved(tx, environment);
      requireVersion(environment, input.expectedVersion);
      const origin = `promote:${source.environment}@${source.version}`;
      const draft = await repeated(tx, source, { source: origin, message: input.message });
      const bundle = await signBundle(tx, this.#keys, { caller, environment, draft });
      await publishEvent(tx, "bundle.promoted", {
        ...eventData(bundle),
        source_environment: source.environment,
        source_version: source.version,
        activated: input.activate,
      });
      if (input.activate) await this.#activate(tx, caller, environment, bundle);
      tx.changed({ resource: resourceOf(bundle), before: null, after: { ...auditView(bundle), source: origin } });
      return { bundle, isActive: input.activate };
    });
  }

  /** Makes a version, older ones too, the one that runtimes enforce. */
  activate(caller: Caller, path: EnvironmentPath, version: number): Promise<BundleView> {
    return this.#database.transaction(caller, async (tx) => {
      const environment = await requireLockedEnvironment(tx, path.projectId, path.environment);
      const bundle = await requireContent(tx, environment, version);
      requireActivatable(caller, environment);
      await requireApproved(tx, environment, version);
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

  /** The bundle, and how it differs from the active one. */
  get(caller: Caller, path: EnvironmentPath, version: number): Promise<BundleView> {
    return this.#database.read(caller.orgId, async (tx) => {
      const environment = await requireEnvironment(tx, path.projectId, path.environment);
      const bundle = await requireBundle(tx, environment, version);
      const active =
        environment.activeVersion == null ? null : await findBundle(tx, environment.id, environment.activeVersion);
      const approvals = await listApprovals(tx, environment.id, version);
      const gates = gatesOf(environment, bundle, approvals);
      const view = { ...viewOf(bundle, environment), approvals, gates };
      return active === null ? view : { ...view, diff: diffToActive(bundle, active) };
    });
  }

  /**
   * Signs anew every activation that was issued before this moment. Returns how many. One that cannot be signed keeps no other one
   * waiting: in the end, an AggregateError says what went wrong.
   */
  async refreshActivations(issuedBefore: Date): Promise<number> {
    const due = await activationsIssuedBefore(this.#database, issuedBefore);
    await tryEach(due, {
      nameOf: ({ org_id, environment_id }) => `environment ${environment_id} of organization ${org_id}`,
      work: ({ org_id, environment_id }) =>
        this.#database.systemTransaction(org_id, async (tx) => {
          const found = await findEnvironmentById(tx, environment_id);
          const environment = found && (await lockEnvironment(tx, found.projectId, found.name));
          if (environment != null) await refreshActiveBundle(tx, this.#keys, environment);
        }),
    });
    return due.length;
  }

  /** The same versions of the policies, with packs and lists as they are now. */
  async #refreshed(tx: Transaction, newest: BundleRow, message: string | undefined): Promise<BundleDraft> {
    const packs = this.#packs;
    const policies = (await storedPolicies(tx, newest.parts)).map((policy) => ({ ...policy, packs }));
    const tests = testPolicies(policies, tx.now);
    const content = await bundleContent(tx, newest.projectId, policies);
    await storeParts(tx, content.parts);
    return { ...content, tests, source: "republish", message };
  }

  #release(
    caller: Caller,
    path: EnvironmentPath,
    input: ReleaseInput,
    draftOf: (tx: Transaction, environment: EnvironmentRow) => Promise<BundleDraft>,
  ): Promise<BundleView> {
    return this.#database.transaction(caller, async (tx) => {
      const environment = await requireLockedEnvironment(tx, path.projectId, path.environment);
      if (input.activate) requireActivatable(caller, environment);
      if (input.activate) await requireApproved(tx, environment);
      requireVersion(environment, input.expectedVersion);
      const draft = await draftOf(tx, environment);
      const bundle = await signBundle(tx, this.#keys, { caller, environment, draft });
      await publishEvent(tx, "bundle.published", eventData(bundle));
      if (input.activate) await this.#activate(tx, caller, environment, bundle);
      tx.changed({ resource: resourceOf(bundle), before: null, after: auditView(bundle) });
      return { bundle, isActive: input.activate };
    });
  }

  async #activate(tx: Transaction, caller: Caller, environment: EnvironmentRow, bundle: BundleRow): Promise<void> {
    await activate(tx, this.#keys, { environment, bundle, author: caller.credential.label });
    const data = { ...eventData(bundle), activation_seq: environment.activationSeq };
    await publishEvent(tx, "bundle.activated", data);
  }
}

async function requireBundle(tx: Transaction, environment: EnvironmentRow, version: number): Promise<BundleRow> {
  const bundle = await findBundle(tx, environment.id, version);
  if (bundle === null) throw notFound("bundle");
  return bundle;
}

/** The same with its content. */
async function requireContent(tx: Transaction, environment: EnvironmentRow, version: number): Promise<BundleRow> {
  const bundle = await requireBundle(tx, environment, version);
  if (bundle.purgedAt != null) throw purgedBundle(version);
  return bundle;
}

/** The bundle to promote: the version that is asked for, or the active one. */
async function requirePromotable(
  tx: Transaction,
  { projectId, environment: name }: EnvironmentPath,
  version: number | undefined,
): Promise<BundleRow> {
  const source = await requireEnvironment(tx, projectId, name);
  const wanted = version ?? source.activeVersion;
  if (wanted == null) throw new Fault(Reason.CONFLICT, `${name} has no active bundle; activate one or name a version`);
  return requireContent(tx, source, wanted);
}

/** A bundle's content once more. Its tests run again: time may have passed, and the engine may be a newer one. */
async function repeated(
  tx: Transaction,
  { parts, policies }: BundleRow,
  { source, message }: { readonly source: string; readonly message: string | undefined },
): Promise<BundleDraft> {
  const digests = parts.map(({ digest }) => digest);
  await touchParts(tx, digests);
  return { parts, policies, tests: testPolicies(await storedPolicies(tx, parts), tx.now), source, message };
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
