import { createClient } from "@connectrpc/connect";
import { useQuery } from "@connectrpc/connect-query";
import type { RuleOverride } from "../../../gen/policyguard/control/v1/override_pb.ts";
import { OverrideService } from "../../../gen/policyguard/control/v1/override_service_pb.ts";
import { invalidate } from "../../data/invalidation.ts";
import { useOrganization } from "../../data/organization.ts";
import { transport } from "../../data/transport.ts";
import { Ago } from "../../part/ago.tsx";
import { useBusy } from "../../part/busy.ts";
import { Button } from "../../part/button.tsx";
import { Failed } from "../../part/state.tsx";
import { en } from "../../text/en.ts";
import style from "./environment.module.css";
import type { Place } from "./place.ts";

const texts = en.environments;
const overrides = createClient(OverrideService, transport);

/** The rules that the environment keeps in shadow for a while, and the way to end that. */
export function Overrides({ place }: { readonly place: Place }) {
  const { data, error, refetch } = useQuery(OverrideService.method.listOverrides, place);
  if (error !== null) return <Failed error={error} onRetry={refetch} />;
  if (data === undefined || data.overrides.length === 0) return null;
  return (
    <ul className={style.bundles} aria-label={texts.overrides}>
      {data.overrides.map((override) => (
        <Override key={override.id} place={place} override={override} />
      ))}
    </ul>
  );
}

function Override({
  place,
  override: { id, policy, ruleId, until, reason, createdBy },
}: {
  readonly place: Place;
  readonly override: RuleOverride;
}) {
  const { can } = useOrganization();
  const { run, isBusy, error } = useBusy();
  const end = () =>
    run(async () => {
      await overrides.deleteOverride({ ...place, overrideId: id });
      await invalidate(OverrideService.method.deleteOverride);
    });
  return (
    <li>
      <span>
        <code>
          {policy}/{ruleId}
        </code>{" "}
        <span className={style.weaker}>
          {texts.inShadow} <Ago time={until} />
        </span>
        <span className={style.by}>
          {reason} · {createdBy}
        </span>
        {error !== undefined && <Failed error={error} />}
      </span>
      {can(OverrideService.method.deleteOverride) && (
        <Button disabled={isBusy} onClick={end}>
          {texts.endOverride}
        </Button>
      )}
    </li>
  );
}
