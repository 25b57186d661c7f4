// Publishing and activating: what it does and how its gates stand, said before it is done, and its outcome.

import { createClient } from "@connectrpc/connect";
import { useQuery } from "@connectrpc/connect-query";
import { type FormEvent, useState } from "react";
import { BundleService } from "../../../gen/policyguard/control/v1/bundle_service_pb.ts";
import type { Environment } from "../../../gen/policyguard/control/v1/environment_pb.ts";
import { failureOf, faultsOf } from "../../data/failure.ts";
import { invalidate } from "../../data/invalidation.ts";
import { useOrganization } from "../../data/organization.ts";
import { transport } from "../../data/transport.ts";
import { useBusy } from "../../part/busy.ts";
import { Button } from "../../part/button.tsx";
import { Dialog, DialogActions } from "../../part/dialog.tsx";
import { FormFaults, TextField } from "../../part/field.tsx";
import { useUnsaved } from "../../part/form/unsaved.ts";
import { Failed } from "../../part/state.tsx";
import { en } from "../../text/en.ts";
import style from "./environment.module.css";
import { mayOverride, type Override, OverrideFields, useOverride } from "./gate/override.tsx";
import { StandingGates, standingOf } from "./gate/standing.tsx";
import { Overtaken } from "./overtaken.tsx";
import { whyNotActivate } from "./state.ts";

const texts = en.environments;
const bundles = createClient(BundleService, transport);

/** What somebody is about to do with an environment, as the person has looked at it. */
export type Deed =
  | { readonly kind: "publish"; readonly environment: Environment }
  | { readonly kind: "republish"; readonly environment: Environment }
  | {
      readonly kind: "activate";
      readonly environment: Environment;
      readonly version: number;
      /** The activation in force by its sequence number, 0 for none: the one that the version was compared with. */
      readonly inForce: number;
    };

/** Asks, does it, and says what became of it. */
export function DeedDialog({
  deed,
  orgId,
  projectId,
  onClose,
}: {
  readonly deed: Deed;
  readonly orgId: string;
  readonly projectId: string;
  readonly onClose: () => void;
}) {
  const { role } = useOrganization();
  const { run, isBusy, error } = useBusy();
  const [done, setDone] = useState<string>();
  const { typed, send } = useUnsaved();
  const gates = useClosedGates(deed, { orgId, projectId }, error);
  const past = useOverride(gates.closed);
  // What the page behind the dialog learns meanwhile is not what the person saw.
  const [seen, setSeen] = useState(deed.kind === "activate" ? deed.inForce : deed.environment.activationSeq);
  const isOvertaken = error !== undefined && failureOf(error).activationSeq !== undefined;
  const isOverridable = gates.closed.length > 0 && mayOverride(deed.environment, role);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const message = String(form.get("message") ?? "").trim();
    const options = {
      activate: form.get("activate") === "on",
      ...(message === "" ? {} : { message }),
      expectedActivationSeq: seen,
      ...(past.override === undefined ? {} : { override: past.override }),
    };
    const act = async () => {
      let told: string;
      try {
        told = await perform(deed, { orgId, projectId }, options);
      } catch (failure) {
        const { activationSeq } = failureOf(failure);
        if (activationSeq !== undefined) {
          setSeen(activationSeq);
          await invalidate(BundleService.method.activateBundle);
        }
        throw failure;
      }
      // Who goes on from here has seen what they did: nobody else has overtaken them.
      await invalidate(BundleService.method.activateBundle);
      setDone(told);
    };
    run(() => send(act));
  };
  const { title, text, confirm, confirmStill } = wordsOf(deed);
  if (done !== undefined) {
    return (
      <Dialog title={title} onClose={onClose}>
        <p role="status">{done}</p>
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
        {isOvertaken && <Overtaken place={{ orgId, projectId, envName: deed.environment.name }} />}
        <p>{text}</p>
        <FormFaults value={faultsOf(error)}>
          {deed.kind === "activate" ? (
            <TextField label={texts.message} hint={texts.messageHint} name="message" maxLength={2000} />
          ) : (
            <>
              <TextField label={texts.message} name="message" maxLength={2000} />
              <ActivateNow environment={deed.environment} />
            </>
          )}
        </FormFaults>
        {gates.shown}
        {error !== undefined && !isOvertaken && <Failed error={error} />}
        {isOverridable && <OverrideFields closed={gates.closed} choice={past.choice} onChange={past.onChange} />}
        <DialogActions>
          <Button onClick={onClose}>{en.common.cancel}</Button>
          <Button
            type="submit"
            kind="primary"
            disabled={isBusy}
            why={deed.kind === "activate" && !past.isComplete ? en.gates.reasonMissing : undefined}
          >
            {isOvertaken ? confirmStill : confirm}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

/**
 * The gates that are closed: of a version those that it has, of content that is yet to be made those that refused it.
 * Before that, nobody knows them.
 */
function useClosedGates(deed: Deed, place: { readonly orgId: string; readonly projectId: string }, error: unknown) {
  const refused = error === undefined ? [] : failureOf(error).gates;
  const isActivation = deed.kind === "activate";
  const { data } = useQuery(
    BundleService.method.getBundle,
    { ...place, envName: deed.environment.name, version: isActivation ? deed.version : 1 },
    { enabled: isActivation },
  );
  const known = isActivation ? (data?.bundle?.gates ?? []) : [];
  const closed = isActivation
    ? known.filter(({ passed, kind }) => !passed && kind !== undefined).map(({ gate }) => gate)
    : refused.filter(({ state }) => state !== "passed" && state !== "overridden").map(({ gate }) => gate);
  return { closed, shown: known.length > 0 && <StandingGates gates={known.map(standingOf)} /> };
}

/** Offers to activate at once, where that is not refused anyway. */
function ActivateNow({ environment }: { readonly environment: Environment }) {
  const { role } = useOrganization();
  const { requiredApprovals } = environment;
  const why =
    whyNotActivate(environment, role) ?? (requiredApprovals > 0 ? texts.approvals(requiredApprovals) : undefined);
  if (why !== undefined) return <p className={style.dim}>{texts.activateLater(why)}</p>;
  return (
    <label className={style.check}>
      <input type="checkbox" name="activate" defaultChecked />
      {texts.activateNow}
    </label>
  );
}

function wordsOf(deed: Deed) {
  const env = deed.environment.name;
  if (deed.kind === "publish")
    return {
      title: texts.publishTitle(env),
      text: texts.publishText,
      confirm: texts.confirmPublish,
      confirmStill: texts.publishStill,
    };
  if (deed.kind === "republish") {
    const { republishTitle, republishText, confirmRepublish, republishStill } = en.environment;
    return {
      title: republishTitle(env),
      text: republishText,
      confirm: confirmRepublish,
      confirmStill: republishStill,
    };
  }
  const title = texts.activate(deed.version, env);
  return { title, text: texts.activateText, confirm: title, confirmStill: texts.activateStill(deed.version) };
}

interface DeedOptions {
  readonly activate: boolean;
  readonly message?: string;
  readonly expectedActivationSeq: number;
  readonly override?: Override;
}

async function perform(
  deed: Deed,
  place: { readonly orgId: string; readonly projectId: string },
  options: DeedOptions,
): Promise<string> {
  const env = deed.environment.name;
  if (deed.kind === "activate") {
    const { activate: _, ...rest } = options;
    await bundles.activateBundle({ ...place, envName: env, version: deed.version, ...rest });
    return texts.activated(deed.version, env);
  }
  const make = deed.kind === "publish" ? bundles.publishBundle : bundles.republishBundle;
  const { bundle } = await make({ ...place, envName: env, ...options });
  return texts.done(bundle?.version ?? 0, env);
}
