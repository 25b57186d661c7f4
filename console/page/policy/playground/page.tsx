import { useQuery } from "@connectrpc/connect-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { BundleState } from "../../../../gen/policyguard/control/v1/bundle_pb.ts";
import { BundleService } from "../../../../gen/policyguard/control/v1/bundle_service_pb.ts";
import type { Environment } from "../../../../gen/policyguard/control/v1/environment_pb.ts";
import { EnvironmentService } from "../../../../gen/policyguard/control/v1/environment_service_pb.ts";
import { PolicyService } from "../../../../gen/policyguard/control/v1/policy_service_pb.ts";
import { ProjectService } from "../../../../gen/policyguard/control/v1/project_service_pb.ts";
import { useProjects } from "../../../data/choice/project.ts";
import { useOrganization } from "../../../data/organization.ts";
import { Button } from "../../../part/button.tsx";
import { Select } from "../../../part/field.tsx";
import layout from "../../../part/layout/layout.module.css";
import { NoProject } from "../../../part/onboarding/no-project.tsx";
import { Page } from "../../../part/page.tsx";
import { ProjectSelect } from "../../../part/project-select.tsx";
import { Answered, Empty, Failed, Loading, Refused } from "../../../part/state.tsx";
import { en } from "../../../text/en.ts";
import style from "../policy.module.css";
import { Composer } from "./composer.tsx";
import { type Asked, askedOf, isBlank } from "./request.ts";
import { type Judge, useJudge } from "./use-judge.ts";
import { Remaining, Verdict } from "./verdict.tsx";

const texts = en.playground;
const from = "/o/$org/playground";
const maxTexts = 4;
const maxBundles = 100;

/** Judges texts side by side by what an environment enforces. */
export function PlaygroundPage() {
  const { orgId, can } = useOrganization();
  const search = useSearch({ from });
  const navigate = useNavigate({ from });
  const { projects, further, project, isLoaded, error, refetch } = useProjects(search.project);
  const query = useQuery(
    EnvironmentService.method.listEnvironments,
    { orgId, projectId: project?.id ?? "" },
    { enabled: project !== undefined },
  );
  if (!can(PolicyService.method.explainPolicies))
    return (
      <Page title={texts.title}>
        <Refused needed="editor" />
      </Page>
    );
  return (
    <Page title={texts.title}>
      <p className={layout.dim}>{texts.pageText}</p>
      {error !== undefined && <Failed error={error} onRetry={refetch} />}
      {!isLoaded && error === undefined && <Loading />}
      {isLoaded && project === undefined && (
        <NoProject makeFor={can(ProjectService.method.createProject) ? orgId : undefined} />
      )}
      {project !== undefined && (
        <Answered query={query}>
          {({ environments }) => {
            const chosen =
              environments.find(({ name }) => name === search.environment) ??
              environments.find(({ activeVersion }) => activeVersion !== undefined) ??
              environments[0];
            return (
              <>
                <search className={layout.filters}>
                  <ProjectSelect
                    projects={projects}
                    further={further}
                    value={project.id}
                    onChange={(next) =>
                      navigate({ search: next === undefined ? {} : { project: next }, replace: true })
                    }
                  />
                  <Select
                    label={texts.environment}
                    value={chosen?.name ?? ""}
                    onChange={({ target }) =>
                      navigate({ search: { project: project.id, environment: target.value }, replace: true })
                    }
                  >
                    {environments.map(({ id, name }) => (
                      <option key={id} value={name}>
                        {name}
                      </option>
                    ))}
                  </Select>
                  {chosen !== undefined && (
                    <VersionSelect
                      environment={chosen}
                      value={search.version}
                      onChange={(version) =>
                        navigate({
                          search: {
                            project: project.id,
                            environment: chosen.name,
                            ...(version !== undefined && { version }),
                          },
                          replace: true,
                        })
                      }
                    />
                  )}
                </search>
                {chosen?.activeVersion === undefined && search.version === undefined ? (
                  <Empty title={texts.nothingActive} text={texts.nothingActiveText} />
                ) : (
                  <Texts
                    key={chosen?.id}
                    place={{
                      ...{ projectId: project.id, environment: chosen?.name ?? "" },
                      ...(search.version !== undefined && { bundleVersion: search.version }),
                    }}
                  />
                )}
              </>
            );
          }}
        </Answered>
      )}
    </Page>
  );
}

interface Column {
  readonly key: number;
  readonly asked: Asked;
}

/** The bundle that judges: the one in force, or an older one whose content is still there. */
function VersionSelect({
  environment: { projectId, name, activeVersion },
  value,
  onChange,
}: {
  readonly environment: Environment;
  readonly value: number | undefined;
  readonly onChange: (version: number | undefined) => void;
}) {
  const { orgId } = useOrganization();
  const { data, error, refetch } = useQuery(BundleService.method.listBundles, {
    ...{ orgId, projectId, envName: name, limit: maxBundles },
  });
  const kept = data?.bundles.filter(({ state }) => state !== BundleState.PURGED) ?? [];
  const others = kept.filter(({ version }) => version !== activeVersion);
  const isListed = value === undefined || others.some(({ version }) => version === value);
  return (
    <>
      <Select
        label={texts.version}
        value={value ?? ""}
        onChange={({ target }) => onChange(Number(target.value) || undefined)}
      >
        <option value="">{activeVersion === undefined ? texts.noneInForce : texts.inForce(activeVersion)}</option>
        {!isListed && <option value={value}>{en.common.version(value ?? 0)}</option>}
        {others.map(({ version, message }) => (
          <option key={version} value={version}>
            {message === undefined || message === "" ? en.common.version(version) : texts.versionNote(version, message)}
          </option>
        ))}
      </Select>
      {error !== null && <Failed error={error} onRetry={refetch} />}
    </>
  );
}

function Texts({ place }: { readonly place: Judge }) {
  const [columns, setColumns] = useState<readonly Column[]>([
    { key: 1, asked: askedOf("") },
    { key: 2, asked: askedOf("") },
  ]);
  const nextKey = Math.max(...columns.map(({ key }) => key)) + 1;
  return (
    <>
      <div className={layout.columns}>
        {columns.map((column, index) => (
          <OneText
            key={column.key}
            number={index + 1}
            place={place}
            asked={column.asked}
            onAsk={(asked) => setColumns(columns.map((each) => (each === column ? { ...column, asked } : each)))}
            onRemove={columns.length === 1 ? undefined : () => setColumns(columns.filter((each) => each !== column))}
          />
        ))}
      </div>
      {columns.length < maxTexts && (
        <div>
          <Button onClick={() => setColumns([...columns, { key: nextKey, asked: askedOf("") }])}>
            {texts.addText}
          </Button>
        </div>
      )}
    </>
  );
}

function OneText({
  number,
  place,
  asked,
  onAsk,
  onRemove,
}: {
  readonly number: number;
  readonly place: Judge;
  readonly asked: Asked;
  readonly onAsk: (asked: Asked) => void;
  readonly onRemove: (() => void) | undefined;
}) {
  const { judge, judged, isStale, fault, isBusy, error } = useJudge(place);
  return (
    <section className={style.playground} aria-label={texts.textOf(number)}>
      <h2>{texts.textOf(number)}</h2>
      <Composer asked={asked} fault={fault} onChange={onAsk} onJudge={() => judge(asked)} />
      <div className={layout.row}>
        <Button kind="primary" onClick={() => judge(asked)} disabled={isBusy || isBlank(asked)} hotkey="judge">
          {isBusy ? texts.judging : texts.judge}
        </Button>
        {onRemove !== undefined && (
          <Button kind="quiet" onClick={onRemove}>
            {texts.removeText(number)}
          </Button>
        )}
      </div>
      {error !== undefined && <Failed error={error} />}
      {judged !== undefined && <Verdict judged={judged} isStale={isStale(asked)} />}
      <Remaining count={judged?.remaining} />
    </section>
  );
}
