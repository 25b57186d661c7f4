// Bundles: signed, immutable versions of an environment's policies. Publishing compiles, tests and signs; promoting
// copies a version to another environment; activating says which version runtimes enforce.

import { Reason } from "../../../gen/policyguard/common/v1/reason_pb.ts";
import { minRuntimeOf } from "../../kit/bundle/min-runtime.ts";
import { contentDigest, type ManifestPayload, type PartEntry, partEntry } from "../../kit/bundle/statement-payload.ts";
import { Fault, validationFailed } from "../../kit/fault/fault.ts";
import type { Caller } from "../../kit/rpc/context.ts";
import type { Page } from "../../kit/rpc/page.ts";
import { type BundleApprovalRow, listApprovals, listApprovalsOf } from "../../store/bundle/approval.ts";
import { type BundleRow, findBundle, listBundles, newestVersion, storeParts } from "../../store/bundle/bundle.ts";
import { touchParts } from "../../store/bundle/retention.ts";
import type { Database } from "../../store/connection/database.ts";
import type { Transaction } from "../../store/core/transaction.ts";
import { policyHeadsOfProject } from "../../store/policy/policy.ts";
import type { EnvironmentRow } from "../../store/project/environment.ts";
import type { Analysis } from "../analysis/analysis.ts";
import type { ReleaseCheck, TestCount } from "../analysis/check-release.ts";
import { publishEvent } from "../event/event.ts";
import { requireEnvironment, requireLockedEnvironment, requireProject } from "../lookup.ts";
import { activate } from "./activation.ts";
import { causeOfSource } from "./activation-history.ts";
import {
  bundleContent,
  type ReleaseSurroundings,
  releasePolicies,
  releaseSurroundings,
  storedPolicyParts,
} from "./content.ts";
import { type BundleDiff, diffToActive } from "./diff.ts";
import type { GateAction } from "./gate/definition.ts";
import { type Gate, type GateKeeper, type GateOverride, subjectOf } from "./gate/gate.ts";
import { requireApproved } from "./gate/standing.ts";
import type { GateVerdict } from "./gate/verdict.ts";
import { type EnvironmentPath, requireBundle, requireContent, requireNamedOrActive } from "./lookup.ts";
import { requireActivatable, requireInForce, requireVersion } from "./rule.ts";
import { signBundle } from "./sign.ts";
import type { SigningKeys } from "./signing-keys.ts";

/** A bundle, and whether it is the active one. */
export interface BundleView {
  readonly bundle: BundleRow;
  readonly isActive: boolean;
  /** Only where one bundle is read and its environment has an active one. */
  readonly diff?: BundleDiff & { readonly activationSeq: number };
  /** Only where one bundle is read. */
  readonly approvals?: readonly BundleApprovalRow[];
  /** Where one bundle is read, and those that a call has checked. */
  readonly gates?: readonly Gate[];
}

/** Options of every call that makes a new version. */
export interface ReleaseInput {
  /** The environment's newest version as the caller knows it; the call fails when there is a newer one. */
  readonly expectedVersion?: number;
  readonly activate: boolean;
  /** As for an activation alone; not checked where nothing is activated. */
  readonly expectedSeq?: number;
  readonly message?: string;
  readonly override?: GateOverride;
}

/** Options of an activation. */
export interface ActivationInput {
  /** The sequence number in force as the caller knows it, 0 for none; the call fails when it is another one. */
  readonly expectedSeq?: number;
  readonly message?: string;
  readonly override?: GateOverride;
}

/** The target and the source of a promotion. */
export interface PromotionInput extends ReleaseInput {
  readonly target: string;
  /** The version in the source environment. Default: its active one. */
  readonly version?: number;
}

/** How often a release begins again because its policies changed meanwhile. */
const maxAttempts = 5;

/** The policies of a release, and a key of their versions. */
interface ReleaseSource {
  /** Reads them. They may have many megabytes, which are not needed to find out whether they have changed. */
  readonly from: () => Promise<ReleaseCheck["from"]>;
  readonly versions: unknown;
}

/** The input of a release, as it was read before it was checked. */
interface ReleaseGround {
  readonly surroundings: ReleaseSurroundings;
  /** Has to be the same when the release is signed. */
  readonly facts: string;
  readonly now: Date;
}

/** A new version, and how the gates stood that it had to pass. */
interface Released {
  readonly environment: EnvironmentRow;
  readonly bundle: BundleRow;
  readonly isActive: boolean;
  readonly gates: readonly GateVerdict[];
}

/** Publishes, promotes, activates and lists bundles. */
export class Bundles {
  readonly #database: Database;
  readonly #keys: SigningKeys;
  readonly #analysis: Analysis;
  readonly #gates: GateKeeper;

  constructor(
    database: Database,
    { keys, analysis, gates }: { readonly keys: SigningKeys; readonly analysis: Analysis; readonly gates: GateKeeper },
  ) {
    this.#database = database;
    this.#keys = keys;
    this.#analysis = analysis;
    this.#gates = gates;
  }

  /** Signs the policies in scope as the environment's next version. Atomic. */
  publish(caller: Caller, path: EnvironmentPath, input: ReleaseInput, signal?: AbortSignal): Promise<BundleView> {
    return this.#release(caller, path, {
      ...{ input, signal, source: "publish" },
      sourceOf: async (tx) => {
        const heads = await policyHeadsOfProject(tx, path.projectId);
        return { from: async () => ({ policies: await releasePolicies(tx, heads) }), versions: heads };
      },
    });
  }

  /** Signs the policies of the environment's newest version once more, with the present packs, lists and keys. */
  republish(caller: Caller, path: EnvironmentPath, input: ReleaseInput, signal?: AbortSignal): Promise<BundleView> {
    return this.#release(caller, path, {
      ...{ input, signal, source: "republish" },
      sourceOf: async (tx, environment) => {
        const newest = await findBundle(tx, environment.id, await newestVersion(tx, environment.id));
        if (newest === null) throw new Fault(Reason.CONFLICT, `${environment.name} has no bundle yet; publish one`);
        return { from: async () => ({ parts: await storedPolicyParts(tx, newest.parts) }), versions: newest.id };
      },
    });
  }

  /** Copies a version to another environment: the same content, signed as the target's next version. */
  async promote(
    caller: Caller,
    path: EnvironmentPath,
    input: PromotionInput,
    signal?: AbortSignal,
  ): Promise<BundleView> {
    if (input.target === path.environment) {
      throw validationFailed([{ field: "target_env", message: "must not be the source environment" }]);
    }
    const { orgId } = caller;
    for (let attempt = 1; attempt <= maxAttempts; attempt++) {
      const ground = await this.#database.read(orgId, async (tx) => {
        const source = await requireNamedOrActive(tx, path, input.version);
        const environment = await requireEnvironment(tx, path.projectId, input.target);
        await requireReleasable(tx, caller, environment, input);
        const { id } = source;
        const target = { projectId: path.projectId, environment: environment.name };
        return { id, check: { ...target, parts: await storedPolicyParts(tx, source.parts), now: tx.now } };
      });
      // Its tests run again: time may have passed, and the engine may be newer.
      const tests = await this.#analysis.run("retestBundle", ground.check, { orgId, signal });
      const view = await this.#gates.passing(caller, (tx) =>
        this.#promoted(tx, caller, path, { input, checked: ground.id, tests }),
      );
      if (view !== undefined) return view;
    }
    throw keptChanging();
  }

  /** Makes a version, which may be an older one, the one that runtimes enforce. */
  activate(
    caller: Caller,
    path: EnvironmentPath,
    version: number,
    { expectedSeq, message, override }: ActivationInput = {},
  ): Promise<BundleView> {
    return this.#gates.passing(caller, async (tx) => {
      const environment = await requireLockedEnvironment(tx, path.projectId, path.environment);
      const bundle = await requireContent(tx, environment, version);
      requireActivatable(caller, environment);
      await requireInForce(tx, environment, expectedSeq);
      await requireApproved(tx, environment, version);
      const asked = { environment, subject: subjectOf(bundle), actions: ["activate"] as const, override };
      const gates = await this.#gates.require(tx, caller, asked);
      const before = activeView(environment);
      const activation = await this.#activate(tx, caller, { environment, bundle, cause: "activate", message });
      const after = { ...auditView(bundle), ...activation, activation_message: message ?? null };
      tx.changed({ resource: resourceOf(bundle), before, after });
      return { bundle, isActive: true, gates };
    });
  }

  /** A page of the environment's bundles. */
  list(caller: Caller, path: EnvironmentPath, page: Page): Promise<[BundleView[], number]> {
    return this.#database.read(caller.orgId, async (tx) => {
      await requireProject(tx, path.projectId);
      const environment = await requireEnvironment(tx, path.projectId, path.environment);
      const [rows, total] = await listBundles(tx, environment.id, page);
      const versions = rows.map(({ version }) => version);
      const approvals = await listApprovalsOf(tx, environment.id, versions);
      const views = rows.map((bundle) => ({
        ...viewOf(bundle, environment),
        approvals: approvals.get(bundle.version) ?? [],
      }));
      return [views, total];
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
      const gates = await this.#gates.of(tx, environment, bundle, approvals);
      const view = { ...viewOf(bundle, environment), approvals, gates };
      return active === null
        ? view
        : { ...view, diff: { ...diffToActive(bundle, active), activationSeq: environment.activationSeq } };
    });
  }

  /**
   * Checks the release outside of any transaction, so that nobody waits for an environment meanwhile; then signs what
   * was checked.
   */
  async #release(
    caller: Caller,
    path: EnvironmentPath,
    {
      input,
      signal,
      source,
      sourceOf,
    }: {
      readonly input: ReleaseInput;
      readonly signal: AbortSignal | undefined;
      readonly source: "publish" | "republish";
      readonly sourceOf: (tx: Transaction, environment: EnvironmentRow) => Promise<ReleaseSource>;
    },
  ): Promise<BundleView> {
    const { orgId } = caller;
    for (let attempt = 1; attempt <= maxAttempts; attempt++) {
      const ground = await this.#database.read(orgId, async (tx) => {
        const environment = await requireEnvironment(tx, path.projectId, path.environment);
        await requireReleasable(tx, caller, environment, input);
        const releaseSource = await sourceOf(tx, environment);
        return { from: await releaseSource.from(), ...(await groundOf(tx, path.projectId, releaseSource)) };
      });
      const check = { ...path, from: ground.from, ...ground.surroundings, now: ground.now };
      const release = await this.#analysis.run("checkRelease", check, { orgId, signal });
      const view = await this.#gates.passing(caller, async (tx) => {
        const environment = await requireLockedEnvironment(tx, path.projectId, path.environment);
        await requireReleasable(tx, caller, environment, input);
        const present = await groundOf(tx, path.projectId, await sourceOf(tx, environment));
        if (present.facts !== ground.facts) return undefined;
        const content = await bundleContent(tx, path.projectId, release);
        const parts = content.parts.map(entryOf);
        const keepParts = (within: Transaction) => storeParts(within, content.parts);
        const subject = { contentDigest: contentDigest(parts), parts, keepParts };
        const asked = { environment, subject, actions: actionsOf("publish", input), override: input.override };
        const gates = await this.#gates.require(tx, caller, asked);
        await storeParts(tx, content.parts);
        const minRuntime = minRuntimeOf(content.parts);
        const draft = { ...content, minRuntime, tests: release.tests, source, message: input.message };
        const bundle = await signBundle(tx, this.#keys, { caller, environment, draft });
        await publishEvent(tx, "bundle.published", eventData(bundle));
        return this.#released(tx, caller, { environment, bundle, isActive: input.activate, gates });
      });
      if (view !== undefined) return view;
    }
    throw keptChanging();
  }

  /** Signs the version for its target; undefined when the source's version is not the checked one anymore. */
  async #promoted(
    tx: Transaction,
    caller: Caller,
    path: EnvironmentPath,
    { input, checked, tests }: { readonly input: PromotionInput; readonly checked: string; readonly tests: TestCount },
  ): Promise<BundleView | undefined> {
    const source = await requireNamedOrActive(tx, path, input.version);
    if (source.id !== checked) return undefined;
    const environment = await requireLockedEnvironment(tx, path.projectId, input.target);
    await requireReleasable(tx, caller, environment, input);
    const origin = `promote:${source.environment}@${source.version}`;
    const { parts, policies } = source;
    const { version: _, ...subject } = subjectOf(source);
    const asked = { environment, subject, actions: actionsOf("promote", input), override: input.override };
    const gates = await this.#gates.require(tx, caller, asked);
    await touchParts(
      tx,
      parts.map(({ digest }) => digest),
    );
    // This control plane signed it.
    const manifest: ManifestPayload = JSON.parse(Buffer.from(source.manifest.payload, "base64url").toString("utf8"));
    const minRuntime = manifest.min_runtime;
    const draft = { parts, policies, tests, minRuntime, source: origin, message: input.message };
    const bundle = await signBundle(tx, this.#keys, { caller, environment, draft });
    await publishEvent(tx, "bundle.promoted", {
      ...eventData(bundle),
      source_environment: source.environment,
      source_version: source.version,
      activated: input.activate,
    });
    return this.#released(tx, caller, { environment, bundle, isActive: input.activate, gates });
  }

  /** Activates the new version if the call asks for it, and adds it to the log of evidence. */
  async #released(
    tx: Transaction,
    caller: Caller,
    { environment, bundle, isActive, gates }: Released,
  ): Promise<BundleView> {
    const before = isActive ? activeView(environment) : null;
    const cause = causeOfSource(bundle.source);
    const activation = isActive ? await this.#activate(tx, caller, { environment, bundle, cause }) : {};
    tx.changed({ resource: resourceOf(bundle), before, after: { ...auditView(bundle), ...activation } });
    if (!isActive) await this.#gates.prepareLater(tx, environment, bundle);
    return { bundle, isActive, gates };
  }

  /** Returns the fields that the audit log keeps of it. */
  async #activate(
    tx: Transaction,
    caller: Caller,
    { environment, bundle, ...why }: Omit<Parameters<typeof activate>[2], "author">,
  ) {
    const author = caller.credential.label;
    const statement = await activate(tx, this.#keys, { environment, bundle, author, ...why });
    const data = { ...eventData(bundle), activation_seq: environment.activationSeq };
    await publishEvent(tx, "bundle.activated", data);
    return { ...activeView(environment), statement };
  }
}

/** Throws unless the caller may make a version of the environment and its newest version is the expected one. */
async function requireReleasable(
  tx: Transaction,
  caller: Caller,
  environment: EnvironmentRow,
  input: ReleaseInput,
): Promise<void> {
  if (input.activate) requireActivatable(caller, environment);
  if (input.activate) await requireApproved(tx, environment);
  await requireVersion(tx, environment, input.expectedVersion);
  if (input.activate) await requireInForce(tx, environment, input.expectedSeq);
}

/** What a call does that makes a version: an activation with it has to pass the gates of both. */
function actionsOf(action: "publish" | "promote", { activate }: ReleaseInput): GateAction[] {
  return activate ? [action, "activate"] : [action];
}

function entryOf({ path, size, digest }: PartEntry): PartEntry {
  return { path, size, digest };
}

/** The input of a release. */
async function groundOf(tx: Transaction, projectId: string, source: ReleaseSource): Promise<ReleaseGround> {
  const surroundings = await releaseSurroundings(tx, projectId);
  // Agents appear by themselves all the time; those that a bundle knows may be those of a moment ago.
  const overlays = surroundings.overlays.map(({ path, data }) => partEntry(path, data));
  const facts = JSON.stringify([source.versions, surroundings.lists, surroundings.backends, overlays]);
  return { surroundings, facts, now: tx.now };
}

function keptChanging(): Fault {
  return new Fault(Reason.CONFLICT, "the policies kept changing while they were checked; publish again");
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

function auditView({ projectId, environment, version, digest, source, message }: BundleRow) {
  return { project_id: projectId, environment, version, digest, source, message: message ?? null };
}

/** The active version, as the audit log names it. */
function activeView({ activeVersion, activationSeq }: EnvironmentRow) {
  return { active_version: activeVersion ?? null, activation_seq: activationSeq };
}
