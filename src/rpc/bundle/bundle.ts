import type { MessageInitShape } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import { type BundleSchema, BundleState } from "../../../gen/policyguard/control/v1/bundle_pb.ts";
import type { BundleService } from "../../../gen/policyguard/control/v1/bundle_service_pb.ts";
import type { ActivationHistory } from "../../domain/bundle/activation-history.ts";
import type { BundleApprovals } from "../../domain/bundle/approval.ts";
import type { Bundles, BundleView } from "../../domain/bundle/bundle.ts";
import type { Candidates } from "../../domain/bundle/candidate.ts";
import type { BundleComparisons } from "../../domain/bundle/compare.ts";
import type { LatestBundles } from "../../domain/bundle/latest.ts";
import type { SigningKeys } from "../../domain/bundle/signing-keys.ts";
import { ifNoneMatch } from "../../kit/bundle/entity-tag.ts";
import { callerOf } from "../../kit/rpc/context.ts";
import { pageOf } from "../../kit/rpc/page.ts";
import { waitMsOf, wantsChangedParts } from "../../platform/prefer.ts";
import { runtimeScope } from "../runtime-scope.ts";
import { timestamp } from "../time.ts";
import { activationHandlers } from "./activation.ts";
import { candidateHandlers } from "./candidate.ts";
import { comparisonMessage } from "./comparison.ts";
import { gateMessage } from "./gate.ts";
import { statementMessage } from "./statement.ts";

/** What the handlers call. */
export interface BundleHandlerDomain {
  readonly bundles: Bundles;
  readonly activations: ActivationHistory;
  readonly comparisons: BundleComparisons;
  readonly approvals: BundleApprovals;
  readonly candidates: Candidates;
  readonly latest: LatestBundles;
  readonly keys: SigningKeys;
}

/** Handlers of BundleService. `shutdown` ends calls that wait. */
export function bundleHandlers(
  { bundles, activations, comparisons, approvals, candidates, latest, keys }: BundleHandlerDomain,
  shutdown: AbortSignal,
): ServiceImpl<typeof BundleService> {
  return {
    getLatestBundle: async ({ ifNoneMatch: known, prefer }, context) => {
      const signal = AbortSignal.any([context.signal, shutdown]);
      const scope = runtimeScope(context);
      const found = await latest.get(scope, { known, waitMs: waitMsOf(prefer), signal });
      const { etag, activation } = found;
      if (ifNoneMatch(known, etag)) return { etag, activation, notModified: true };
      const isPartial = known !== undefined && wantsChangedParts(prefer);
      const parts = isPartial ? await latest.changedParts(scope, found, known) : found.parts;
      const bundle = {
        manifest: statementMessage(found.manifest),
        activation: statementMessage(found.activationStatement),
        parts: parts.map(({ path, data }) => ({ path, data })),
        keys: statementMessage(found.keys),
      };
      return { etag, activation, bundle };
    },
    listSigningKeys: async (_request, context) => {
      const published = await keys.published(callerOf(context).orgId);
      return {
        keys: published.keys.map((jwk) => ({ ...jwk })),
        revokedKids: [...published.revokedKids],
        logKeys: published.logKeys.map((jwk) => ({ ...jwk })),
        statement: statementMessage(published.statement),
      };
    },
    listBundles: async (request, context) => {
      const page = pageOf(request);
      const [views, total] = await bundles.list(callerOf(context), pathOf(request), page);
      return { total, ...page, bundles: views.map(bundleMessage) };
    },
    ...activationHandlers(activations),
    publishBundle: async (request, context) => {
      const { expectedVersion, activate = false, expectedActivationSeq: expectedSeq, message, override } = request;
      const input = { expectedVersion, activate, expectedSeq, message, override };
      return {
        bundle: bundleMessage(await bundles.publish(callerOf(context), pathOf(request), input, context.signal)),
      };
    },
    republishBundle: async (request, context) => {
      const { expectedVersion, activate = false, expectedActivationSeq: expectedSeq, message, override } = request;
      const input = { expectedVersion, activate, expectedSeq, message, override };
      return {
        bundle: bundleMessage(await bundles.republish(callerOf(context), pathOf(request), input, context.signal)),
      };
    },
    promoteBundle: async (request, context) => {
      const { projectId, sourceEnv, targetEnv: target, version, expectedVersion, activate = true } = request;
      const { expectedActivationSeq: expectedSeq, message, override } = request;
      const path = { projectId, environment: sourceEnv };
      const input = { target, version, expectedVersion, activate, expectedSeq, message, override };
      return { bundle: bundleMessage(await bundles.promote(callerOf(context), path, input, context.signal)) };
    },
    getBundle: async (request, context) => ({
      bundle: bundleMessage(await bundles.get(callerOf(context), pathOf(request), request.version)),
    }),
    compareBundles: async ({ version, baseEnv, baseVersion, ...request }, context) => {
      const base = { environment: baseEnv, version: baseVersion };
      const options = { base, signal: context.signal };
      const found = await comparisons.compare(callerOf(context), pathOf(request), version, options);
      return { comparison: comparisonMessage(found) };
    },
    ...candidateHandlers(candidates),
    approveBundle: async (request, context) => ({
      bundle: bundleMessage(await approvals.approve(callerOf(context), pathOf(request), request.version)),
    }),
    withdrawApproval: async (request, context) => {
      await approvals.withdraw(callerOf(context), pathOf(request), request.version);
      return {};
    },
    activateBundle: async ({ version, expectedActivationSeq: expectedSeq, message, override, ...request }, context) => {
      const input = { expectedSeq, message, override };
      return { bundle: bundleMessage(await bundles.activate(callerOf(context), pathOf(request), version, input)) };
    },
  };
}

function pathOf({ projectId, envName }: { projectId: string; envName: string }) {
  return { projectId, environment: envName };
}

function bundleMessage({
  bundle,
  isActive,
  diff,
  approvals = [],
  gates = [],
}: BundleView): MessageInitShape<typeof BundleSchema> {
  return {
    id: bundle.id,
    orgId: bundle.orgId,
    projectId: bundle.projectId,
    environment: bundle.environment,
    version: bundle.version,
    state: bundle.purgedAt == null ? stateOf(bundle.activatedAt ?? undefined, isActive) : BundleState.PURGED,
    digest: bundle.digest,
    contentDigest: bundle.contentDigest,
    source: bundle.source,
    message: bundle.message ?? undefined,
    policies: bundle.policies.map(policyMessage),
    sizeBytes: bundle.sizeBytes,
    tests: { passed: bundle.testsPassed, failed: bundle.testsFailed },
    createdBy: bundle.createdBy,
    createdAt: timestamp(bundle.createdAt),
    activatedAt: timestamp(bundle.activatedAt),
    activationSeq: bundle.activationSeq ?? undefined,
    approvals: approvals.map(({ approvedBy, approvedAt }) => ({ approvedBy, approvedAt: timestamp(approvedAt) })),
    gates: gates.map(gateMessage),
    diff: diff && {
      activeVersion: diff.activeVersion,
      activationSeq: diff.activationSeq,
      added: diff.added.map(policyMessage),
      removed: diff.removed.map(policyMessage),
      changed: diff.changed.map(({ policy, activeVersion }) => ({ ...policyMessage(policy), activeVersion })),
      parts: diff.parts.map(({ path, activeDigest, digest }) => ({ path, activeDigest, digest })),
    },
  };
}

function policyMessage({ policy_id, name, version }: BundleView["bundle"]["policies"][number]) {
  return { policyId: policy_id, name, version };
}

function stateOf(activatedAt: Date | undefined, isActive: boolean): BundleState {
  if (isActive) return BundleState.ACTIVE;
  return activatedAt === undefined ? BundleState.PUBLISHED : BundleState.SUPERSEDED;
}
