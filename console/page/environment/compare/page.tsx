import { useQuery } from "@connectrpc/connect-query";
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { BundleState } from "../../../../gen/policyguard/control/v1/bundle_pb.ts";
import { BundleService } from "../../../../gen/policyguard/control/v1/bundle_service_pb.ts";
import type { Environment } from "../../../../gen/policyguard/control/v1/environment_pb.ts";
import { EnvironmentService } from "../../../../gen/policyguard/control/v1/environment_service_pb.ts";
import { useOrganization } from "../../../data/organization.ts";
import { Button } from "../../../part/button.tsx";
import { Select } from "../../../part/field.tsx";
import { Page } from "../../../part/page.tsx";
import { Panel } from "../../../part/panel.tsx";
import { Answered, Empty } from "../../../part/state.tsx";
import { en } from "../../../text/en.ts";
import { stateName } from "../state.ts";
import style from "./compare.module.css";
import { Comparison } from "./comparison.tsx";

const texts = en.compareBundles;
const from = "/o/$org/environments/$project/compare";
const maxBundles = 200;

/** One of the two bundles, as the address names it. */
interface Side {
  readonly env: string;
  readonly version: number | undefined;
}

/** Two bundles of a project, of whichever environments: what differs between them in meaning. */
export function CompareBundlesPage() {
  const { orgId } = useOrganization();
  const { project: projectId } = useParams({ from });
  const query = useQuery(EnvironmentService.method.listEnvironments, { orgId, projectId });
  return (
    <Page
      title={texts.title}
      note={
        <Link to="/o/$org/environments" params={{ org: orgId }} search={{ project: projectId }}>
          {en.environments.title}
        </Link>
      }
    >
      <Answered query={query}>{({ environments }) => <Choice environments={environments} />}</Answered>
    </Page>
  );
}

function Choice({ environments }: { readonly environments: readonly Environment[] }) {
  const { orgId } = useOrganization();
  const { project: projectId } = useParams({ from });
  const search = useSearch({ from });
  const navigate = useNavigate({ from });
  const named = (name: string | undefined) => environments.find((each) => each.name === name);
  const later = named(search.env) ?? environments[0];
  const earlier = named(search.base) ?? environments.find((each) => each !== later) ?? later;
  if (later === undefined || earlier === undefined) return <Empty title={texts.none} />;
  const bundle = { env: later.name, version: search.version ?? later.activeVersion };
  const base = { env: earlier.name, version: search.baseVersion ?? earlier.activeVersion };
  const choose = (next: { readonly bundle: Side; readonly base: Side }) =>
    navigate({ search: addressOf(next), replace: true });
  return (
    <>
      <div className={style.sides}>
        <SideChoice
          title={texts.base}
          side={base}
          environments={environments}
          onChoose={(side) => choose({ bundle, base: side })}
        />
        <SideChoice
          title={texts.bundle}
          side={bundle}
          environments={environments}
          onChoose={(side) => choose({ bundle: side, base })}
        />
      </div>
      <p>
        <Button onClick={() => choose({ bundle: base, base: bundle })}>{texts.swap}</Button>
      </p>
      {bundle.version === undefined || base.version === undefined ? (
        <Empty title={texts.nothing} text={texts.nothingText} />
      ) : (
        <Panel title={texts.differences(sideName(base), sideName(bundle))}>
          <Comparison
            place={{ orgId, projectId, envName: bundle.env }}
            version={bundle.version}
            base={{ env: base.env, version: base.version }}
          />
        </Panel>
      )}
    </>
  );
}

function sideName({ env, version }: Side): string {
  return texts.side(env, version ?? 0);
}

function addressOf({ bundle, base }: { readonly bundle: Side; readonly base: Side }) {
  return {
    ...{ env: bundle.env, base: base.env },
    ...(bundle.version === undefined ? {} : { version: bundle.version }),
    ...(base.version === undefined ? {} : { baseVersion: base.version }),
  };
}

function SideChoice({
  title,
  side,
  environments,
  onChoose,
}: {
  readonly title: string;
  readonly side: Side;
  readonly environments: readonly Environment[];
  readonly onChoose: (side: Side) => void;
}) {
  const { orgId } = useOrganization();
  const { project: projectId } = useParams({ from });
  const query = useQuery(BundleService.method.listBundles, { orgId, projectId, envName: side.env, limit: maxBundles });
  const offered = query.data?.bundles.filter(({ state }) => state !== BundleState.PURGED) ?? [];
  return (
    <fieldset className={style.side}>
      <legend>{title}</legend>
      <Select
        label={texts.environment}
        value={side.env}
        onChange={({ target }) => onChoose({ env: target.value, version: undefined })}
      >
        {environments.map(({ id, name }) => (
          <option key={id} value={name}>
            {name}
          </option>
        ))}
      </Select>
      <Select
        label={texts.version}
        value={side.version ?? ""}
        onChange={({ target }) => onChoose({ env: side.env, version: Number(target.value) })}
      >
        {side.version === undefined && <option value="">{en.common.none}</option>}
        {offered.map((bundle) => (
          <option key={bundle.version} value={bundle.version}>
            {en.common.version(bundle.version)} · {en.environments.states[stateName(bundle)]}
          </option>
        ))}
      </Select>
      {query.error !== null && <Answered query={query}>{() => null}</Answered>}
    </fieldset>
  );
}
