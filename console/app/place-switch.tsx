// The two switchers of the bar. They narrow the page that is shown where it can be narrowed; from any other they lead to
// the environments of the project, or to the environment.

import { callUnaryMethod } from "@connectrpc/connect-query";
import { useNavigate } from "@tanstack/react-router";
import { useRef } from "react";
import { EnvironmentService } from "../../gen/policyguard/control/v1/environment_service_pb.ts";
import { useEnvironments } from "../data/choice/environment.ts";
import { useProjects } from "../data/choice/project.ts";
import { useOrganization } from "../data/organization.ts";
import { transport } from "../data/transport.ts";
import { shownKey } from "../part/keys/shortcuts.ts";
import { en } from "../text/en.ts";
import { type LookedAt, narrowingOf, useLookedAt } from "./looked-at.ts";
import style from "./shell.module.css";

const texts = en.nav;

/** Absent for an organization without a project. */
export function PlaceSwitch() {
  const { orgId } = useOrganization();
  const { route, ...looked } = useLookedAt();
  const { projects, further } = useProjects(looked.project);
  const by = narrowingOf(route);
  const isOne = by?.project === "always" || projects.length === 1;
  const project = projects.find(({ id }) => id === looked.project) ?? (isOne ? projects[0] : undefined);
  const environments = useEnvironments(project === undefined ? [] : [project.id]);
  const go = useGo(orgId, route);
  const newest = useRef<string>(undefined);
  /** Goes to a project, unless another one was chosen, or another page, before its environments were known. */
  const choose = async (id: string) => {
    const { href } = location;
    newest.current = id;
    const place = await switchProject(orgId, id, looked.environment);
    if (newest.current === id && location.href === href) go(place);
  };
  if (projects.length === 0) return null;
  const environment =
    environments.find(({ name }) => name === looked.environment) ??
    (by?.environment === "always" ? environments.find(({ activeVersion }) => activeVersion !== undefined) : undefined);
  return (
    <span className={style.place}>
      <select aria-label={texts.project} value={project?.id ?? ""} onChange={({ target }) => choose(target.value)}>
        {!isOne && <option value="">{texts.allProjects}</option>}
        {projects.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
        {further !== undefined && <option disabled>{texts.otherProjects(shownKey("palette"))}</option>}
      </select>
      {project !== undefined && (
        <>
          <span aria-hidden="true">/</span>
          <select
            aria-label={texts.environment}
            value={environment?.name ?? ""}
            onChange={({ target }) => go({ project: project.id, ...(target.value && { environment: target.value }) })}
          >
            {by?.environment !== "always" && <option value="">{texts.allEnvironments}</option>}
            {environments.map(({ id, name }) => (
              <option key={id} value={name}>
                {name}
              </option>
            ))}
          </select>
        </>
      )}
    </span>
  );
}

/** The other project, with the environment where it has one of that name. */
async function switchProject(orgId: string, project: string, environment: string | undefined): Promise<LookedAt> {
  if (project === "") return environment === undefined ? {} : { environment };
  if (environment === undefined) return { project };
  const there = callUnaryMethod(transport, EnvironmentService.method.listEnvironments, { orgId, projectId: project });
  // Without an answer the other page asks again, and tells why it has none.
  const environments = await there.then(
    (answer) => answer.environments,
    () => [],
  );
  return environments.some(({ name }) => name === environment) ? { project, environment } : { project };
}

/** Keeps the page and its other filters where it can be narrowed. */
function useGo(orgId: string, route: string): (place: LookedAt) => void {
  const navigate = useNavigate();
  return ({ project, environment }) => {
    const by = narrowingOf(route);
    const isKept = by !== undefined && (environment === undefined || by.environment !== undefined);
    if (isKept) {
      const search = new URLSearchParams(location.search);
      for (const [name, value] of Object.entries({ project, environment, trace: undefined }))
        if (value === undefined) search.delete(name);
        else search.set(name, value);
      navigate({ href: `${location.pathname}?${search}` });
    } else if (project !== undefined && environment !== undefined)
      navigate({
        to: "/o/$org/environments/$project/$env/settings",
        params: { org: orgId, project, env: environment },
      });
    else
      navigate({
        to: "/o/$org/environments",
        params: { org: orgId },
        search: project === undefined ? {} : { project },
      });
  };
}
