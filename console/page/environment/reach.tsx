import { Link } from "@tanstack/react-router";
import { useReach } from "../../data/reach.ts";
import { Failed, Loading } from "../../part/state.tsx";
import { en } from "../../text/en.ts";
import style from "./environment.module.css";
import type { Place } from "./place.ts";

const texts = en.bundle;
/** Runtimes that are named with their reason, of those that refused. */
const maxRefused = 20;

/** The runtimes that get what is activated: how many enforce this version by now, and which refused it. */
export function Reach({ place, version }: { readonly place: Place; readonly version: number }) {
  const { reach, mayList, error, refetch } = useReach(place, { version, listed: maxRefused });
  if (!mayList) return null;
  return (
    <section className={style.section} aria-label={texts.runtimes}>
      <h2>{texts.runtimes}</h2>
      {error !== undefined && <Failed error={error} onRetry={refetch} />}
      {reach === undefined && error === undefined && <Loading rows={1} />}
      {reach !== undefined && (
        <p role="status">
          {reach.connected === 0 ? texts.noRuntimes : texts.reached(reach.reached, reach.connected)}{" "}
          <Link
            to="/o/$org/fleet"
            params={{ org: place.orgId }}
            search={{ project: place.projectId, environment: place.envName }}
          >
            {en.fleet.title}
          </Link>
        </p>
      )}
      {reach?.refused.map(({ instanceId, rejection }) => (
        <p key={instanceId} className={style.weaker}>
          {texts.rejected(instanceId, rejection ?? "")}
        </p>
      ))}
      {reach !== undefined && reach.refusals > reach.refused.length && (
        <p className={style.weaker}>{en.fleet.moreRefused(reach.refusals - reach.refused.length)}</p>
      )}
    </section>
  );
}
