import type { MessageInitShape } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import type { BundleGateSchema } from "../../../gen/policyguard/control/v1/bundle_pb.ts";
import {
  GateAction,
  GateEnforcement,
  type Gate as GateInput,
  GateKind,
  type GateSetSchema,
  GateState,
} from "../../../gen/policyguard/control/v1/gate_pb.ts";
import type { GateService } from "../../../gen/policyguard/control/v1/gate_service_pb.ts";
import type * as definition from "../../domain/bundle/gate/definition.ts";
import type { Gate } from "../../domain/bundle/gate/gate.ts";
import { isOpen } from "../../domain/bundle/gate/verdict.ts";
import { validationFailed } from "../../kit/fault/fault.ts";
import { callerOf } from "../../kit/rpc/context.ts";
import { timestamp } from "../time.ts";

const kinds: Readonly<Record<definition.NewGate["kind"], GateKind>> = { candidate: GateKind.CANDIDATE };

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

const defaultAlpha = 0.05;

/** Handlers of GateService. */
export function gateHandlers(gates: definition.Gates): ServiceImpl<typeof GateService> {
  return {
    getGates: async (request, context) => ({
      gateSet: gateSetMessage(await gates.get(callerOf(context), pathOf(request))),
    }),
    setGates: async ({ gates: given, expectedVersion, ...request }, context) => {
      const input = { gates: given.map(gateOf), expectedVersion };
      return { gateSet: gateSetMessage(await gates.set(callerOf(context), pathOf(request), input)) };
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

function gateOf({ id, on, enforcement, candidate }: GateInput, index: number): definition.NewGate {
  if (candidate === undefined) {
    const message = "a gate of the kind candidate says in it what it asks for";
    throw validationFailed([{ field: `gates[${index}].candidate`, message }]);
  }
  const { maxNewlyBlocked, alpha = defaultAlpha, minHours = 0 } = candidate;
  return {
    ...{ id, kind: "candidate", on: on.length === 0 ? ["activate"] : on.map(actionOf) },
    enforcement: enforcement === GateEnforcement.WARN ? "warn" : "block",
    candidate: { maxNewlyBlocked, alpha, minHours },
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
    gates: set.gates.map(({ id, kind, on, enforcement, revision, candidate }) => ({
      ...{ id, kind: kinds[kind], on: on.map((action) => actions[action]), enforcement: enforcementOf(enforcement) },
      ...{ revision, candidate },
    })),
    updatedAt: timestamp(set.updatedAt),
    updatedBy: set.updatedBy,
  };
}
