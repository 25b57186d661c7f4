import { createClient } from "@connectrpc/connect";
import type { RuntimeInstance } from "../../../gen/policyguard/control/v1/runtime_instance_pb.ts";
import { RuntimeInstanceService } from "../../../gen/policyguard/control/v1/runtime_instance_service_pb.ts";
import { invalidate } from "../../data/invalidation.ts";
import { useOrganization } from "../../data/organization.ts";
import { transport } from "../../data/transport.ts";
import { useBusy } from "../../part/busy.ts";
import { Button } from "../../part/button.tsx";
import { Dialog, DialogActions } from "../../part/dialog.tsx";
import { useShown } from "../../part/shown.ts";
import { Failed } from "../../part/state.tsx";
import { en } from "../../text/en.ts";

const texts = en.fleet;
const instances = createClient(RuntimeInstanceService, transport);

/** Asks, and forgets a runtime. */
export function ForgetDialog({
  runtime: { instanceId, environment },
  projectId,
  onClose,
}: {
  readonly runtime: RuntimeInstance;
  readonly projectId: string;
  readonly onClose: () => void;
}) {
  const { orgId } = useOrganization();
  const { run, isBusy, error } = useBusy();
  const isShown = useShown();
  const forget = () =>
    run(async () => {
      await instances.forgetRuntimeInstance({ orgId, projectId, envName: environment, instanceId });
      await invalidate(RuntimeInstanceService.method.forgetRuntimeInstance);
      if (isShown.current) onClose();
    });
  return (
    <Dialog title={texts.forgetTitle(instanceId)} onClose={onClose}>
      <p>{texts.forgetText}</p>
      {error !== undefined && <Failed error={error} />}
      <DialogActions>
        <Button onClick={onClose}>{en.common.cancel}</Button>
        <Button kind="danger" disabled={isBusy} onClick={forget}>
          {texts.confirmForget}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
