import { useQuery } from "@connectrpc/connect-query";
import { Link } from "@tanstack/react-router";
import { RuntimeInstanceService } from "../../../gen/policyguard/control/v1/runtime_instance_service_pb.ts";
import { useOrganization } from "../../data/organization.ts";
import { Failed, Loading } from "../../part/state.tsx";
import { en } from "../../text/en.ts";
import style from "./environment.module.css";
import type { Place } from "./place.ts";

const texts = en.bundle;
const newMs = 5_000;
/** Runtimes that are looked at, of those that the environment has. */
export const maxRuntimes = 200;

/**
 * The runtimes that get what is activated: how many enforce this version by now, and which refused it; of very many,
 * those that were heard from last.
 */
export function Reach({ place, version }: { readonly place: Place; readonly version: number }) {
  const { orgId, can } = useOrganization();
  const mayList = can(RuntimeInstanceService.method.listRuntimeInstances);
  const { data, error, refetch } = useQuery(
    RuntimeInstanceService.method.listRuntimeInstances,
    { ...place, limit: maxRuntimes },
    { enabled: mayList, refetchInterval: newMs },
  );
  if (!mayList) return null;
  const connected = data?.runtimes.filter((runtime) => runtime.connected) ?? [];
  const reached = connected.filter(({ bundleVersion }) => bundleVersion === version);
  return (
    <section className={style.section} aria-label={texts.runtimes}>
      <h2>{texts.runtimes}</h2>
      {error !== null && <Failed error={error} onRetry={refetch} />}
      {data === undefined && error === null && <Loading rows={1} />}
      {data !== undefined && (
        <p role="status">
          {connected.length === 0 ? texts.noRuntimes : texts.reached(reached.length, connected.length)}{" "}
          {data.total > maxRuntimes && texts.newestRuntimes(maxRuntimes, data.total)}{" "}
          <Link
            to="/o/$org/fleet"
            params={{ org: orgId }}
            search={{ project: place.projectId, environment: place.envName }}
          >
            {en.fleet.title}
          </Link>
        </p>
      )}
      {connected.map(
        ({ instanceId, rejection }) =>
          rejection !== undefined && (
            <p key={instanceId} className={style.weaker}>
              {texts.rejected(instanceId, rejection)}
            </p>
          ),
      )}
    </section>
  );
}
