import type { MessageInitShape } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import type { BundleGateSchema } from "../../../gen/policyguard/control/v1/bundle_pb.ts";
import {
  GateAction,
  GateEnforcement,
  type Gate as GateInput,
  type GateResultSchema,
  type GateSetSchema,
  GateState,
} from "../../../gen/policyguard/control/v1/gate_pb.ts";
import type { GateService } from "../../../gen/policyguard/control/v1/gate_service_pb.ts";
import type * as definition from "../../domain/bundle/gate/definition.ts";
import type { Gate, GateKeeper, GateResult } from "../../domain/bundle/gate/gate.ts";
import type { Gates } from "../../domain/bundle/gate/gates.ts";
import { isOpen } from "../../domain/bundle/gate/verdict.ts";
import { callerOf } from "../../kit/rpc/context.ts";
import { pageOf } from "../../kit/rpc/page.ts";
import { timestamp } from "../time.ts";
import { kinds, requirementMessage, requirementOf } from "./gate-requirement.ts";

const actions: Readonly<Record<definition.GateAction, GateAction>> = {
  publish: GateAction.PUBLISH,
  promote: GateAction.PROMOTE,
  activate: GateAction.ACTIVATE,
};

const states = {
  passed: GateState.PASSED,
  failed: GateState.FAILED,
  pending: GateState.PENDING,
  missing: GateState.MISSING,
  overridden: GateState.OVERRIDDEN,
} as const;

/** What the handlers call. */
export interface GateDomain {
  readonly gates: Gates;
  readonly gateKeeper: GateKeeper;
}

/** Handlers of GateService. */
export function gateHandlers({ gates, gateKeeper }: GateDomain): ServiceImpl<typeof GateService> {
  return {
    getGates: async (request, context) => ({
      gateSet: gateSetMessage(await gates.get(callerOf(context), pathOf(request))),
    }),
    setGates: async ({ gates: given, expectedVersion, ...request }, context) => {
      const input = { gates: given.map(gateOf), expectedVersion };
      return { gateSet: gateSetMessage(await gates.set(callerOf(context), pathOf(request), input)) };
    },
    checkGates: async (request, context) => {
      const checked = await gateKeeper.check(callerOf(context), pathOf(request), request.version);
      const { version, contentDigest } = checked.bundle;
      return { version, contentDigest, gates: checked.gates.map(gateMessage), retryAfter: checked.retryAfter };
    },
    listGateResults: async ({ contentDigest, gate, ...request }, context) => {
      const page = pageOf(request);
      const wanted = { ...page, contentDigest, gate };
      const [found, total] = await gateKeeper.results(callerOf(context), pathOf(request), wanted);
      return { total, ...page, results: found.map(resultMessage) };
    },
  };
}

/** A gate as it stands for a version. */
export function gateMessage(gate: Gate): MessageInitShape<typeof BundleGateSchema> {
  if (!("state" in gate)) return { ...gate, state: gate.passed ? GateState.PASSED : GateState.FAILED };
  const { id, kind, enforcement } = gate.gate;
  return {
    ...{ gate: id, passed: isOpen(gate), reason: gate.reason, state: states[gate.state] },
    ...{ kind: kinds[kind], enforcement: enforcementOf(enforcement), runId: gate.runId, details: gate.details },
  };
}

function pathOf({ projectId, envName }: { projectId: string; envName: string }) {
  return { projectId, environment: envName };
}

function gateOf(gate: GateInput, index: number): definition.NewGate {
  const { id, on, enforcement } = gate;
  return {
    ...{ id, on: on.length === 0 ? ["activate"] : on.map(actionOf) },
    enforcement: enforcement === GateEnforcement.WARN ? "warn" : "block",
    ...requirementOf(gate, index),
  };
}

function actionOf(given: GateAction): definition.GateAction {
  if (given === GateAction.PUBLISH) return "publish";
  return given === GateAction.PROMOTE ? "promote" : "activate";
}

function enforcementOf(enforcement: definition.NewGate["enforcement"]): GateEnforcement {
  return enforcement === "warn" ? GateEnforcement.WARN : GateEnforcement.BLOCK;
}

function gateSetMessage(set: definition.GateSet): MessageInitShape<typeof GateSetSchema> {
  return {
    version: set.version,
    gates: set.gates.map((gate) => ({
      ...{ id: gate.id, kind: kinds[gate.kind], on: gate.on.map((action) => actions[action]) },
      ...{ enforcement: enforcementOf(gate.enforcement), revision: gate.revision },
      ...requirementMessage(gate),
    })),
    updatedAt: timestamp(set.updatedAt),
    updatedBy: set.updatedBy,
  };
}

function resultMessage({ row, finding }: GateResult): MessageInitShape<typeof GateResultSchema> {
  const { gate, kind, revision, contentDigest, basis, createdAt, decidedAt } = row;
  return {
    ...{ gate, revision, contentDigest, basis, state: states[finding.state], reason: finding.reason },
    kind: Object.entries(kinds).find(([name]) => name === kind)?.[1],
    ...{ runId: row.runId ?? undefined, details: row.details ?? undefined },
    ...{ createdAt: timestamp(createdAt), decidedAt: timestamp(decidedAt) },
  };
}
