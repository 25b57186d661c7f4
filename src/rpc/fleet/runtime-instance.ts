import type { MessageInitShape } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import { type RuntimeInstanceSchema, RuntimeState } from "../../../gen/policyguard/control/v1/runtime_instance_pb.ts";
import type {
  ListProjectRuntimeInstancesRequest,
  ListRuntimeInstancesRequest,
  RuntimeInstanceService,
} from "../../../gen/policyguard/control/v1/runtime_instance_service_pb.ts";
import type { RuntimeInstances, RuntimeView } from "../../domain/fleet/runtime-instance.ts";
import { callerOf } from "../../kit/rpc/context.ts";
import { pageOf } from "../../kit/rpc/page.ts";
import { timestamp } from "../time.ts";

type State = RuntimeView["instance"]["state"];

const states: Readonly<Record<State, RuntimeState>> = {
  active: RuntimeState.ACTIVE,
  behind: RuntimeState.BEHIND,
  rejected: RuntimeState.REJECTED,
};

/** Handlers of RuntimeInstanceService. */
export function runtimeInstanceHandlers(runtimes: RuntimeInstances): ServiceImpl<typeof RuntimeInstanceService> {
  return {
    listRuntimeInstances: async (request, context) => {
      const page = pageOf(request);
      const wanted = { ...page, ...filterOf(request) };
      const { views, total, lostEvaluations, counts } = await runtimes.list(callerOf(context), pathOf(request), wanted);
      return { total, ...page, runtimes: views.map(runtimeMessage), lostEvaluations, counts };
    },
    listProjectRuntimeInstances: async (request, context) => {
      const page = pageOf(request);
      const scope = { projectId: request.projectId, environment: request.envName };
      const wanted = { ...page, ...filterOf(request) };
      const { views, total, lostEvaluations, counts } = await runtimes.listOfProject(callerOf(context), scope, wanted);
      return { total, ...page, runtimes: views.map(runtimeMessage), lostEvaluations, counts };
    },
    forgetRuntimeInstance: async (request, context) => {
      await runtimes.forget(callerOf(context), { ...pathOf(request), instanceId: request.instanceId });
      return {};
    },
  };
}

function pathOf({ projectId, envName }: { projectId: string; envName: string }) {
  return { projectId, environment: envName };
}

function filterOf({
  state,
  bundleVersion,
  softwareVersion,
  labels,
  connected,
  forked,
}: ListRuntimeInstancesRequest | ListProjectRuntimeInstancesRequest) {
  return {
    state: stateOf(state),
    bundleVersion,
    softwareVersion,
    isConnected: connected,
    isForked: forked,
    labels: labels.length > 0 ? labelsOf(labels) : undefined,
  };
}

/** Validated: each has a "=" after its key. */
function labelsOf(texts: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(texts.map((text) => [text.slice(0, text.indexOf("=")), text.slice(text.indexOf("=") + 1)]));
}

function stateOf(state: RuntimeState): State | undefined {
  const names: readonly State[] = ["active", "behind", "rejected"];
  return names.find((name) => states[name] === state);
}

function runtimeMessage({
  instance,
  lostEvaluations,
  isConnected,
}: RuntimeView): MessageInitShape<typeof RuntimeInstanceSchema> {
  return {
    instanceId: instance.id,
    environment: instance.environment,
    softwareVersion: instance.softwareVersion,
    bundleVersion: instance.bundleVersion || undefined,
    activationSeq: instance.activationSeq || undefined,
    state: states[instance.state],
    rejection: instance.rejection || undefined,
    refusedBackends: [...instance.refusedBackends],
    models: instance.models.map(({ name, state, digest }) => ({ name, state, digest: digest || undefined })),
    labels: { ...instance.labels },
    spoolDepth: instance.spoolDepth,
    evaluations: instance.evaluations,
    lostEvaluations,
    witnessedSize: instance.witnessedSize || undefined,
    witnessedEpoch: instance.witnessedEpoch || undefined,
    evidenceForkedAt: timestamp(instance.evidenceForkedAt),
    firstSeenAt: timestamp(instance.firstSeenAt),
    lastSeenAt: timestamp(instance.lastSeenAt),
    connected: isConnected,
  };
}
