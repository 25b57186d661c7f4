import { createClient } from "@connectrpc/connect";
import { useQuery } from "@tanstack/react-query";
import type { Bundle } from "../../../gen/policyguard/control/v1/bundle_pb.ts";
import { BundleService } from "../../../gen/policyguard/control/v1/bundle_service_pb.ts";
import { invalidate } from "../../data/invalidation.ts";
import { useOrganization } from "../../data/organization.ts";
import { meQuery } from "../../data/session.ts";
import { transport } from "../../data/transport.ts";
import { Ago } from "../../part/ago.tsx";
import { useBusy } from "../../part/busy.ts";
import { Button } from "../../part/button.tsx";
import { Failed } from "../../part/state.tsx";
import { en } from "../../text/en.ts";
import style from "./environment.module.css";
import type { Place } from "./place.ts";

const texts = en.bundle;
const bundles = createClient(BundleService, transport);

/** What an activation has to pass, and who has approved. */
export function Gates({ place, bundle }: { readonly place: Place; readonly bundle: Bundle }) {
  return (
    <section className={style.section} aria-label={texts.gates}>
      <h2>{texts.gates}</h2>
      <ul className={style.gates}>
        {bundle.gates.map(({ gate, passed, reason }) => (
          <li key={gate}>
            <span className={passed ? style.pass : style.weaker}>
              {passed ? `✓ ${texts.gateOpen}` : `✕ ${texts.gateClosed}`}
            </span>
            <span>
              {texts.gateNames[gate] ?? gate}
              {reason !== undefined && <span className={style.by}>{reason}</span>}
            </span>
          </li>
        ))}
      </ul>
      <Approvals place={place} bundle={bundle} />
    </section>
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
