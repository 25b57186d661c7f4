import { createClient } from "@connectrpc/connect";
import { useQuery } from "@connectrpc/connect-query";
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { type FormEvent, type ReactNode, useState } from "react";
import type { Bundle } from "../../../gen/policyguard/control/v1/bundle_pb.ts";
import { BundleService } from "../../../gen/policyguard/control/v1/bundle_service_pb.ts";
import type { Environment } from "../../../gen/policyguard/control/v1/environment_pb.ts";
import { EnvironmentService } from "../../../gen/policyguard/control/v1/environment_service_pb.ts";
import { failureOf } from "../../data/failure.ts";
import { invalidate } from "../../data/invalidation.ts";
import { useOrganization } from "../../data/organization.ts";
import { transport } from "../../data/transport.ts";
import { useBusy } from "../../part/busy.ts";
import { Button } from "../../part/button.tsx";
import { Select, TextField } from "../../part/field.tsx";
import { useUnsaved, useUnsavedWhile } from "../../part/form/unsaved.ts";
import { Page } from "../../part/page.tsx";
import { useGoOn } from "../../part/shown.ts";
import { Empty, Failed, Loading } from "../../part/state.tsx";
import { en } from "../../text/en.ts";
import { Comparison } from "./compare/comparison.tsx";
import style from "./environment.module.css";
import { TargetGates } from "./gate/of-target.tsx";
import { mayOverride, OverrideFields, useOverride } from "./gate/override.tsx";
import { isActive } from "./state.ts";
import { WhatIf } from "./what-if.tsx";

const texts = en.bundle;
const bundles = createClient(BundleService, transport);
const maxBundles = 200;

/** From one environment to another: what becomes of the target's policies, said before anything is made. */
export function PromotePage() {
  const { orgId } = useOrganization();
  const { project: projectId } = useParams({ from: "/o/$org/environments/$project/promote" });
  const search = useSearch({ from: "/o/$org/environments/$project/promote" });
  // It stays when other environments are chosen.
  const [message, setMessage] = useState("");
  useUnsavedWhile(message !== "");
  const { data, error, refetch } = useQuery(EnvironmentService.method.listEnvironments, { orgId, projectId });
  const all = data?.environments ?? [];
  const source = all.find(({ name }) => name === search.from) ?? all[0];
  const others = all.filter((environment) => environment !== source);
  const target =
    others.find(({ name }) => name === search.to) ??
    others.find(({ position }) => position > (source?.position ?? 0)) ??
    others[0];
  return (
    <Page
      title={texts.promoteTitle(source?.name ?? "…", target?.name ?? "…")}
      note={
        <Link to="/o/$org/environments" params={{ org: orgId }} search={{ project: projectId }}>
          {en.environments.title}
        </Link>
      }
    >
      {error !== null && <Failed error={error} onRetry={refetch} />}
      {data === undefined && error === null && <Loading />}
      {data !== undefined && target === undefined && <Empty title={texts.noOther} />}
      {source !== undefined && target !== undefined && (
        <Promotion key={`${source.name} ${target.name}`} all={all} source={source} target={target}>
          {(chosen) => (
            // What the gates have refused about one version is not said of another.
            <PromoteForm key={chosen.bundle.id} {...chosen} target={target} message={message} onMessage={setMessage} />
          )}
        </Promotion>
      )}
    </Page>
  );
}

/** What is promoted, and the newest version of the target that somebody has seen. */
interface Chosen {
  readonly bundle: Bundle;
  readonly newest: number;
}

function Promotion({
  all,
  source,
  target,
  children,
}: {
  readonly all: readonly Environment[];
  readonly source: Environment;
  readonly target: Environment;
  /** What promotes it. */
  readonly children: (chosen: Chosen) => ReactNode;
}) {
  const { orgId } = useOrganization();
  const { projectId } = source;
  const search = useSearch({ from: "/o/$org/environments/$project/promote" });
  const navigate = useNavigate({ from: "/o/$org/environments/$project/promote" });
  const here = useQuery(BundleService.method.listBundles, {
    orgId,
    projectId,
    envName: source.name,
    limit: maxBundles,
  });
  const there = useQuery(BundleService.method.listBundles, {
    orgId,
    projectId,
    envName: target.name,
    limit: maxBundles,
  });
  const offered = here.data?.bundles ?? [];
  const bundle = offered.find(({ version }) => version === search.version) ?? offered.find(isActive);
  const options = all.map(({ id, name }) => (
    <option key={id} value={name}>
      {name}
    </option>
  ));
  const failed = [here, there].find(({ error }) => error !== null);
  return (
    <>
      <div className={style.inline}>
        <Select
          label={texts.from}
          value={source.name}
          onChange={({ target: { value } }) => navigate({ search: { from: value }, replace: true })}
        >
          {options}
        </Select>
        <Select
          label={texts.to}
          value={target.name}
          onChange={({ target: { value } }) => navigate({ search: { from: source.name, to: value }, replace: true })}
        >
          {options}
        </Select>
        {bundle !== undefined && (
          <Select
            label={texts.version}
            value={bundle.version}
            onChange={({ target: { value } }) =>
              navigate({ search: { from: source.name, to: target.name, version: Number(value) }, replace: true })
            }
          >
            {offered.map(({ version, message }) => (
              <option key={version} value={version}>
                {en.common.version(version)} {message}
              </option>
            ))}
          </Select>
        )}
      </div>
      {failed !== undefined && <Failed error={failed.error} onRetry={failed.refetch} />}
      {here.data === undefined && failed === undefined && <Loading />}
      {here.data !== undefined && bundle === undefined && <Empty title={texts.nothingToPromote} />}
      {bundle !== undefined && there.data !== undefined && (
        <>
          <Preview bundle={bundle} target={target} existing={there.data.bundles} />
          {children({ bundle, newest: there.data.bundles[0]?.version ?? 0 })}
        </>
      )}
    </>
  );
}

function Preview({
  bundle,
  target,
  existing,
}: {
  readonly bundle: Bundle;
  readonly target: Environment;
  readonly existing: readonly Bundle[];
}) {
  const active = existing.find(isActive);
  const isEqual = active?.contentDigest === bundle.contentDigest;
  return (
    <>
      <section className={style.section} aria-label={texts.whatPromotes}>
        <h2>{texts.whatPromotes}</h2>
        {isEqual ? <p>{texts.equal(target.name)}</p> : <Becomes bundle={bundle} target={target} active={active} />}
        {target.isFrozen && <p className={style.weaker}>{en.environment.frozen}</p>}
        {target.isProtected && <p>{en.environment.protected}</p>}
        <TargetGates
          place={{ orgId: bundle.orgId, projectId: target.projectId, envName: target.name }}
          contentDigest={bundle.contentDigest}
        />
      </section>
      {!isEqual && <WhatIf key={bundle.id} bundle={bundle} tracesOf={target.name} />}
    </>
  );
}

function Becomes({
  bundle,
  target,
  active,
}: {
  readonly bundle: Bundle;
  readonly target: Environment;
  readonly active: Bundle | undefined;
}) {
  if (active === undefined) return <p>{texts.nothingActive}</p>;
  return (
    <Comparison
      place={{ orgId: bundle.orgId, projectId: bundle.projectId, envName: bundle.environment }}
      version={bundle.version}
      base={{ env: target.name, version: active.version }}
    />
  );
}

function PromoteForm({
  bundle,
  newest,
  target,
  message,
  onMessage,
}: Chosen & {
  readonly target: Environment;
  readonly message: string;
  readonly onMessage: (message: string) => void;
}) {
  const { orgId, can, role } = useOrganization();
  const navigate = useGoOn();
  const { run, isBusy, error } = useBusy();
  const { typed, send } = useUnsaved();
  // Which gates refuse is known when they have refused.
  const refused = error === undefined ? [] : failureOf(error).gates;
  const closed = refused.filter(({ state }) => state !== "passed" && state !== "overridden").map(({ gate }) => gate);
  const past = useOverride(closed);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const make = async () => {
      const { bundle: made } = await bundles.promoteBundle({
        orgId,
        projectId: target.projectId,
        sourceEnv: bundle.environment,
        targetEnv: target.name,
        version: bundle.version,
        activate: false,
        expectedVersion: newest,
        ...(message === "" ? {} : { message }),
        ...(past.override === undefined ? {} : { override: past.override }),
      });
      await invalidate(BundleService.method.promoteBundle);
      await navigate({
        to: "/o/$org/environments/$project/$env/$version",
        params: { org: orgId, project: target.projectId, env: target.name, version: String(made?.version ?? 0) },
      });
    };
    run(() => send(make));
  };
  if (!can(BundleService.method.promoteBundle)) return null;
  const isOverrun = error !== undefined && failureOf(error).code === "bundle_version_conflict";
  return (
    <form className={style.form} onSubmit={submit} onChange={typed}>
      <p>{texts.makeText}</p>
      <TextField
        label={texts.message}
        value={message}
        maxLength={2000}
        onChange={({ target: { value } }) => onMessage(value)}
      />
      {error !== undefined && <Failed error={error} />}
      {isOverrun && <p role="status">{texts.newerThere}</p>}
      {closed.length > 0 && mayOverride(target, role) && (
        <OverrideFields closed={closed} choice={past.choice} onChange={past.onChange} />
      )}
      <p>
        <Button type="submit" kind="primary" disabled={isBusy}>
          {texts.make(target.name)}
        </Button>
      </p>
    </form>
  );
}
