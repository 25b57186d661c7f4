import { useQuery } from "@connectrpc/connect-query";
import { Link, useParams } from "@tanstack/react-router";
import { useState } from "react";
import type { Bundle } from "../../../gen/policyguard/control/v1/bundle_pb.ts";
import { BundleService } from "../../../gen/policyguard/control/v1/bundle_service_pb.ts";
import type { Environment } from "../../../gen/policyguard/control/v1/environment_pb.ts";
import { EnvironmentService } from "../../../gen/policyguard/control/v1/environment_service_pb.ts";
import { GateState } from "../../../gen/policyguard/control/v1/gate_pb.ts";
import { PolicyService } from "../../../gen/policyguard/control/v1/policy_service_pb.ts";
import { useOrganization } from "../../data/organization.ts";
import { Ago } from "../../part/ago.tsx";
import { Button } from "../../part/button.tsx";
import { LinkButton } from "../../part/link-button.tsx";
import { Page } from "../../part/page.tsx";
import { Failed, Loading } from "../../part/state.tsx";
import { en } from "../../text/en.ts";
import { ActivateDialog } from "./activate.tsx";
import { CandidateSection } from "./candidate.tsx";
import { Comparison } from "./compare/comparison.tsx";
import style from "./environment.module.css";
import { mayOverride } from "./gate/override.tsx";
import { Gates } from "./gates.tsx";
import type { Place } from "./place.ts";
import { Reach } from "./reach.tsx";
import { isActive, sourceText, stateName, whyNotActivate } from "./state.ts";
import { WhatIf } from "./what-if.tsx";

const texts = en.bundle;
const newMs = 10_000;
/** While a run finds out how a gate stands. */
const pendingMs = 3_000;

/** One version of an environment: what activating it changes, what stands in its way, and what it would have done. */
export function BundlePage() {
  const { orgId } = useOrganization();
  const params = useParams({ from: "/o/$org/environments/$project/$env/$version" });
  const place = { orgId, projectId: params.project, envName: params.env };
  const version = Number(params.version);
  const isNumber = Number.isInteger(version) && version > 0;
  const { data, error, refetch } = useQuery(
    BundleService.method.getBundle,
    { ...place, version: isNumber ? version : 1 },
    {
      enabled: isNumber,
      refetchInterval: ({ state }) =>
        state.data?.bundle?.gates.some((gate) => gate.state === GateState.PENDING && gate.runId !== undefined)
          ? pendingMs
          : newMs,
    },
  );
  const environments = useQuery(EnvironmentService.method.listEnvironments, { orgId, projectId: place.projectId });
  const environment = environments.data?.environments.find(({ name }) => name === place.envName);
  const bundle = data?.bundle;
  return (
    <Page
      title={isNumber ? texts.title(version, place.envName) : en.failure.gone}
      note={
        <Link
          to="/o/$org/environments/$project/$env/settings"
          params={{ org: orgId, project: params.project, env: params.env }}
        >
          {params.env}
        </Link>
      }
      actions={
        bundle &&
        environment && (
          <>
            <TryLink bundle={bundle} />
            <Activate bundle={bundle} environment={environment} />
          </>
        )
      }
    >
      {!isNumber && <p role="alert">{en.failure.goneText}</p>}
      {error !== null && <Failed error={error} onRetry={refetch} />}
      {isNumber && bundle === undefined && error === null && <Loading />}
      {bundle !== undefined && <Content place={place} bundle={bundle} />}
    </Page>
  );
}

/** To the playground, where this version judges texts. */
function TryLink({ bundle }: { readonly bundle: Bundle }) {
  const { orgId, can } = useOrganization();
  const { projectId: project, environment, version } = bundle;
  if (stateName(bundle) === "purged" || !can(PolicyService.method.explainPolicies)) return null;
  return (
    <LinkButton
      kind="plain"
      to="/o/$org/playground"
      params={{ org: orgId }}
      search={isActive(bundle) ? { project, environment } : { project, environment, version }}
    >
      {texts.tryTexts}
    </LinkButton>
  );
}

function Activate({ bundle, environment }: { readonly bundle: Bundle; readonly environment: Environment }) {
  const { can, role } = useOrganization();
  const [isAsking, setAsking] = useState(false);
  const { name, activeVersion = 0 } = environment;
  const isOffered = !isActive(bundle) && stateName(bundle) !== "purged" && can(BundleService.method.activateBundle);
  // An admin may go past the environment's own gates, in the dialog; the others stand.
  const closed = bundle.gates.filter(
    ({ passed, kind }) => !passed && !(kind !== undefined && mayOverride(environment, role)),
  );
  const why =
    whyNotActivate(environment, role) ??
    (closed.length > 0
      ? texts.closed(closed.map(({ gate, reason }) => reason ?? texts.gateNames[gate] ?? gate).join("; "))
      : undefined);
  const isBack = bundle.version < activeVersion;
  return (
    <>
      {isOffered && (
        <Button kind="primary" why={why} onClick={() => setAsking(true)}>
          {isBack ? texts.rollBack(bundle.version, name) : texts.activate(bundle.version, name)}
        </Button>
      )}
      {isAsking && (
        <ActivateDialog
          environment={environment}
          version={bundle.version}
          inForce={bundle.diff?.activationSeq ?? 0}
          onClose={() => setAsking(false)}
        />
      )}
    </>
  );
}

function Content({ place, bundle }: { readonly place: Place; readonly bundle: Bundle }) {
  const { version, message, createdBy, createdAt, tests } = bundle;
  return (
    <>
      <p className={style.dim}>
        {en.environments.states[stateName(bundle)]} · {message ?? sourceText(bundle)} · {texts.by(createdBy)} ·{" "}
        <Ago time={createdAt} />
        {tests !== undefined && ` · ${texts.tests(tests.passed, tests.passed + tests.failed)}`}
      </p>
      <div className={style.columns}>
        <div className={style.column}>
          <Changes place={place} bundle={bundle} />
          <WhatIf bundle={bundle} tracesOf={place.envName} />
        </div>
        <div className={style.column}>
          {!isActive(bundle) && <Gates place={place} bundle={bundle} />}
          <Reach place={place} version={version} />
          {!isActive(bundle) && <CandidateSection place={place} version={version} />}
          <Contents bundle={bundle} />
        </div>
      </div>
    </>
  );
}

function Changes({ place, bundle }: { readonly place: Place; readonly bundle: Bundle }) {
  const { version, diff } = bundle;
  if (isActive(bundle))
    return (
      <section className={style.section}>
        <p>{texts.isActive}</p>
        <CompareLink place={place} version={version} />
      </section>
    );
  if (diff === undefined)
    return (
      <section className={style.section}>
        <p>{texts.nothingActive}</p>
        <CompareLink place={place} version={version} />
      </section>
    );
  const title = texts.changes(diff.activeVersion);
  return (
    <section className={style.section} aria-label={title}>
      <h2>{title}</h2>
      <Comparison place={place} version={version} base={{ env: place.envName, version: diff.activeVersion }} />
      <CompareLink place={place} version={version} base={diff.activeVersion} />
    </section>
  );
}

/** Leads to the comparison with a version of one's choice. */
function CompareLink({
  place: { orgId, projectId, envName },
  version,
  base,
}: {
  readonly place: Place;
  readonly version: number;
  readonly base?: number;
}) {
  return (
    <p className={style.parts}>
      <Link
        to="/o/$org/environments/$project/compare"
        params={{ org: orgId, project: projectId }}
        search={{ env: envName, version, base: envName, ...(base === undefined ? {} : { baseVersion: base }) }}
      >
        {en.compareBundles.open}
      </Link>
    </p>
  );
}

function Contents({ bundle: { policies } }: { readonly bundle: Bundle }) {
  const { orgId } = useOrganization();
  return (
    <section className={style.section} aria-label={texts.contents}>
      <h2>{texts.contents}</h2>
      <ul className={style.parts}>
        {policies.map(({ policyId, name, version }) => (
          <li key={policyId}>
            <Link to="/o/$org/policies/$policy" params={{ org: orgId, policy: policyId }}>
              {name}
            </Link>{" "}
            {en.common.version(version)}
          </li>
        ))}
      </ul>
    </section>
  );
}
