import type { MessageInitShape } from "@bufbuild/protobuf";
import type { HandlerContext, ServiceImpl } from "@connectrpc/connect";
import type { EnvironmentSchema } from "../../../gen/policyguard/control/v1/environment_pb.ts";
import type { EnvironmentService } from "../../../gen/policyguard/control/v1/environment_service_pb.ts";
import { CaptureMode } from "../../../gen/policyguard/policy/v1/record_pb.ts";
import { allowsOverride } from "../../domain/bundle/gate/gate.ts";
import type { Capture, Environments } from "../../domain/project/environment.ts";
import { callerOf } from "../../kit/rpc/context.ts";
import { pageOf } from "../../kit/rpc/page.ts";
import { timestamp } from "../time.ts";

type Row = Awaited<ReturnType<Environments["create"]>>;

const captures: Record<Capture, CaptureMode> = {
  none: CaptureMode.NONE,
  redacted: CaptureMode.REDACTED,
  full: CaptureMode.FULL,
};

/** Handlers of EnvironmentService. */
export function environmentHandlers(environments: Environments): ServiceImpl<typeof EnvironmentService> {
  const messages = async (context: HandlerContext, rows: readonly Row[]) => {
    const counts = await environments.overrideCounts(callerOf(context), rows);
    return rows.map((row) => ({ ...environmentMessage(row), overrideCount: counts.get(row.id) ?? 0 }));
  };
  return {
    createEnvironment: async ({ projectId, name, isProtected, capture, replayFacts, traceSampling }, context) => {
      const input = { name, isProtected, capture: captureOf(capture), replayFacts, traceSampling };
      const [environment] = await messages(context, [await environments.create(callerOf(context), projectId, input)]);
      return { environment };
    },
    listEnvironments: async (request, context) => {
      const page = pageOf(request);
      const [rows, total] = await environments.list(callerOf(context), request.projectId, page);
      return { total, ...page, environments: await messages(context, rows) };
    },
    updateEnvironment: async (request, context) => {
      const { projectId, envName, isProtected, isFrozen, requiredApprovals, replayFacts, allowGateOverride } = request;
      const { traceSampling } = request;
      const change = {
        isProtected,
        isFrozen,
        requiredApprovals,
        replayFacts,
        allowGateOverride,
        traceSampling,
        capture: captureOf(request.capture),
      };
      const [environment] = await messages(context, [
        await environments.update(callerOf(context), projectId, envName, change),
      ]);
      return { environment };
    },
    reorderEnvironments: async ({ projectId, names }, context) => {
      const rows = await environments.reorder(callerOf(context), projectId, names);
      return { total: rows.length, limit: rows.length, offset: 0, environments: await messages(context, rows) };
    },
    deleteEnvironment: async ({ projectId, envName, force }, context) => {
      await environments.delete(callerOf(context), projectId, envName, { force: force ?? false });
      return {};
    },
  };
}

function environmentMessage(row: Row): MessageInitShape<typeof EnvironmentSchema> {
  return {
    id: row.id,
    orgId: row.orgId,
    projectId: row.projectId,
    name: row.name,
    position: row.position,
    isProtected: row.isProtected,
    isFrozen: row.isFrozen,
    requiredApprovals: row.requiredApprovals,
    allowGateOverride: allowsOverride(row),
    capture: captures[row.capture],
    replayFacts: row.replayFacts,
    traceSampling: { allowPercent: row.sampledAllowPercent, otherPercent: row.sampledOtherPercent },
    activeVersion: row.activeVersion ?? undefined,
    activationSeq: row.activeVersion == null ? 0 : row.activationSeq,
    createdAt: timestamp(row.createdAt),
  };
}

function captureOf(mode: CaptureMode): Capture | undefined {
  const names: readonly Capture[] = ["none", "redacted", "full"];
  return names.find((name) => captures[name] === mode);
}
