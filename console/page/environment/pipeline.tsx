import { useQuery } from "@connectrpc/connect-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import type { Bundle } from "../../../gen/policyguard/control/v1/bundle_pb.ts";
import { BundleService } from "../../../gen/policyguard/control/v1/bundle_service_pb.ts";
import type { Environment } from "../../../gen/policyguard/control/v1/environment_pb.ts";
import { EnvironmentService } from "../../../gen/policyguard/control/v1/environment_service_pb.ts";
import { ProjectService } from "../../../gen/policyguard/control/v1/project_service_pb.ts";
import { RuntimeInstanceService } from "../../../gen/policyguard/control/v1/runtime_instance_service_pb.ts";
import { useOrganization } from "../../data/organization.ts";
import { Ago } from "../../part/ago.tsx";
import { Button } from "../../part/button.tsx";
import { Select } from "../../part/field.tsx";
import { Page } from "../../part/page.tsx";
import { Empty, Failed, Loading } from "../../part/state.tsx";
import { en } from "../../text/en.ts";
import { type Deed, DeedDialog } from "./deed.tsx";
import style from "./environment.module.css";
import { isActive, stateName } from "./state.ts";

const texts = en.environments;
const maxProjects = 200;
const shownBundles = 5;
/** Runtimes report within seconds; their number is asked for again as often. */
const fleetMs = 5_000;

/** The environments of a project, in the order of promotion. */
export function EnvironmentsPage() {
  const { orgId } = useOrganization();
  const search = useSearch({ from: "/o/$org/environments" });
  const navigate = useNavigate({ from: "/o/$org/environments" });
  const projects = useQuery(ProjectService.method.listProjects, { orgId, limit: maxProjects });
  const list = projects.data?.projects ?? [];
  const project = list.find(({ id }) => id === search.project) ?? list[0];
  return (
    <Page
      title={texts.title}
      actions={
        list.length > 1 && (
          <Select
            label={texts.project}
            value={project?.id}
            onChange={(event) => navigate({ search: { project: event.target.value }, replace: true })}
          >
            {list.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </Select>
        )
      }
    >
      {projects.error !== null && <Failed error={projects.error} onRetry={projects.refetch} />}
      {projects.data === undefined && projects.error === null && <Loading />}
      {projects.data?.total === 0 && <Empty title={texts.noProjects} text={texts.noProjectsText} />}
      {project !== undefined && <Pipeline key={project.id} orgId={orgId} projectId={project.id} />}
    </Page>
  );
}

function Pipeline({ orgId, projectId }: { readonly orgId: string; readonly projectId: string }) {
  const { data, error, refetch } = useQuery(EnvironmentService.method.listEnvironments, { orgId, projectId });
  const [deed, setDeed] = useState<Deed>();
  if (error !== null) return <Failed error={error} onRetry={refetch} />;
  if (data === undefined) return <Loading />;
  return (
    <>
      <ol className={style.pipeline}>
        {data.environments.map((environment, at) => (
          <Card key={environment.id} environment={environment} next={data.environments[at + 1]} onDeed={setDeed} />
        ))}
      </ol>
      {deed !== undefined && (
        <DeedDialog
          key={deed.kind}
          deed={deed}
          orgId={orgId}
          projectId={projectId}
          onClose={() => setDeed(undefined)}
        />
      )}
    </>
  );
}

function Card({
  environment,
  next,
  onDeed,
}: {
  readonly environment: Environment;
  readonly next: Environment | undefined;
  readonly onDeed: (deed: Deed) => void;
}) {
  const { orgId, can } = useOrganization();
  const { name, projectId, isFrozen, isProtected, requiredApprovals } = environment;
  const place = { orgId, projectId, envName: name };
  const { data, error, refetch } = useQuery(BundleService.method.listBundles, { ...place, limit: shownBundles });
  const active = data?.bundles.find(isActive);
  const whyFrozen = isFrozen ? texts.isFrozen : undefined;
  return (
    <li className={style.card}>
      <header className={style.head}>
        <h2>{name}</h2>
        {isProtected && <span className={style.tag}>{texts.isProtected}</span>}
        {isFrozen && <span className={style.tag}>{texts.isFrozen}</span>}
        {requiredApprovals > 0 && <span className={style.tag}>{texts.approvals(requiredApprovals)}</span>}
      </header>
      {active === undefined ? (
        <p className={style.dim}>{data === undefined ? "" : texts.nothing}</p>
      ) : (
        <p>
          <strong>{en.common.version(active.version)}</strong> {texts.active} · {texts.policies(active.policies.length)}{" "}
          · <Ago time={active.activatedAt} />
        </p>
      )}
      <Fleet orgId={orgId} projectId={projectId} envName={name} />
      <div className={style.actions}>
        {can(BundleService.method.publishBundle) && (
          <Button kind="primary" why={whyFrozen} onClick={() => onDeed({ kind: "publish", environment })}>
            {texts.publish}
          </Button>
        )}
        {active !== undefined && next !== undefined && can(BundleService.method.promoteBundle) && (
          <Button
            why={next.isFrozen ? `${next.name}: ${texts.isFrozen}` : undefined}
            onClick={() => onDeed({ kind: "promote", environment, target: next, version: active.version })}
          >
            {texts.promote(next.name)}
          </Button>
        )}
      </div>
      {error !== null && <Failed error={error} onRetry={refetch} />}
      {data !== undefined && data.bundles.length > 0 && (
        <Bundles bundles={data.bundles} environment={environment} why={whyFrozen} onDeed={onDeed} />
      )}
    </li>
  );
}

function Bundles({
  bundles,
  environment,
  why,
  onDeed,
}: {
  readonly bundles: readonly Bundle[];
  readonly environment: Environment;
  readonly why: string | undefined;
  readonly onDeed: (deed: Deed) => void;
}) {
  const { can } = useOrganization();
  const active = bundles.find(isActive)?.version ?? 0;
  return (
    <ul className={style.bundles} aria-label={texts.history}>
      {bundles.map((bundle) => (
        <li key={bundle.id}>
          <span>
            {en.common.version(bundle.version)} <span className={style.dim}>{texts.states[stateName(bundle)]}</span>
            <span className={style.by}>
              {bundle.message ?? bundle.source} · {bundle.createdBy} · <Ago time={bundle.createdAt} />
            </span>
          </span>
          {!isActive(bundle) && stateName(bundle) !== "purged" && can(BundleService.method.activateBundle) && (
            <Button
              kind="quiet"
              why={why}
              onClick={() => onDeed({ kind: "activate", environment, version: bundle.version })}
            >
              {bundle.version < active ? texts.rollBack(bundle.version) : texts.activateShort(bundle.version)}
            </Button>
          )}
        </li>
      ))}
    </ul>
  );
}

function Fleet(place: { readonly orgId: string; readonly projectId: string; readonly envName: string }) {
  const { can } = useOrganization();
  const mayList = can(RuntimeInstanceService.method.listRuntimeInstances);
  const options = { enabled: mayList, refetchInterval: fleetMs };
  const { data } = useQuery(RuntimeInstanceService.method.listRuntimeInstances, place, options);
  if (data === undefined) return null;
  const connected = data.runtimes.filter((runtime) => runtime.connected).length;
  return <p className={style.dim}>{texts.runtimes(connected)}</p>;
}
