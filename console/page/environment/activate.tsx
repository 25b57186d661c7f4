import { useQuery } from "@connectrpc/connect-query";
import { type FormEvent, useState } from "react";
import { BundleService } from "../../../gen/policyguard/control/v1/bundle_service_pb.ts";
import type { Environment } from "../../../gen/policyguard/control/v1/environment_pb.ts";
import { failureOf, faultsOf } from "../../data/failure.ts";
import { invalidate } from "../../data/invalidation.ts";
import { useOrganization } from "../../data/organization.ts";
import { perform } from "../../data/perform.ts";
import { useBusy } from "../../part/busy.ts";
import { Button } from "../../part/button.tsx";
import { Dialog, DialogActions } from "../../part/dialog.tsx";
import { FormFaults, TextField } from "../../part/field.tsx";
import { useUnsaved } from "../../part/form/unsaved.ts";
import { textsOf } from "../../part/form.ts";
import { Failed } from "../../part/state.tsx";
import { en } from "../../text/en.ts";
import style from "./environment.module.css";
import { mayOverride, OverrideFields, useOverride } from "./gate/override.tsx";
import { StandingGates, standingOf } from "./gate/standing.tsx";
import { Overtaken } from "./overtaken.tsx";

const texts = en.environments;

/** Asks, activates, and says what became of it. The page around it has shown what changes. */
export function ActivateDialog({
  environment,
  version,
  inForce,
  onClose,
}: {
  readonly environment: Environment;
  readonly version: number;
  /** The activation in force by its sequence number, 0 for none: the one that the version was compared with. */
  readonly inForce: number;
  readonly onClose: () => void;
}) {
  const { orgId, role } = useOrganization();
  const { run, isBusy, error } = useBusy();
  const [isDone, setDone] = useState(false);
  const { typed, send } = useUnsaved();
  const place = { orgId, projectId: environment.projectId, envName: environment.name };
  const { data } = useQuery(BundleService.method.getBundle, { ...place, version });
  const gates = data?.bundle?.gates ?? [];
  const closed = gates.filter(({ passed, kind }) => !passed && kind !== undefined).map(({ gate }) => gate);
  const past = useOverride(closed);
  // What the page behind the dialog learns meanwhile is not what the person saw.
  const [seen, setSeen] = useState(inForce);
  const isOvertaken = error !== undefined && failureOf(error).activationSeq !== undefined;
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const message = textsOf(event.currentTarget)("message").trim();
    const activate = async () => {
      try {
        await perform(BundleService.method.activateBundle, {
          ...{ ...place, version, expectedActivationSeq: seen },
          ...(message === "" ? {} : { message }),
          ...(past.override === undefined ? {} : { override: past.override }),
        });
      } catch (failure) {
        const { activationSeq } = failureOf(failure);
        if (activationSeq !== undefined) {
          // Whoever goes on from here has seen what the others did.
          setSeen(activationSeq);
          await invalidate(BundleService.method.activateBundle);
        }
        throw failure;
      }
      setDone(true);
    };
    run(() => send(activate));
  };
  const title = texts.activate(version, environment.name);
  if (isDone) {
    return (
      <Dialog title={title} onClose={onClose}>
        <p role="status">{texts.activated(version, environment.name)}</p>
        <DialogActions>
          <Button kind="primary" onClick={onClose}>
            {en.common.close}
          </Button>
        </DialogActions>
      </Dialog>
    );
  }
  return (
    <Dialog title={title} onClose={onClose}>
      <form className={style.form} onSubmit={submit} onChange={typed}>
        {isOvertaken && <Overtaken place={place} />}
        <p>{texts.activateText}</p>
        <FormFaults value={faultsOf(error)}>
          <TextField label={texts.message} hint={texts.messageHint} name="message" maxLength={2000} />
        </FormFaults>
        {gates.length > 0 && <StandingGates gates={gates.map(standingOf)} />}
        {error !== undefined && !isOvertaken && <Failed error={error} />}
        {closed.length > 0 && mayOverride(environment, role) && (
          <OverrideFields closed={closed} choice={past.choice} onChange={past.onChange} />
        )}
        <DialogActions>
          <Button onClick={onClose}>{en.common.cancel}</Button>
          <Button
            type="submit"
            kind="primary"
            disabled={isBusy}
            why={past.isComplete ? undefined : en.gates.reasonMissing}
          >
            {isOvertaken ? texts.activateStill(version) : title}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
