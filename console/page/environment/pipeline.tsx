import { useQuery } from "@connectrpc/connect-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useRef, useState } from "react";
import type { Bundle } from "../../../gen/policyguard/control/v1/bundle_pb.ts";
import { BundleService } from "../../../gen/policyguard/control/v1/bundle_service_pb.ts";
import type { Environment } from "../../../gen/policyguard/control/v1/environment_pb.ts";
import { EnvironmentService } from "../../../gen/policyguard/control/v1/environment_service_pb.ts";
import { ProjectService } from "../../../gen/policyguard/control/v1/project_service_pb.ts";
import { useProjects } from "../../data/choice/project.ts";
import { useOrganization } from "../../data/organization.ts";
import { useReach } from "../../data/reach.ts";
import { Ago } from "../../part/ago.tsx";
import { Button } from "../../part/button.tsx";
import { listMark, useRowKeys } from "../../part/keys/row-keys.ts";
import { LinkButton } from "../../part/link-button.tsx";
import { NoProject } from "../../part/onboarding/no-project.tsx";
import { Page } from "../../part/page.tsx";
import { ProjectSelect } from "../../part/project-select.tsx";
import { Answered, Failed, Loading } from "../../part/state.tsx";
import { en } from "../../text/en.ts";
import { count, share } from "../../text/format.ts";
import { CreateEnvironmentDialog } from "./create.tsx";
import style from "./environment.module.css";
import { Overrides } from "./overrides.tsx";
import type { Place } from "./place.ts";
import { PublishDialog } from "./publish.tsx";
import { isActive, sourceText, stateName } from "./state.ts";

const texts = en.environments;
const shownBundles = 5;

/** The environments of a project, in the order of promotion. */
export function EnvironmentsPage() {
  const { orgId, can } = useOrganization();
  const [isCreating, setCreating] = useState(false);
  const search = useSearch({ from: "/o/$org/environments" });
  const navigate = useNavigate({ from: "/o/$org/environments" });
  const { projects, further, project, isLoaded, error, refetch } = useProjects(search.project);
  return (
    <Page
      title={texts.title}
      actions={
        <>
          {projects.length > 1 && (
            <ProjectSelect
              projects={projects}
              further={further}
              value={project?.id}
              onChange={(id) => navigate({ search: id === undefined ? {} : { project: id }, replace: true })}
            />
          )}
          {project !== undefined && (
            <LinkButton
              kind="plain"
              to="/o/$org/environments/$project/compare"
              params={{ org: orgId, project: project.id }}
            >
              {en.compareBundles.title}
            </LinkButton>
          )}
          {project !== undefined && can(EnvironmentService.method.createEnvironment) && (
            <Button hotkey="create" onClick={() => setCreating(true)}>
              {en.environment.create}
            </Button>
          )}
        </>
      }
    >
      {error !== undefined && <Failed error={error} onRetry={refetch} />}
      {!isLoaded && error === undefined && <Loading />}
      {isLoaded && project === undefined && (
        <NoProject makeFor={can(ProjectService.method.createProject) ? orgId : undefined} />
      )}
      {project !== undefined && <Pipeline key={project.id} orgId={orgId} projectId={project.id} />}
      {project !== undefined && isCreating && (
        <CreateEnvironmentDialog projectId={project.id} onClose={() => setCreating(false)} />
      )}
    </Page>
  );
}

function Pipeline({ orgId, projectId }: { readonly orgId: string; readonly projectId: string }) {
  const query = useQuery(EnvironmentService.method.listEnvironments, { orgId, projectId });
  const [published, setPublished] = useState<Environment>();
  const list = useRef<HTMLOListElement>(null);
  useRowKeys(list);
  return (
    <>
      <Answered query={query}>
        {({ environments }) => (
          <ol ref={list} className={style.pipeline} {...listMark}>
            {environments.map((environment, at) => (
              <Card
                key={environment.id}
                environment={environment}
                former={environments[at - 1]}
                next={environments[at + 1]}
                onPublish={setPublished}
              />
            ))}
          </ol>
        )}
      </Answered>
      {published !== undefined && (
        <PublishDialog making="publish" environment={published} onClose={() => setPublished(undefined)} />
      )}
    </>
  );
}

function Card({
  environment,
  former,
  next,
  onPublish,
}: {
  readonly environment: Environment;
  readonly former: Environment | undefined;
  readonly next: Environment | undefined;
  readonly onPublish: (environment: Environment) => void;
}) {
  const { orgId } = useOrganization();
  const { name, projectId, isFrozen, isProtected, requiredApprovals } = environment;
  const place = { orgId, projectId, envName: name };
  const { data, error, refetch } = useQuery(BundleService.method.listBundles, { ...place, limit: shownBundles });
  const active = data?.bundles.find(isActive);
  return (
    <li className={style.card}>
      <header className={style.head}>
        <h2>
          <Link to="/o/$org/environments/$project/$env/settings" params={{ org: orgId, project: projectId, env: name }}>
            {name}
          </Link>
        </h2>
        {isProtected && <span className={style.tag}>{texts.isProtected}</span>}
        {isFrozen && <span className={style.tag}>{texts.isFrozen}</span>}
        {requiredApprovals > 0 && <span className={style.tag}>{texts.approvals(requiredApprovals)}</span>}
      </header>
      {active === undefined ? (
        <p className={style.dim}>{data === undefined ? error === null && en.common.loading : texts.nothing}</p>
      ) : (
        <div>
          <p>
            <BundleLink bundle={active} /> {texts.active} · {texts.policies(active.policies.length)} ·{" "}
            <Ago time={active.activatedAt} />
          </p>
          {former !== undefined && <Equal bundle={active} former={former} />}
          <Beside place={place} />
        </div>
      )}
      {environment.overrideCount > 0 && <Overrides place={place} />}
      <Fleet place={place} active={active?.version} />
      <Deeds environment={environment} active={active} next={next} onPublish={onPublish} />
      {error !== null && <Failed error={error} onRetry={refetch} />}
      {data !== undefined && data.bundles.length > 0 && <Bundles bundles={data.bundles} environment={environment} />}
    </li>
  );
}

function Deeds({
  environment,
  active,
  next,
  onPublish,
}: {
  readonly environment: Environment;
  readonly active: Bundle | undefined;
  readonly next: Environment | undefined;
  readonly onPublish: (environment: Environment) => void;
}) {
  const { orgId, can } = useOrganization();
  return (
    <div className={style.actions}>
      {can(BundleService.method.publishBundle) && (
        <Button kind="primary" onClick={() => onPublish(environment)}>
          {texts.publish}
        </Button>
      )}
      {active !== undefined && next !== undefined && can(BundleService.method.promoteBundle) && (
        <LinkButton
          kind="plain"
          to="/o/$org/environments/$project/promote"
          params={{ org: orgId, project: environment.projectId }}
          search={{ from: environment.name, to: next.name }}
        >
          {texts.promote(next.name)}
        </LinkButton>
      )}
    </div>
  );
}

function BundleLink({ bundle: { projectId, environment, version } }: { readonly bundle: Bundle }) {
  const { orgId } = useOrganization();
  return (
    <Link
      className={style.version}
      to="/o/$org/environments/$project/$env/$version"
      params={{ org: orgId, project: projectId, env: environment, version: String(version) }}
    >
      {en.common.version(version)}
    </Link>
  );
}

/** Says that an environment enforces the same content as the one before it. */
function Equal({ bundle, former }: { readonly bundle: Bundle; readonly former: Environment }) {
  const { orgId } = useOrganization();
  const { data } = useQuery(BundleService.method.listBundles, {
    orgId,
    projectId: former.projectId,
    envName: former.name,
    limit: shownBundles,
  });
  const same = data?.bundles.find(({ contentDigest }) => contentDigest === bundle.contentDigest);
  if (same === undefined) return null;
  // Versions of one environment count up, whatever was promoted of them.
  const behind = Math.max(0, (former.activeVersion ?? 0) - same.version);
  return (
    <p className={style.dim}>
      {texts.equals(former.name, same.version)}
      {behind > 0 && ` · ${texts.behind(former.name, behind)}`}
    </p>
  );
}

/** Names the version that is evaluated beside the active one. */
function Beside({ place }: { readonly place: Place }) {
  const { data } = useQuery(BundleService.method.getCandidate, place, { retry: false });
  const candidate = data?.candidate;
  if (candidate === undefined || candidate.expired) return null;
  return (
    <p>
      <Link
        to="/o/$org/environments/$project/$env/$version"
        params={{
          org: place.orgId,
          project: place.projectId,
          env: place.envName,
          version: String(candidate.version),
        }}
      >
        {texts.candidate(candidate.version)}
      </Link>
      {candidate.evaluations > 0 &&
        `: ${en.bundle.disagree(share(candidate.disagreements / candidate.evaluations), count(candidate.evaluations))}`}
    </p>
  );
}

function Bundles({
  bundles,
  environment: { requiredApprovals },
}: {
  readonly bundles: readonly Bundle[];
  readonly environment: Environment;
}) {
  const { orgId, can } = useOrganization();
  const active = bundles.find(isActive)?.version ?? 0;
  // What was active once was approved then.
  const lacksApproval = ({ version, approvals }: Bundle) => version > active && approvals.length < requiredApprovals;
  const deedOf = (bundle: Bundle) => {
    if (bundle.version < active) return texts.rollBack(bundle.version);
    return lacksApproval(bundle) ? texts.approveShort(bundle.version) : texts.activateShort(bundle.version);
  };
  return (
    <ul className={style.bundles} aria-label={texts.history}>
      {bundles.map((bundle) => (
        <li key={bundle.id}>
          <span>
            <BundleLink bundle={bundle} /> <span className={style.dim}>{texts.states[stateName(bundle)]}</span>
            <span className={style.by}>
              {lacksApproval(bundle) && `${texts.approved(bundle.approvals.length, requiredApprovals)} · `}
              {bundle.message ?? sourceText(bundle)} · {bundle.createdBy} · <Ago time={bundle.createdAt} />
            </span>
          </span>
          {!isActive(bundle) && stateName(bundle) !== "purged" && can(BundleService.method.activateBundle) && (
            <LinkButton
              kind="quiet"
              to="/o/$org/environments/$project/$env/$version"
              params={{
                org: orgId,
                project: bundle.projectId,
                env: bundle.environment,
                version: String(bundle.version),
              }}
            >
              {deedOf(bundle)}
            </LinkButton>
          )}
        </li>
      ))}
    </ul>
  );
}

function Fleet({ place, active }: { readonly place: Place; readonly active: number | undefined }) {
  const { reach } = useReach(place, { version: active, listed: 1 });
  if (reach === undefined) return null;
  const { connected, reached } = reach;
  const isSaid = connected > 0 && active !== undefined;
  return <p className={style.dim}>{isSaid ? en.bundle.reached(reached, connected) : texts.runtimes(connected)}</p>;
}
