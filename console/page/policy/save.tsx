import { createClient } from "@connectrpc/connect";
import { useQuery } from "@connectrpc/connect-query";
import { useState } from "react";
import type { Policy } from "../../../gen/policyguard/control/v1/policy_pb.ts";
import { PolicyService } from "../../../gen/policyguard/control/v1/policy_service_pb.ts";
import { documentOf, sourceOf } from "../../data/document.ts";
import { failureOf } from "../../data/failure.ts";
import { invalidate } from "../../data/invalidation.ts";
import { useOrganization } from "../../data/organization.ts";
import { transport } from "../../data/transport.ts";
import { ConflictDialog } from "../../editor/conflict-dialog.tsx";
import { DiffView } from "../../editor/diff-view.tsx";
import { useBusy } from "../../part/busy.ts";
import { Button } from "../../part/button.tsx";
import { Dialog, DialogActions } from "../../part/dialog.tsx";
import { TextField } from "../../part/field.tsx";
import { useUnsavedWhile } from "../../part/form/unsaved.ts";
import { Failed } from "../../part/state.tsx";
import { en } from "../../text/en.ts";
import { DraftMeaning } from "./draft-meaning.tsx";

const texts = en.policy;
const policies = createClient(PolicyService, transport);

/** The stored text that an edit began from. */
export interface Base {
  readonly version: number;
  readonly text: string;
}

/** Shows what changes, takes a message, and saves. When somebody else saved meanwhile, shows theirs beside yours. */
export function SaveDialog({
  policyId,
  base,
  text,
  onSaved,
  onClose,
}: {
  readonly policyId: string;
  readonly base: Base;
  readonly text: string;
  readonly onSaved: (policy: Policy) => void;
  readonly onClose: () => void;
}) {
  const { orgId } = useOrganization();
  const [message, setMessage] = useState("");
  useUnsavedWhile(message !== "");
  const [theirs, setTheirs] = useState<Policy>();
  const { run, isBusy, error } = useBusy();
  const save = (expectedVersion: number) =>
    run(async () => {
      const request = { orgId, policyId, document: documentOf(text), expectedVersion };
      try {
        const { policy } = await policies.updatePolicy({ ...request, ...(message === "" ? {} : { message }) });
        // What others show of the policy may load for long: it is saved now.
        if (policy !== undefined) onSaved(policy);
        await invalidate(PolicyService.method.updatePolicy);
      } catch (failure) {
        if (failureOf(failure).kind !== "version_conflict") throw failure;
        setTheirs((await policies.getPolicy({ orgId, policyId })).policy);
      }
    });
  if (theirs !== undefined) {
    return (
      <ConflictDialog
        title={texts.conflict}
        text={texts.conflictText(theirs.version, base.version)}
        theirs={sourceOf(theirs)}
        mine={text}
        keep={texts.keepMine(theirs.version)}
        isBusy={isBusy}
        error={error}
        onTake={() => onSaved(theirs)}
        onKeep={() => save(theirs.version)}
        onClose={onClose}
      />
    );
  }
  return (
    <Dialog title={texts.review} isWide onClose={onClose}>
      <DraftMeaning policyId={policyId} version={base.version} text={text} isSaving={isBusy} />
      <FailingTests text={text} />
      <DiffView before={base.text} after={text} label={texts.review} />
      <TextField
        label={texts.message}
        maxLength={2000}
        value={message}
        onChange={(event) => setMessage(event.target.value)}
        // The dialog's first field is where typing goes on.
        autoFocus
      />
      {error !== undefined && <Failed error={error} />}
      <DialogActions>
        <Button onClick={onClose}>{en.common.cancel}</Button>
        <Button kind="primary" disabled={isBusy} onClick={() => save(base.version)}>
          {en.common.save}
        </Button>
      </DialogActions>
    </Dialog>
  );
}

/** The tests for which saving would be refused. */
function FailingTests({ text }: { readonly text: string }) {
  const { orgId } = useOrganization();
  const { data } = useQuery(PolicyService.method.validatePolicy, { orgId, document: documentOf(text) });
  const failing = data?.tests.filter(({ passed }) => !passed) ?? [];
  if (failing.length === 0) return null;
  return <p role="alert">{texts.testsRefuse(failing.map(({ name }) => name))}</p>;
}
