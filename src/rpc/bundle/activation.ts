import type { MessageInitShape } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import { ActivationCause, type ActivationSchema } from "../../../gen/policyguard/control/v1/bundle_pb.ts";
import type { BundleService } from "../../../gen/policyguard/control/v1/bundle_service_pb.ts";
import type { ActivationHistory, PastActivation } from "../../domain/bundle/activation-history.ts";
import { callerOf } from "../../kit/rpc/context.ts";
import { pageOf } from "../../kit/rpc/page.ts";
import { timestamp } from "../time.ts";

const causes = {
  publish: ActivationCause.PUBLISH,
  republish: ActivationCause.REPUBLISH,
  promote: ActivationCause.PROMOTE,
  activate: ActivationCause.ACTIVATE,
  override_set: ActivationCause.OVERRIDE_SET,
  override_ended: ActivationCause.OVERRIDE_ENDED,
  restore: ActivationCause.RESTORE,
} satisfies Record<NonNullable<PastActivation["cause"]>, ActivationCause>;

/** The handlers of BundleService that are about past activations. */
export function activationHandlers(
  activations: ActivationHistory,
): Pick<ServiceImpl<typeof BundleService>, "listActivations"> {
  return {
    listActivations: async ({ projectId, envName: environment, ...wanted }, context) => {
      const page = pageOf(wanted);
      const [found, total] = await activations.list(callerOf(context), { projectId, environment }, page);
      return { total, ...page, activations: found.map(activationMessage) };
    },
  };
}

/** An activation in the API's form. */
function activationMessage({ cause, activatedAt, ...same }: PastActivation): MessageInitShape<typeof ActivationSchema> {
  return { ...same, cause: cause && causes[cause], activatedAt: timestamp(activatedAt) };
}
