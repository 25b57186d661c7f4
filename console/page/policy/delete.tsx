import { createClient } from "@connectrpc/connect";
import type { Policy } from "../../../gen/policyguard/control/v1/policy_pb.ts";
import { PolicyService } from "../../../gen/policyguard/control/v1/policy_service_pb.ts";
import { invalidate } from "../../data/invalidation.ts";
import { transport } from "../../data/transport.ts";
import { useBusy } from "../../part/busy.ts";
import { Button } from "../../part/button.tsx";
import { Dialog, DialogActions } from "../../part/dialog.tsx";
import { Failed } from "../../part/state.tsx";
import { en } from "../../text/en.ts";

const texts = en.policy;
const policies = createClient(PolicyService, transport);

/** Asks before a policy is deleted. */
export function DeletePolicyDialog({
  policy: { id: policyId, orgId, name },
  onDeleted,
  onClose,
}: {
  readonly policy: Policy;
  readonly onDeleted: () => void;
  readonly onClose: () => void;
}) {
  const { run, isBusy, error } = useBusy();
  const remove = () =>
    run(async () => {
      await policies.deletePolicy({ orgId, policyId });
      await invalidate(PolicyService.method.deletePolicy);
      onDeleted();
    });
  return (
    <Dialog title={texts.deleteTitle(name)} onClose={onClose}>
      <p>{texts.deleteText}</p>
      {error !== undefined && <Failed error={error} />}
      <DialogActions>
        <Button onClick={onClose}>{en.common.cancel}</Button>
        <Button kind="danger" disabled={isBusy} onClick={remove}>
          {texts.confirmDelete}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
