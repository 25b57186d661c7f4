import type { MessageInitShape } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import type { PackDetailSchema, PackSchema } from "../../../gen/policyguard/control/v1/pack_pb.ts";
import {
  type ApplyPackRequest,
  type ApplyPackResponseSchema,
  PackConflict,
  type PackService,
} from "../../../gen/policyguard/control/v1/pack_service_pb.ts";
import { Mode } from "../../../gen/policyguard/policy/v1/outcome_pb.ts";
import type { ConflictRule } from "../../domain/analysis/plan-pack.ts";
import type { PackCatalog, PackDetail, PackEntry } from "../../domain/policy/pack.ts";
import type { AppliedPack, PackApplication, PackApplications } from "../../domain/policy/pack-apply.ts";
import { callerOf } from "../../kit/rpc/context.ts";
import { pageOf } from "../../kit/rpc/page.ts";
import { changeMessage } from "./change.ts";

/** What the handlers call. */
export interface PackDomain {
  readonly packs: PackCatalog;
  readonly packApplications: PackApplications;
}

/** Handlers of PackService. */
export function packHandlers(domain: PackDomain): ServiceImpl<typeof PackService> {
  return {
    listPacks: async (request) => {
      const page = pageOf(request);
      const [entries, total] = await domain.packs.list(request, page);
      return { total, ...page, packs: entries.map(packMessage) };
    },
    getPack: async ({ packId, version }) => ({ pack: detailMessage(await domain.packs.get(packId, version)) }),
    applyPack: async (request, context) => {
      const caller = callerOf(context);
      const applied = await domain.packApplications.apply(caller, applicationOf(request), context.signal);
      return appliedMessage(caller.orgId, applied, request.dryRun ?? false);
    },
  };
}

const modes = [
  ["enforce", Mode.ENFORCE],
  ["shadow", Mode.SHADOW],
  ["off", Mode.OFF],
] as const;

const conflicts = new Map<PackConflict | undefined, ConflictRule>([
  [PackConflict.MERGE, "merge"],
  [PackConflict.REPLACE, "replace"],
]);

function applicationOf(request: ApplyPackRequest): PackApplication {
  const { packId, version, parameters, message } = request;
  return {
    ...{ packId, version, parameters, message },
    mode: modes.find(([, mode]) => mode === request.mode)?.[0],
    target: { appId: request.targetAppId, agentId: request.targetAgentId, env: request.targetEnv },
    conflict: conflicts.get(request.conflict) ?? "fail",
    dryRun: request.dryRun ?? false,
  };
}

function packMessage({ id, pack, installCount }: PackEntry): MessageInitShape<typeof PackSchema> {
  const { metadata, tests } = pack;
  return {
    id,
    name: metadata.id,
    version: metadata.version,
    displayName: metadata.display_name,
    description: metadata.description,
    category: metadata.category,
    tags: [...metadata.tags],
    author: metadata.author,
    controls: [...metadata.controls],
    testCount: tests.length,
    installCount,
  };
}

function detailMessage({ versions, document, ...entry }: PackDetail): MessageInitShape<typeof PackDetailSchema> {
  const { $typeName: _, ...pack } = { $typeName: undefined, ...packMessage(entry) };
  const { digest, parameters, benchmark } = entry.pack;
  return { ...pack, versions: [...versions], digest, parameters, document, benchmark: benchmark && { ...benchmark } };
}

function appliedMessage(
  orgId: string,
  applied: AppliedPack,
  dryRun: boolean,
): MessageInitShape<typeof ApplyPackResponseSchema> {
  const { scope, made, diff } = applied;
  return {
    appliedTo: { tenantId: orgId, ...scope },
    packId: applied.packId,
    packName: made.id,
    version: made.version,
    parameters: made.parameters,
    mode: modes.find(([name]) => name === applied.mode)?.[1] ?? Mode.UNSPECIFIED,
    dryRun,
    change: applied.change,
    policyId: applied.policyId,
    policyName: applied.policyName,
    policyVersion: applied.policyVersion,
    createdRules: [...applied.createdRules],
    removedRules: [...applied.removedRules],
    skipped: [...applied.skipped],
    diff: diff.changes.map(changeMessage),
    strictness: diff.strictness,
    tests: applied.tests.map((test) => ({ ...test, failures: [...test.failures] })),
  };
}
