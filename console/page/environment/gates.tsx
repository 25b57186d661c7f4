import { createClient } from "@connectrpc/connect";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { Bundle } from "../../../gen/policyguard/control/v1/bundle_pb.ts";
import { BundleService } from "../../../gen/policyguard/control/v1/bundle_service_pb.ts";
import { GateState } from "../../../gen/policyguard/control/v1/gate_pb.ts";
import { GateService } from "../../../gen/policyguard/control/v1/gate_service_pb.ts";
import { invalidate } from "../../data/invalidation.ts";
import { useOrganization } from "../../data/organization.ts";
import { perform } from "../../data/perform.ts";
import { meQuery } from "../../data/session.ts";
import { transport } from "../../data/transport.ts";
import { Ago } from "../../part/ago.tsx";
import { useBusy } from "../../part/busy.ts";
import { Button } from "../../part/button.tsx";
import { Failed } from "../../part/state.tsx";
import { en } from "../../text/en.ts";
import style from "./environment.module.css";
import { StandingGates, standingOf } from "./gate/standing.tsx";
import type { Place } from "./place.ts";

const texts = en.bundle;
const bundles = createClient(BundleService, transport);

/** What an activation has to pass, what each gate lacks, and who has approved. */
export function Gates({ place, bundle }: { readonly place: Place; readonly bundle: Bundle }) {
  const { can } = useOrganization();
  const isUnknown = bundle.gates.some(({ state }) => state === GateState.PENDING || state === GateState.MISSING);
  return (
    <section className={style.section} aria-label={texts.gates}>
      <h2>{texts.gates}</h2>
      <StandingGates gates={bundle.gates.map(standingOf)} />
      {isUnknown && can(GateService.method.checkGates) && <Check place={place} version={bundle.version} />}
      <Approvals place={place} bundle={bundle} />
    </section>
  );
}

/** Begins to find out what is not known yet about the version. */
function Check({ place, version }: { readonly place: Place; readonly version: number }) {
  const { run, isBusy, error } = useBusy();
  const [retryAfter, setRetryAfter] = useState<number>();
  const check = () =>
    run(async () => {
      const answer = await perform(GateService.method.checkGates, { ...place, version });
      setRetryAfter(answer.retryAfter ?? 0);
    });
  return (
    <>
      {error !== undefined && <Failed error={error} />}
      <p>
        <Button disabled={isBusy} onClick={check}>
          {en.gates.check}
        </Button>{" "}
        <span role="status" className={style.dim}>
          {retryAfter !== undefined && (retryAfter === 0 ? en.gates.checked : en.gates.checkAgain(retryAfter))}
        </span>
      </p>
    </>
  );
}

function Approvals({
  place,
  bundle: { version, approvals, createdBy, gates },
}: {
  readonly place: Place;
  readonly bundle: Bundle;
}) {
  const { can } = useOrganization();
  const { data: me } = useQuery(meQuery);
  const { run, isBusy, error } = useBusy();
  const email = me?.account?.email ?? "";
  const isMine = approvals.some(({ approvedBy }) => approvedBy === email);
  const isNeeded = gates.some(({ gate, passed }) => gate === "approvals" && !passed);
  const approve = () =>
    run(async () => {
      await bundles.approveBundle({ ...place, version });
      await invalidate(BundleService.method.approveBundle);
    });
  const withdraw = () =>
    run(async () => {
      await bundles.withdrawApproval({ ...place, version });
      await invalidate(BundleService.method.withdrawApproval);
    });
  return (
    <>
      {approvals.length > 0 && (
        <p>
          {texts.approvedBy}{" "}
          {approvals.map(({ approvedBy, approvedAt }) => (
            <span key={approvedBy} className={style.tag}>
              {approvedBy} · <Ago time={approvedAt} />
            </span>
          ))}
        </p>
      )}
      {error !== undefined && <Failed error={error} />}
      {isMine && can(BundleService.method.withdrawApproval) && (
        <p>
          <Button disabled={isBusy} onClick={withdraw}>
            {texts.withdraw}
          </Button>
        </p>
      )}
      {!isMine && isNeeded && can(BundleService.method.approveBundle) && (
        <p>
          <Button disabled={isBusy} why={createdBy === email ? texts.ownBundle : undefined} onClick={approve}>
            {texts.approve(version)}
          </Button>
        </p>
      )}
    </>
  );
}
